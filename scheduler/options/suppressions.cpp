#include "suppressions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <dlfcn.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>

#include "../../runtime/platform/files.hpp"
#include "../../runtime/platform/symbols/stack_frames.hpp"
#include "../../runtime/platform/symbols/user_code.hpp"
#include "../../runtime/terms/utf8.hpp"

namespace hocket {

namespace {

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

/// Removes the beginning of `text` up to the first `separator`, and returns it without that.
std::string_view take_until(char separator, std::string_view& text) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view beginning = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return beginning;
}

/// Whether `text` begins with the parts between the asterisks of `pattern`, one after the other, or if
/// `to_end` is true, is all of them.
bool begins_with(std::string_view pattern, std::string_view text, bool to_end) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return to_end ? text == pattern : text.starts_with(pattern);
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  if (pattern.empty()) return true;
  for (std::size_t n = 0; n <= text.size(); ++n) {
    if (begins_with(pattern, text.substr(n), to_end)) return true;
  }
  return false;
}

/// The file of the program or library that has the code; empty if it is not known.
std::string_view library_of(std::uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

/// What a stack may be called by: names of its functions, and files.
struct Names {
  std::vector<std::string> all;
  std::vector<std::string> innermost;  ///< of the innermost function of the user's code
};

Names names_on(const runtime::FailureStack& stack) {
  Names names;
  bool is_found = false;  // the innermost function of the user's code
  for (runtime::platform::StackFrame& frame : runtime::platform::frames_of(stack.addresses)) {
    const bool is_innermost =
        !is_found && !frame.function.empty() && runtime::platform::holds_user_code(frame.file);
    is_found |= is_innermost;
    for (std::string* const name : {&frame.function, &frame.whole_function, &frame.file}) {
      if (is_innermost) names.innermost.push_back(*name);
      names.all.push_back(std::move(*name));
    }
  }
  return names;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  const bool from_begin = pattern.starts_with('^');
  const bool to_end = pattern.ends_with('$');
  pattern.remove_prefix(from_begin ? 1 : 0);
  pattern.remove_suffix(to_end ? 1 : 0);
  if (from_begin) return begins_with(pattern, text, to_end);
  for (std::size_t n = 0; n <= text.size(); ++n) {
    if (begins_with(pattern, text.substr(n), to_end)) return true;
  }
  return false;
}

Suppressions::Suppressions(const std::string& name) {
  if (name.empty()) return;
  constexpr std::array<std::pair<std::string_view, Kind>, 7> kKinds{{{"race", Kind::race},
      {"race_top", Kind::race_top}, {"deadlock", Kind::deadlock}, {"mutex", Kind::mutex},
      {"thread", Kind::thread}, {"called_from_lib", Kind::called_from_lib}, {"signal", Kind::signal}}};
  struct stat file {};
  const bool is_file = stat(name.c_str(), &file) == 0 && S_ISREG(file.st_mode);
  const runtime::platform::FileBytes content(name);
  std::string_view rest = content.bytes();
  if (!is_file || (rest.empty() && file.st_size != 0)) {
    throw std::invalid_argument(
        fmt::format("{} cannot be read; give --hocket_suppressions a file with a line such as "
                    "\"race:Cache::get\" for each pattern",
            utf8::printable(name)));
  }
  for (unsigned number = 1; !rest.empty(); ++number) {
    const std::string_view line = without_spaces(take_until('\n', rest));
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(':');
    const auto* const kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) {
      return colon != std::string_view::npos && without_spaces(line.substr(0, colon)) == each.first;
    });
    const std::string_view pattern = kind == kKinds.end() ? "" : without_spaces(line.substr(colon + 1));
    const bool has_few_stars = std::count(pattern.begin(), pattern.end(), '*') <= std::ptrdiff_t{kMostStars};
    if (pattern.empty() || !has_few_stars) {
      throw std::invalid_argument(
          fmt::format("{}:{}: \"{}\" is no suppression; write race:, deadlock:, mutex:, thread: or "
                      "called_from_lib:, and a part of a function's or file's name with {} asterisks at most",
              utf8::printable(name), number, utf8::printable(line), kMostStars));
    }
    lines_.push_back({kind->second, std::string(pattern), std::string(line)});
  }
}

bool Suppressions::concerns(Kind kind, runtime::FailureKind failure) {
  using runtime::FailureKind;
  switch (kind) {
    case Kind::race:
    case Kind::race_top:
    case Kind::called_from_lib:
      return failure == FailureKind::data_race;
    case Kind::deadlock:
      return failure == FailureKind::deadlock;
    case Kind::mutex:
      return failure == FailureKind::misuse || failure == FailureKind::use_after_destruction;
    case Kind::thread:
      return failure == FailureKind::leak;
    case Kind::signal:  // of what handlers of signals do, which Hocket does not look for
      return false;
  }
  return false;
}

std::string Suppressions::matching(const runtime::Failure& failure) const {
  const bool may_match = std::any_of(
      lines_.begin(), lines_.end(), [&](const Line& line) { return concerns(line.kind, failure.kind); });
  if (!may_match) return {};
  for (const runtime::FailureStack& stack : failure.stacks) {
    const Names names = names_on(stack);
    for (const Line& line : lines_) {
      if (!concerns(line.kind, failure.kind)) continue;
      const auto matches = [&](std::string_view name) { return matches_pattern(line.pattern, name); };
      const auto is_in_library = [&](std::uintptr_t address) { return matches(library_of(address)); };
      const std::vector<std::string>& compared = line.kind == Kind::race_top ? names.innermost : names.all;
      const bool is_match = line.kind == Kind::called_from_lib
                                ? std::any_of(stack.addresses.begin(), stack.addresses.end(), is_in_library)
                                : std::any_of(compared.begin(), compared.end(), matches);
      if (is_match) return line.text;
    }
  }
  return {};
}

}  // namespace hocket
