// What the adapters of Catch2 and doctest share.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "../../../../scheduler/api/text_width.hpp"
#include "../../../../scheduler/deaths/death_report.hpp"
#include "../../../../scheduler/existing_tests/existing_tests.hpp"
#include "../../../../scheduler/existing_tests/first_look.hpp"
#include "../../../../scheduler/options/settings.hpp"
#include "../../../../scheduler/process/fresh_start.hpp"
#include "../../../../scheduler/report/last_line.hpp"

namespace hocket::adapters {

/// Prints what is said beside the output of the framework, which may be for programs to read.
inline void tell(const std::string& text) {
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

/// Explores `body` for the test case `name`: the text of its failure, or an empty text. Throws what explore()
/// does. A search that was made before the program began anew is not made again.
inline std::string failure_of(
    const std::string& name, const std::function<void()>& body, const Options& options) {
  leave_first_look_to_search();
  using fresh_start::Result;
  if (const auto before = fresh_start::take_result(name)) {
    add_outcomes(before->outcomes);
    return before->kind == Result::Kind::failed ? before->text : std::string{};
  }
  if (fresh_start::has_ending(name)) fresh_start::show_output();
  const std::size_t searches_before = outcomes_so_far().size();
  const Report report = explore_or_tell_of_death(name, body, options);
  const bool has_covered_nothing = report.executions == 0;
  const bool covers_too_little =
      report.verdict == Verdict::stopped && (with_settings(options).require_bound || has_covered_nothing);
  Result result{Result::Kind::passed, to_text(report, false, columns_of_output())};
  if (report.failed() || covers_too_little) result.kind = Result::Kind::failed;
  result.outcomes = record_of_outcomes(searches_before);
  fresh_start::keep(name, result);
  if (result.kind == Result::Kind::failed) return result.text;
  tell(result.text);
  return {};
}

/// Whether all tests are to be searched, or one replayed that was. Ends the program if that cannot be.
inline bool are_tests_to_be_exchanged() {
  if (!ExistingTests::are_asked_for() && ExistingTests::to_be_replayed().empty()) return false;
  if (const std::string why_not = ExistingTests::why_not(); !why_not.empty()) {
    std::fprintf(stderr, "%s\n", why_not.c_str());
    std::exit(2);
  }
  return true;
}

/// Prints what has become of all tests.
inline void print_summary() {
  if (!ExistingTests::to_be_replayed().empty()) return;
  constexpr unsigned kUsualWidth = 80;
  winsize size{};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  const bool color = ::isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  tell("\n" + ExistingTests::instance().summary(is_known ? size.ws_col : kUsualWidth, color));
}

}  // namespace hocket::adapters
