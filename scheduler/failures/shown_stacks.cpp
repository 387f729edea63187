#include "shown_stacks.hpp"

#include <algorithm>
#include <charconv>
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

/// Whether the file was changed after this program was built.
bool is_newer_than_program(const std::string& file) {
  struct stat source {};
  struct stat program {};
  if (stat(file.c_str(), &source) != 0 || stat("/proc/self/exe", &program) != 0) return true;
  return source.st_mtim.tv_sec > program.st_mtim.tv_sec;
}

}  // namespace

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
  // The bracket at which destructors run says nothing.
  if (rest.find_first_not_of(" \t\r{});") == std::string_view::npos) return {};
  return std::string(rest.substr(0, std::min(rest.find_last_not_of(kSpaces) + 1, kMost)));
}

std::string line_of_source(std::string_view place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return {};
  unsigned line = 0;
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  const std::string path = runtime::path_of_user_file(std::string(place.substr(0, colon)));
  return path.empty() || line == 0 ? std::string{} : line_of_source(path, line);
}

namespace {

using runtime::FailureStack;
using runtime::platform::StackFrame;

/// Whether a person who reads a stack knows the function: one of a library that the user's code called.
bool is_known_to_users(std::string_view function) {
  for (const std::string_view prefix : {"hocket::", "testing::", "doctest::", "Catch::", "__", "_"}) {
    if (function.starts_with(prefix)) return false;
  }
  return !function.empty() && function.find("::_") == std::string_view::npos;
}

ShownStack shown(const std::string& title, const std::vector<StackFrame>& frames, FailureStack::Of of) {
  ShownStack result{title, {}, {}};
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
  std::string called;  // by the user's code: the last of those
  for (const StackFrame& frame : frames) {
    if (runtime::platform::is_of_hocket(frame.file)) continue;
    if (!is_of_user(frame)) {
      ++folded;
      called = frame.function;
      continue;
    }
    // The function of a library that the user's code called stands for all that it called itself. Where a
    // thread waits, the step says it better.
    const bool is_told = of == FailureStack::Of::failure || !result.frames.empty();
    if (folded != 0 && is_told && is_known_to_users(called)) {
      add(folded == 1 ? called : "… " + std::to_string(folded) + " frames of " + called);
    }
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

ShownStack shown_stack(const std::string& title, const std::vector<StackFrame>& frames) {
  return shown(title, frames, FailureStack::Of::failure);
}

std::vector<ShownStack> shown_stacks(const std::vector<FailureStack>& stacks) {
  std::vector<ShownStack> all;
  std::size_t locks = 0;  // stacks at the end that tell where the next thread took its locks
  for (const FailureStack& stack : stacks) {
    if (all.size() == Schedule::kMostStacks) break;
    ShownStack one = shown(stack.title, runtime::platform::frames_of(stack.addresses), stack.of);
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
