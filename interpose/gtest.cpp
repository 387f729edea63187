#include <hocket/gtest.hpp>

#include <gtest/gtest-spi.h>

#include <exception>
#include <iostream>
#include <set>
#include <string>

#include <hocket/runtime/allocations.hpp>
#include <hocket/scheduler/schedule_file.hpp>
#include <hocket/scheduler/settings.hpp>

namespace hocket::testing {

namespace {

bool is_interrupted = false;  ///< Ctrl-C ended a search: those that follow are not begun

/// Takes the results of assertions that are made on logical threads: the failing ones make the execution
/// fail, and the search reports those of one execution.
class AssertionsOfTheBody final : public ::testing::ScopedFakeTestPartResultReporter {
 public:
  AssertionsOfTheBody() : ScopedFakeTestPartResultReporter(mode(), &ignored_) {
    runtime::execution.forget_skipping();
  }

  void ReportTestPartResult(const ::testing::TestPartResult& result) override {
    if (!runtime::is_controlled()) return;
    const runtime::OwnMemory own;
    // In the runtime's hands: what this object keeps may be put back before the next execution.
    if (result.skipped()) runtime::execution.note_skipping(result.message());
    if (!result.failed()) return;
    const runtime::Where where = runtime::Where::current(
        kept(result.file_name()), result.line_number() > 0 ? static_cast<unsigned>(result.line_number()) : 0);
    std::string message = result.message();
    while (!message.empty() && message.back() == '\n') message.pop_back();
    runtime::execution.note_failure(runtime::FailureKind::assertion, std::move(message), where);
  }

 private:
  /// Where logical threads have control blocks of their own, GoogleTest takes them for other threads.
  static InterceptMode mode() {
    return runtime::execution.surroundings != nullptr ? INTERCEPT_ALL_THREADS : INTERCEPT_ONLY_CURRENT_THREAD;
  }

  /// A copy of the name that lives on: a failure outlives the result that tells of it.
  static const char* kept(const char* name) {
    static std::set<std::string> names;
    return name != nullptr ? names.insert(name).first->c_str() : "";
  }

  ::testing::TestPartResultArray ignored_;
};

}  // namespace

bool was_interrupted() {
  return is_interrupted;
}

void run_test(
    const char* suite, const char* name, void (*body)(), const Options& options, runtime::Where where) {
  const auto fail = [&where](const std::string& text) {
    GTEST_FAIL_AT(where.file_name(), static_cast<int>(where.line())) << text;
  };
  const std::string test = std::string(suite) + "." + name;
  if (is_interrupted) GTEST_SKIP() << "not run after Ctrl-C";
  Report report;
  bool requires_bound = options.require_bound;
  try {
    requires_bound = with_settings(options).require_bound;
    const AssertionsOfTheBody assertions;
    report = explore(test, body, options);
  } catch (const std::exception& error) {
    fail(error.what());
    return;
  }
  const bool is_interrupted_now = report.stopped_by == "Ctrl-C";
  is_interrupted |= is_interrupted_now;
  const std::string text = to_text(report);
  if (report.failed() || (report.verdict == Verdict::stopped && (requires_bound || report.executions == 0))) {
    fail(text);
    return;
  }
  if (is_interrupted_now) GTEST_SKIP() << text;  // it has not passed
  if (const std::string* const reason = runtime::execution.reason_to_skip(); reason != nullptr)
    GTEST_SKIP() << *reason;
  std::cout << text << std::flush;
}

}  // namespace hocket::testing
