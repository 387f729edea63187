// What is to be known of an object file or a shared library, x86-64 ELF: whether it was compiled with hooks,
// and its code.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace hocket::check_hooks {

class ObjectFile {
 public:
  /// `file` is a path, or a member of an archive as the linker names it, "libqueue.a(queue.o)". What cannot
  /// be read has no hooks and no code.
  explicit ObjectFile(const std::string& file);

  /// Compiled with the hooks of -fsanitize=thread.
  [[nodiscard]] bool has_hooks() const { return has_hooks_; }
  /// Defines them.
  [[nodiscard]] bool is_of_hocket() const { return is_of_hocket_; }
  /// Has a function for others.
  [[nodiscard]] bool has_functions() const { return has_functions_; }
  /// Whether the section of that name calls a hook.
  [[nodiscard]] bool calls_hooks(const std::string& section) const;

  struct Code {
    std::string section;
    std::span<const unsigned char> bytes;
  };
  [[nodiscard]] const std::vector<Code>& code() const { return code_; }

  /// The whole file.
  [[nodiscard]] std::span<const unsigned char> bytes() const { return bytes_; }

 private:
  void read_sections();

  std::vector<unsigned char> bytes_;
  std::vector<Code> code_;
  std::set<std::string> hooks_called_;  ///< sections
  bool has_hooks_ = false;
  bool is_of_hocket_ = false;
  bool has_functions_ = false;
};

}  // namespace hocket::check_hooks
