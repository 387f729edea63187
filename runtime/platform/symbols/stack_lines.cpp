#include "stack_lines.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include "user_code.hpp"

namespace hocket::runtime::platform {

namespace {

constexpr std::size_t kMostFrames = 40;
constexpr int kMostMilliseconds = 10'000;

struct Walk {
  std::uintptr_t base = 0;  ///< where the main program's file is in memory
  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  std::array<std::array<char, 20>, kMostFrames> words{};  ///< addresses in the file, in hexadecimal
  std::size_t size = 0;
};

int look_at_main_program(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  walk.base = info->dlpi_addr;
  for (unsigned n = 0; n < info->dlpi_phnum; ++n) {
    const auto& segment = info->dlpi_phdr[n];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = walk.base + segment.p_vaddr;
    if (begin < walk.begin) walk.begin = begin;
    if (begin + segment.p_memsz > walk.end) walk.end = begin + segment.p_memsz;
  }
  return 1;  // it comes first; no more are wanted
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (before_instruction == 0) --address;  // a return address may belong to the next line
  if (address < walk.begin || address >= walk.end) return _URC_NO_REASON;
  std::array<char, 20>& word = walk.words[walk.size++];
  std::snprintf(word.data(), word.size(), "%llx", static_cast<unsigned long long>(address - walk.base));
  return walk.size < walk.words.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// Whether a line such as "push(int) at /home/user/queue.cpp:31" is of code that a person wrote.
bool is_of_user_code(std::string_view line) {
  const std::size_t at = line.rfind(" at ");
  // llvm-addr2line names the file of a symbol that has no lines, with line 0.
  const bool has_no_place = at == std::string_view::npos || line.ends_with(":?") || line.ends_with(":0");
  if (has_no_place || line.substr(at + 4).starts_with("??")) return false;
  const std::string_view place = line.substr(at + 4);
  return holds_user_code(place.substr(0, place.rfind(':')));
}

void put(int file, std::string_view text) {
  static_cast<void>(!write(file, text.data(), text.size()));
}

/// "push(int) at /home/user/queue.cpp:31 (discriminator 2)" as "  queue.cpp:31  push(int)".
void put_line(int file, std::string_view line) {
  constexpr std::string_view kInlined = " (inlined by) ";
  if (line.starts_with(kInlined)) line.remove_prefix(kInlined.size());
  const std::size_t at = line.rfind(" at ");
  const std::string_view function = line.substr(0, at);
  std::string_view place = line.substr(at + 4);
  place = place.substr(0, place.find(' '));
  if (const std::size_t slash = place.rfind('/'); slash != std::string_view::npos)
    place.remove_prefix(slash + 1);
  put(file, "  ");
  put(file, place);
  if (!function.starts_with("hocket::thread::")) {  // into which the user's code is inlined
    put(file, "  ");
    put(file, function);
  }
  put(file, "\n");
}

/// Starts addr2line on `walk`; returns where its answer comes from, or -1.
int ask(Walk& walk, pid_t& child) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::array<char, 40> program{};
  std::snprintf(program.data(), program.size(), "/proc/%d/exe", static_cast<int>(getpid()));
  std::array<char, 8> options{"-Cfip"};
  std::array<char, 4> of{"-e"};
  std::array<char*, kMostFrames + 5> arguments{};
  arguments[1] = options.data();
  arguments[2] = of.data();
  arguments[3] = program.data();
  for (std::size_t n = 0; n < walk.size; ++n) arguments[4 + n] = walk.words[n].data();
  bool is_spawned = false;
#if defined(__clang__)  // as in call_site.cpp
  constexpr std::array kPrograms{"llvm-addr2line", "addr2line"};
#else
  constexpr std::array kPrograms{"addr2line", "llvm-addr2line"};
#endif
  for (const char* name : kPrograms) {
    arguments[0] = const_cast<char*>(name);
    is_spawned = posix_spawnp(&child, name, &actions, nullptr, arguments.data(), environ) == 0;
    if (is_spawned) break;
  }
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (is_spawned) return ends[0];
  close(ends[0]);
  return -1;
}

}  // namespace

void put_stack_lines(int file) {
  static Walk walk;
  walk.size = 0;
  dl_iterate_phdr(&look_at_main_program, &walk);
  _Unwind_Backtrace(&visit, &walk);
  pid_t child = -1;
  const int answer = ask(walk, child);
  if (answer < 0) return;
  static std::array<char, std::size_t{64} * 1024> text;
  std::size_t size = 0;
  pollfd waiting{answer, POLLIN, 0};
  while (size < text.size()) {
    const int ready = poll(&waiting, 1, kMostMilliseconds);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    const ssize_t more = read(answer, text.data() + size, text.size() - size);
    if (more <= 0) break;
    size += static_cast<std::size_t>(more);
  }
  close(answer);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  bool is_first = true;
  std::string_view last;
  unsigned times = 0;  // that the last place came again: a recursion
  const auto put_times = [&] {
    if (times == 0) return;
    std::array<char, 40> more{};
    std::snprintf(
        more.data(), more.size(), times == 1 ? "  (and once more)\n" : "  (and %u times more)\n", times);
    put(file, more.data());
    times = 0;
  };
  for (std::string_view rest(text.data(), size); !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (!is_of_user_code(line)) continue;
    const std::string_view place = line.substr(line.rfind(" at "));
    if (place == last) {  // also a function that is inlined into itself
      ++times;
      continue;
    }
    put_times();
    last = place;
    if (is_first) put(file, "It is here, called from the lines below:\n");
    is_first = false;
    put_line(file, line);
  }
  put_times();
}

}  // namespace hocket::runtime::platform
