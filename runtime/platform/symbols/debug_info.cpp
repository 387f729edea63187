#include "debug_info.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <sys/uio.h>
#include <unistd.h>

#include "../fiber_switch.hpp"
#include "socket_program.hpp"

namespace hocket::runtime::platform {

namespace {

constexpr int kMostMilliseconds = 30'000;  ///< for one answer: the first one reads all the debug information

std::string hexadecimal(std::uintptr_t number) {
  std::array<char, 24> text;
  const int size = std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(number));
  return {text.data(), static_cast<std::size_t>(size)};
}

/// Words of this process, separated by blanks, from an address that may be nowhere: then there are none.
std::string words_at(std::string_view address_text) {
  std::uintptr_t address = 0;
  constexpr int kHexadecimal = 16;
  std::from_chars(address_text.data(), address_text.data() + address_text.size(), address, kHexadecimal);
  std::array<std::uintptr_t, 64> words;  // a question is likely to need those behind it, too
  const iovec into{words.data(), sizeof words};
  const iovec from{reinterpret_cast<void*>(address), sizeof words};
  const ssize_t size = process_vm_readv(getpid(), &into, 1, &from, 1, 0);
  std::string text;
  for (ssize_t n = 0; n < size / ssize_t{sizeof words[0]}; ++n) {
    if (n != 0) text += ' ';
    text += hexadecimal(words[static_cast<std::size_t>(n)]);
  }
  return text;
}

/// The program that reads debug information, from its first use to the end of this process.
class DebugInfo {
 public:
  std::string ask(const std::string& question) {
    if (program_.owner() != getpid()) start();  // for the first time, or after a fork
    if (is_unavailable_) return {};
    if (!program_.send(question + "\n")) return give_up();
    for (;;) {
      std::string line;
      if (!receive_line(line) || line.empty()) return give_up();
      if (line.front() == '=') return line.substr(1);
      if (line.front() != '?' || !program_.send(words_at(std::string_view(line).substr(1)) + "\n"))
        return give_up();
    }
  }

  void pause() {
    if (!program_.is_running() || program_.owner() != getpid()) return;
    program_.stop();
    program_ = {};
    is_unavailable_ = false;
  }

  void stop() {
    is_unavailable_ = true;
    program_.stop();
  }

 private:
  void start() {
    received_.clear();
    std::array<char, 24> process{};
    std::snprintf(process.data(), process.size(), "%d", static_cast<int>(getpid()));
    const char* const given = std::getenv("HOCKET_DEBUG_INFO");
    if (given != nullptr) {
      const std::array<CommandWords, 1> command{{{word(given), process.data(), nullptr}}};
      is_unavailable_ = *given == '\0' || !program_.start(command);
      return;
    }
    std::vector<std::string> programs;
#if defined(HOCKET_DEBUG_INFO_BUILT)  // where Hocket's own build makes and installs it
    programs = {HOCKET_DEBUG_INFO_BUILT, HOCKET_DEBUG_INFO_INSTALLED};
    // It was installed elsewhere, with a command that the user can call.
    const char* const path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "";
    while (!rest.empty()) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
      if (folder.starts_with('/'))
        programs.push_back(std::string(folder) + "/" HOCKET_DEBUG_INFO_FROM_BINARIES);
    }
#endif
    programs.emplace_back("hocket-debug-info");
    std::vector<CommandWords> commands;
    for (const std::string& program : programs)
      commands.push_back({word(program.c_str()), process.data(), nullptr});
    is_unavailable_ = !program_.start(commands);
  }

  std::string give_up() {
    stop();
    return {};
  }

  bool receive_line(std::string& line) {
    for (;;) {
      if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
        line.assign(received_, 0, end);
        received_.erase(0, end + 1);
        return true;
      }
      std::array<char, 512> part;
      const std::size_t size = program_.receive(part, kMostMilliseconds);
      if (size == 0) return false;
      received_.append(part.data(), size);
    }
  }

  SocketProgram program_;
  bool is_unavailable_ = false;
  std::string received_;
};

/// Never freed, because an explore() in a destructor of static storage needs it.
DebugInfo& debug_info() {
  static auto* const all = [] {
    std::atexit([] { debug_info().stop(); });
    return new DebugInfo;
  }();
  return *all;
}

bool has_named = false;

std::string ask(const std::string& question) {
  const int user_errno = errno;
  std::string answer = debug_info().ask(question);
  errno = user_errno;
  return answer;
}

std::string ask_for_name(const std::string& question) {
  std::string name = ask(question);
  has_named = has_named || !name.empty();
  return name;
}

}  // namespace

[[gnu::noinline]] FiberRegisters registers_of([[maybe_unused]] const void* context) {
  FiberRegisters found;
#if defined(__x86_64__) && defined(__linux__)
  if (context == nullptr) {
    asm volatile(
        "lea 0(%%rip), %0\n\t"
        "mov %%rsp, %1\n\t"
        "mov %%rbp, %2\n\t"
        "mov %%rbx, %3"
        : "=&r"(found.code), "=&r"(found.stack_pointer), "=&r"(found.bp), "=&r"(found.bx));
    return found;
  }
  // See jump().
  constexpr std::uintptr_t kSaved = 3 * sizeof(std::uintptr_t) + 0x80;
  const auto* const saved = static_cast<const std::uintptr_t*>(context);
  found = {saved[0], reinterpret_cast<std::uintptr_t>(context) + kSaved, saved[2], saved[1]};
#endif
  return found;
}

bool has_debug_info_named() {
  return has_named;
}

std::string name_in_static_storage(std::uintptr_t address, std::size_t size) {
  return ask_for_name("static " + hexadecimal(address) + " " + hexadecimal(size));
}

std::string name_on_stack(std::uintptr_t address, std::size_t size, const FiberRegisters& registers) {
  if (registers.code == 0) return {};
  return ask_for_name("stack " + hexadecimal(address) + " " + hexadecimal(size) + " " +
                      hexadecimal(registers.code) + " " + hexadecimal(registers.stack_pointer) + " " +
                      hexadecimal(registers.bp) + " " + hexadecimal(registers.bx));
}

std::string name_on_heap(std::size_t offset, std::size_t block_size, std::span<const std::uintptr_t> stack) {
  std::string question = "block " + hexadecimal(offset) + " 0 " + hexadecimal(block_size);
  for (const std::uintptr_t code : stack) question += " " + hexadecimal(code);
  return ask_for_name(question);
}

std::string functions_at(std::uintptr_t code) {
  return ask("frames " + hexadecimal(code));
}

void stop_asking_for_names() {
  debug_info().pause();
}

}  // namespace hocket::runtime::platform
