#include "stack_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include <unistd.h>
#include <unwind.h>

#include "debug_info_program.hpp"
#include "loaded_images.hpp"
#include "stack_walk.hpp"
#include "user_code.hpp"

namespace hocket::runtime::platform {

namespace {

constexpr std::size_t kMostFrames = 40;
constexpr int kMostMilliseconds = 10'000;

struct Walk {
  std::array<std::uintptr_t, kMostFrames> addresses;
  std::size_t size = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (before_instruction == 0) --address;  // a return address may belong to the next line
  if (is_in_image(address)) walk.addresses[walk.size++] = address;
  return walk.size < walk.addresses.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// Stores what hocket-debug-info answers for the stack, a line for each address, innermost first.
std::size_t look_up(const Walk& walk, std::span<char> text) {
  SocketProgram program;
  if (!start_debug_info(program)) return 0;
  for (std::size_t n = 0; n < walk.size; ++n) {
    std::array<char, 32> line{};
    const int length = std::snprintf(
        line.data(), line.size(), "frames %llx\n", static_cast<unsigned long long>(walk.addresses[n]));
    if (!program.send({line.data(), static_cast<std::size_t>(length)})) break;
  }
  program.end_questions();
  std::size_t size = 0;
  while (size < text.size()) {
    const std::size_t more = program.receive(text.subspan(size), kMostMilliseconds);
    if (more == 0) break;
    size += more;
  }
  program.stop();
  return size;
}

/// Removes the text before the next `end` from `rest` and returns it.
std::string_view take(std::string_view& rest, char end) {
  const std::size_t size = std::min(rest.find(end), rest.size());
  const std::string_view text = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return text;
}

void put(int file, std::string_view text) {
  static_cast<void>(!write(file, text.data(), text.size()));
}

}  // namespace

StackLine take_stack_line(std::string_view& text) {
  StackLine frame;
  std::string_view rest = take(text, '\n');
  frame.function = take(rest, '\t');
  frame.file = take(rest, '\t');
  std::from_chars(rest.data(), rest.data() + rest.size(), frame.line);
  return frame;
}

void put_stack(int file) {
  static Walk walk;
  walk.size = 0;
  walk_stack(&visit, &walk);
  static std::array<char, std::size_t{64} * 1024> text;
  std::string_view answers(text.data(), look_up(walk, text));
  while (!answers.empty()) {
    std::string_view answer = take(answers, '\n');
    if (answer.starts_with('=')) answer.remove_prefix(1);
    while (!answer.empty()) {
      const std::string_view function = take(answer, '\t');
      take(answer, '\t');  // its whole name
      const std::string_view path = take(answer, '\t');
      const std::string_view line = take(answer, '\t');
      if (line.empty() || line == "0") continue;
      for (const std::string_view part :
          {function, std::string_view("\t"), path, std::string_view("\t"), line, std::string_view("\n")})
        put(file, part);
    }
  }
}

void put_stack_lines(int file, std::string_view stack) {
  bool is_first = true;
  StackLine last;
  unsigned times = 0;  // how often the last place was repeated: a recursion
  const auto put_times = [&] {
    if (times == 0) return;
    std::array<char, 40> more{};
    std::snprintf(
        more.data(), more.size(), times == 1 ? "  (and once more)\n" : "  (and %u times more)\n", times);
    put(file, more.data());
    times = 0;
  };
  while (!stack.empty()) {
    const StackLine frame = take_stack_line(stack);
    if (!holds_user_code(frame.file)) continue;
    if (frame.file == last.file && frame.line == last.line) {  // also of a function inlined into itself
      ++times;
      continue;
    }
    put_times();
    last = frame;
    if (is_first) put(file, "It is here, called from the lines below:\n");
    is_first = false;
    std::array<char, 16> line{};
    std::snprintf(line.data(), line.size(), ":%u  ", frame.line);
    put(file, "  ");
    put(file, frame.file.substr(frame.file.rfind('/') + 1));
    put(file, line.data());
    put(file, frame.function);
    put(file, "\n");
  }
  put_times();
}

}  // namespace hocket::runtime::platform
