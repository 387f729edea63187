#include "stack_lines.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include "addr2line.hpp"
#include "user_code.hpp"

namespace hocket::runtime::platform {

namespace {

constexpr std::size_t kMostFrames = 40;
constexpr int kMostMilliseconds = 10'000;

struct Walk {
  std::uintptr_t base = 0;  ///< load address of the main program's file
  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  std::array<std::uintptr_t, kMostFrames> addresses;  ///< addresses in the file
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
  return 1;  // the main program comes first; no others are needed
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (before_instruction == 0) --address;  // a return address may belong to the next line
  if (address < walk.begin || address >= walk.end) return _URC_NO_REASON;
  walk.addresses[walk.size++] = address - walk.base;
  return walk.size < walk.addresses.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// Whether a line such as "push(int) at /home/user/queue.cpp:31" is in code that a person wrote.
bool is_of_user_code(std::string_view line) {
  const std::size_t at = line.rfind(" at ");
  // For a symbol without lines llvm-addr2line gives the file name and line 0.
  const bool has_no_place = at == std::string_view::npos || line.ends_with(":?") || line.ends_with(":0");
  if (has_no_place || line.substr(at + 4).starts_with("??")) return false;
  const std::string_view place = line.substr(at + 4);
  return holds_user_code(place.substr(0, place.rfind(':')));
}

void put(int file, std::string_view text) {
  static_cast<void>(!write(file, text.data(), text.size()));
}

/// Prints "push(int) at /home/user/queue.cpp:31 (discriminator 2)" as "  queue.cpp:31  push(int)".
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

/// Stores addr2line's output for the stack: "push(int) at /home/user/queue.cpp:31", innermost first.
std::size_t translate(const Walk& walk, std::span<char> text) {
  Addr2line addr2line;
  if (!addr2line.start("-Cfip", "")) return 0;
  for (std::size_t n = 0; n < walk.size; ++n) {
    std::array<char, 20> line{};
    const int length =
        std::snprintf(line.data(), line.size(), "%llx\n", static_cast<unsigned long long>(walk.addresses[n]));
    if (!addr2line.send({line.data(), static_cast<std::size_t>(length)})) break;
  }
  addr2line.end_questions();
  std::size_t size = 0;
  while (size < text.size()) {
    const std::size_t more = addr2line.receive(text.subspan(size), kMostMilliseconds);
    if (more == 0) break;
    size += more;
  }
  addr2line.stop();
  return size;
}

}  // namespace

void put_stack_lines(int file) {
  static Walk walk;
  walk.size = 0;
  dl_iterate_phdr(&look_at_main_program, &walk);
  _Unwind_Backtrace(&visit, &walk);
  static std::array<char, std::size_t{64} * 1024> text;
  const std::size_t size = translate(walk, text);
  bool is_first = true;
  std::string_view last;
  unsigned times = 0;  // how often the last place was repeated: a recursion
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
    if (place == last) {  // also true for a function that is inlined into itself
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
