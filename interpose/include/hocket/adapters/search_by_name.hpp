// What the adapters of Catch2 and doctest share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "../../../../scheduler/api/explore.hpp"
#include "../../../../scheduler/api/text_width.hpp"
#include "../../../../scheduler/existing_tests/existing_tests.hpp"
#include "../../../../scheduler/existing_tests/first_look.hpp"
#include "../../../../scheduler/search/last_line.hpp"
#include "../../../../scheduler/search/settings.hpp"

namespace hocket::adapters {

/// Prints what is said beside the output of the framework, which may be for programs to read.
inline void tell(const std::string& text) {
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

/// Explores `body` for the test case `name`: the text of its failure, or an empty text. Throws what explore()
/// does.
inline std::string failure_of(
    const std::string& name, const std::function<void()>& body, const Options& options) {
  leave_first_look_to_search();
  const bool requires_bound = with_settings(options).require_bound;
  const Report report = explore(name, body, options);
  const std::string text = to_text(report, false, columns_of_output());
  const bool has_covered_nothing = report.executions == 0;
  if (report.failed() || (report.verdict == Verdict::stopped && (requires_bound || has_covered_nothing)))
    return text;
  tell(text);
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
