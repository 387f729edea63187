// Reads an object file or a shared library: whether it was compiled with hooks, and its code.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <libelf.h>

namespace hocket::check_hooks {

class ObjectFile {
 public:
  /// `file` is a path, or a member of an archive as the linker names it, "libqueue.a(queue.o)". A file that
  /// cannot be read has no hooks and no code.
  explicit ObjectFile(const std::string& file);

  /// Why the file cannot be read, in a few words; empty if it was read.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// Whether it was compiled with the hooks of -fsanitize=thread.
  [[nodiscard]] bool has_hooks() const { return contents_.has_hooks; }
  /// Whether it defines the hooks.
  [[nodiscard]] bool is_of_hocket() const { return contents_.is_of_hocket; }
  /// Whether it has a function that other files can call.
  [[nodiscard]] bool has_functions() const { return contents_.has_functions; }
  /// Whether the section of that name calls a hook.
  [[nodiscard]] bool calls_hooks(const std::string& section) const {
    return contents_.hooks_called.contains(section);
  }

  struct Code {
    std::string section;
    std::span<const unsigned char> bytes;
  };
  [[nodiscard]] const std::vector<Code>& code() const { return contents_.code; }

  /// The whole file.
  [[nodiscard]] std::span<const unsigned char> bytes() const;

 private:
  struct Close {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  using ElfPointer = std::unique_ptr<Elf, Close>;

  struct Contents {
    std::vector<Code> code;
    std::set<std::string> hooks_called;  ///< sections
    bool has_hooks = false;
    bool is_of_hocket = false;
    bool has_functions = false;
  };

  // These throw std::runtime_error, which says what the problem is.
  static ElfPointer open(const std::string& path);
  static ElfPointer open_member(Elf* archive, std::string_view name);
  static Contents read(Elf* object);

  ElfPointer archive_;  ///< outlives its member
  ElfPointer object_;
  std::string problem_;
  Contents contents_;
};

/// `text` as one word of a shell's command.
std::string shell_word(std::string_view text);

/// Adds a section that is not loaded to the program or library, with the texts, each with a zero byte behind
/// it. `objcopy` is the program that does it. Returns whether it could be done; if not, the file is as it
/// was.
bool add_section(const std::string& program, const std::string& section, const std::set<std::string>& texts,
    const std::string& objcopy);

}  // namespace hocket::check_hooks
