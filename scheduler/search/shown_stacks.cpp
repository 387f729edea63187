#include "shown_stacks.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/platform/files.hpp"
#include "../../runtime/platform/symbols/stack_frames.hpp"
#include "../../runtime/platform/symbols/user_code.hpp"

namespace hocket {

namespace {

using runtime::FailureStack;
using runtime::platform::StackFrame;

/// Whether the file was changed after this program was built.
bool is_newer_than_program(const std::string& file) {
  struct stat source {};
  struct stat program {};
  if (stat(file.c_str(), &source) != 0 || stat("/proc/self/exe", &program) != 0) return true;
  return source.st_mtim.tv_sec > program.st_mtim.tv_sec;
}

/// The line of the file without the spaces around it; a sentence in brackets if the file is not the one that
/// the program was built from; empty if it cannot be read.
std::string line_of_source(const std::string& file, unsigned line) {
  constexpr std::size_t kMost = 200;
  const runtime::platform::FileBytes source(file);
  std::string_view rest = source.bytes();
  if (rest.empty()) return {};
  if (is_newer_than_program(file))
    return "(" + file.substr(file.rfind('/') + 1) + " was changed after the program was built)";
  for (; line > 1 && !rest.empty(); --line)
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest = rest.substr(0, rest.find('\n'));
  constexpr std::string_view kSpaces = " \t\r";
  rest.remove_prefix(std::min(rest.find_first_not_of(kSpaces), rest.size()));
  return std::string(rest.substr(0, std::min(rest.find_last_not_of(kSpaces) + 1, kMost)));
}

/// Whether a person who reads a stack knows the function: one of a library that the user's code called.
bool is_known_to_users(std::string_view function) {
  for (const std::string_view prefix : {"hocket::", "testing::", "__", "_"}) {
    if (function.starts_with(prefix)) return false;
  }
  return !function.empty() && function.find("::_") == std::string_view::npos;
}

ShownStack shown(const FailureStack& stack) {
  ShownStack result{stack.title, {}, {}};
  const std::vector<StackFrame> frames = runtime::platform::frames_of(stack.addresses);
  const auto is_of_user = [](const StackFrame& frame) {
    return !frame.function.empty() && runtime::platform::holds_user_code(frame.file);
  };
  const auto add = [&](std::string frame) {
    // A recursion is told once.
    if (result.frames.size() < ShownStack::kMostFrames &&
        (result.frames.empty() || result.frames.back() != frame))
      result.frames.push_back(std::move(frame));
  };
  std::size_t folded = 0;
  for (std::size_t n = 0; n < frames.size(); ++n) {
    const StackFrame& frame = frames[n];
    if (!is_of_user(frame)) {
      ++folded;
      continue;
    }
    // The function of a library that the user's code called stands for all that it called itself. Where a
    // thread waits, the step says it better.
    const bool is_told = stack.of == FailureStack::Of::failure || !result.frames.empty();
    if (folded != 0 && is_told && is_known_to_users(frames[n - 1].function)) add(frames[n - 1].function);
    folded = 0;
    const runtime::Where where = runtime::Where::current(frame.file.c_str(), frame.line);
    if (result.source.empty()) result.source = line_of_source(frame.file, frame.line);
    add(frame.function + "  " + runtime::place_of(where));
  }
  return result;
}

/// Whether the stacks differ in the innermost line only.
bool are_alike(const ShownStack& one, const ShownStack& other) {
  const auto function = [](const std::string& frame) { return frame.substr(0, frame.rfind("  ")); };
  return one.frames.size() == other.frames.size() &&
         std::equal(one.frames.begin() + 1, one.frames.end(), other.frames.begin() + 1) &&
         function(one.frames[0]) == function(other.frames[0]);
}

}  // namespace

std::vector<ShownStack> shown_stacks(const std::vector<FailureStack>& stacks) {
  std::vector<ShownStack> all;
  std::size_t locks = 0;  // stacks at the end that tell where the next thread took its locks
  for (const FailureStack& stack : stacks) {
    if (all.size() == Schedule::kMostStacks) break;
    ShownStack one = shown(stack);
    if (one.frames.empty()) continue;
    if (stack.of == FailureStack::Of::wait) {
      const auto first = all.end() - static_cast<std::ptrdiff_t>(locks);
      all.erase(
          std::remove_if(first, all.end(), [&](const ShownStack& lock) { return are_alike(lock, one); }),
          all.end());
    }
    locks = stack.of == FailureStack::Of::lock ? locks + 1 : 0;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace hocket
