#include "inline_assembly.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "object_file.hpp"

namespace hocket::check_hooks {

namespace {

using Code = std::span<const unsigned char>;

/// Whether the code may contain one of the instructions. This quick check has false positives; it avoids the
/// slow disassembler for most code.
bool could_be_assembly(Code code) {
  constexpr unsigned char kLock = 0xf0;
  constexpr unsigned char kTwoBytes = 0x0f;
  constexpr unsigned char kSyscall = 0x05;
  constexpr unsigned char kTimeStamp = 0x31;
  constexpr unsigned char kSystem = 0x01;
  constexpr unsigned char kTimeStampAndProcessor = 0xf9;
  constexpr unsigned char kExchange = 0x86;  // of a byte; 0x87: of more
  constexpr unsigned char kRegisters = 0xc0;
  for (std::size_t n = 0; n + 2 < code.size(); ++n) {
    const unsigned char byte = code[n];
    if (byte == kTwoBytes && (code[n + 1] == kSyscall || code[n + 1] == kTimeStamp)) return true;
    if (byte == kTwoBytes && code[n + 1] == kSystem && code[n + 2] == kTimeStampAndProcessor) return true;
    const bool is_branch = n != 0 && code[n - 1] == kTwoBytes;  // 0f 86, 0f 87
    if ((byte | 1U) == (kExchange | 1U) && !is_branch && code[n + 1] < kRegisters) return true;
    if (byte != kLock) continue;
    std::size_t next = n + 1;
    while (next + 1 < code.size() && (code[next] == 0x66 || (code[next] & 0xf0U) == 0x40)) ++next;
    const unsigned char operation = code[next];
    const bool takes_lock = operation == kTwoBytes || (operation < 0x34 && operation % 8 < 2) ||
                            (operation >= 0x80 && operation <= 0x87) || operation == 0xf6 ||
                            operation == 0xf7 || operation == 0xfe || operation == 0xff;
    if (takes_lock) return true;
  }
  return false;
}

/// "lock cmpxchg" of "lock cmpxchg %edx,(%rdi)"; empty if it is neither atomic nor a system call and does not
/// read the time stamp counter.
std::string_view named_instruction(std::string_view line) {
  const auto word_end = [&](std::size_t from) {
    return std::min(line.find_first_of(" \n", from), line.size());
  };
  if (line.starts_with("lock ")) return line.substr(0, word_end(sizeof "lock"));
  if (line.starts_with("syscall") || line.starts_with("rdtsc")) return line.substr(0, word_end(0));
  if (line.starts_with("xchg") && line.find('(') != std::string_view::npos)
    return line.substr(0, word_end(0));
  return {};
}

/// A file for as long as the object lives.
class TemporaryFile {
 public:
  explicit TemporaryFile(Code bytes) {
    const int file = mkstemp(path_.data());
    if (file < 0) return;
    while (!bytes.empty()) {
      const ssize_t written = write(file, bytes.data(), bytes.size());
      if (written <= 0) break;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    close(file);
  }
  ~TemporaryFile() { std::remove(path_.data()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const char* path() const { return path_.data(); }

 private:
  std::string path_ = "/tmp/hocket-check-XXXXXX";
};

}  // namespace

std::vector<Assembly> find_assembly(
    const ObjectFile& object, const std::set<std::string>& sections, const std::string& objdump) {
  std::string options;
  for (const ObjectFile::Code& code : object.code()) {
    if (sections.contains(code.section) && could_be_assembly(code.bytes))
      options += " -j " + shell_word(code.section);
  }
  if (options.empty()) return {};
  const TemporaryFile file(object.bytes());
  const std::string command = shell_word(objdump) + " --disassemble --reloc --no-show-raw-insn" + options +
                              " " + file.path() + " 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), &pclose);
  if (output == nullptr) return {};

  std::vector<Assembly> found;
  std::string function;
  // Clang leaves the instruction of a load of sixteen bytes behind the call of its hook, and drops its
  // result.
  bool follows_hook_of_wide_load = false;
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), output.get()) != nullptr) {
    const std::string_view line = buffer.data();
    // "0000000000000000 <_ZN4Spin4lockEv>:" and "   4:\tlock cmpxchg %edx,(%rdi)".
    if (const std::size_t end = line.rfind(">:\n"); end != std::string_view::npos && line.front() != ' ') {
      const std::size_t begin = line.find('<') + 1;
      function = line.substr(begin, end - begin);
      follows_hook_of_wide_load = false;
      continue;
    }
    // "\t\t\t5: R_X86_64_PLT32\t__tsan_atomic128_load-0x4"
    if (line.find("R_X86_64_PLT32") != std::string_view::npos) {
      follows_hook_of_wide_load = line.find("\t__tsan_atomic128_load-") != std::string_view::npos;
      continue;
    }
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::string_view instruction = named_instruction(line.substr(tab + 1));
    if (instruction == "lock cmpxchg16b" && std::exchange(follows_hook_of_wide_load, false)) continue;
    if (instruction.empty() || (!found.empty() && found.back().function == function)) continue;
    found.push_back({function, std::string(instruction)});
  }
  return found;
}

}  // namespace hocket::check_hooks
