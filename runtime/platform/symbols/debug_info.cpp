#include "debug_info.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include <sys/uio.h>
#include <unistd.h>

#include "../fiber_switch.hpp"
#include "debug_info_program.hpp"
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

  [[nodiscard]] bool is_unavailable() const { return is_unavailable_; }

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
    is_unavailable_ = !start_debug_info(program_);
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

std::string text_of(const FiberRegisters& registers) {
  return hexadecimal(registers.code) + " " + hexadecimal(registers.stack_pointer) + " " +
         hexadecimal(registers.bp) + " " + hexadecimal(registers.bx);
}

bool has_named = false;

std::string ask(const std::string& question) {
  const int user_errno = errno;
  std::string answer = debug_info().ask(question);
  errno = user_errno;
  return answer;
}

/// Whether the user wants variables to be called by their names.
bool names_are_wanted() {
  const char* const given = std::getenv("HOCKET_DEBUG_INFO");
  return given == nullptr || *given != '\0';
}

/// Answers of this execution that hold whatever memory contains. Loops allocate many blocks at one place.
std::unordered_map<std::string, std::string>& lasting_answers() {
  static auto* const all = new std::unordered_map<std::string, std::string>;
  return *all;
}

NameInSource ask_for_name(const std::string& question, bool lasts = false) {
  if (!names_are_wanted()) return {};
  constexpr char kBeforeValues = 31;  // the unit separator
  std::string answer;
  if (const auto known = lasts ? lasting_answers().find(question) : lasting_answers().end();
      known != lasting_answers().end()) {
    answer = known->second;
  } else {
    answer = ask(question);
    if (lasts) lasting_answers().emplace(question, answer);
  }
  const std::size_t end = std::min(answer.find(kBeforeValues), answer.size());
  has_named = has_named || end != 0;
  return {answer.substr(0, end), end == answer.size() ? std::string{} : answer.substr(end + 1)};
}

}  // namespace

FiberRegisters registers_of([[maybe_unused]] const void* context) {
  FiberRegisters found;
#if defined(__x86_64__) && defined(__linux__)
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

NameInSource name_in_static_storage(std::uintptr_t address, std::size_t size) {
  return ask_for_name("static " + hexadecimal(address) + " " + hexadecimal(size));
}

NameInSource name_on_stack(std::uintptr_t address, std::size_t size, const FiberRegisters& registers) {
  if (registers.code == 0) return {};
  return ask_for_name("stack " + hexadecimal(address) + " " + hexadecimal(size) + " " + text_of(registers));
}

NameInSource name_on_heap(
    std::size_t offset, std::size_t size, std::size_t block_size, std::span<const std::uintptr_t> stack) {
  std::string question =
      "block " + hexadecimal(offset) + " " + hexadecimal(size) + " " + hexadecimal(block_size);
  for (const std::uintptr_t code : stack) question += " " + hexadecimal(code);
  return ask_for_name(question, true);
}

NameInSource name_in_thread_storage(std::uintptr_t module, std::size_t offset, std::size_t size) {
  return ask_for_name("thread " + hexadecimal(module) + " " + hexadecimal(offset) + " " + hexadecimal(size));
}

namespace {

bool are_chains_forgotten = false;

}  // namespace

NameInSource name_at_end_of_chain(std::uintptr_t address, std::size_t size, std::uintptr_t block,
    std::size_t block_size, bool by_any, std::span<const FiberRegisters> threads) {
  if (!are_chains_forgotten) ask("execution");
  are_chains_forgotten = true;
  std::string question = "chain " + hexadecimal(address) + " " + hexadecimal(size) + " " +
                         hexadecimal(block) + " " + hexadecimal(block_size) + (by_any ? " 1" : " 0");
  for (const FiberRegisters& registers : threads) question += " " + text_of(registers);
  return ask_for_name(question);
}

void forget_chains() {
  are_chains_forgotten = false;
  lasting_answers().clear();
}

bool is_program_without_debug_info() {
  static const bool is_without = names_are_wanted() && ask("described") == "no";
  return is_without;
}

std::vector<StackFrame> frames_at(std::uintptr_t code) {
  constexpr std::size_t kFields = 4;
  const std::string answer = ask("frames " + hexadecimal(code));
  std::vector<StackFrame> frames;
  std::array<std::string_view, kFields> fields;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < answer.size();) {
    const std::size_t end = std::min(answer.find('\t', begin), answer.size());
    fields[count++] = std::string_view(answer).substr(begin, end - begin);
    begin = end + 1;
    if (count != kFields) continue;
    count = 0;
    unsigned line = 0;
    std::from_chars(fields[3].data(), fields[3].data() + fields[3].size(), line);
    frames.push_back({std::string(fields[0]), std::string(fields[1]), std::string(fields[2]), line});
  }
  return frames;
}

bool has_no_debug_info() {
  return debug_info().is_unavailable();
}

void stop_reading_debug_info() {
  debug_info().pause();
}

}  // namespace hocket::runtime::platform
