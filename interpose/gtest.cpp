#include <hocket/gtest.hpp>

#include <gtest/gtest-spi.h>

#include <exception>
#include <iostream>
#include <string>

#include <hocket/scheduler/schedule_file.hpp>
#include <hocket/scheduler/settings.hpp>

namespace hocket::testing {

namespace {

/// Takes the results of assertions that are made on logical threads: the failing ones make the execution fail, and the
/// search reports those of one execution. Everything else goes where it would have gone.
class AssertionsOfTheBody final : public ::testing::ScopedFakeTestPartResultReporter {
 public:
  AssertionsOfTheBody() : ScopedFakeTestPartResultReporter(INTERCEPT_ONLY_CURRENT_THREAD, &ignored_) {}

  void ReportTestPartResult(const ::testing::TestPartResult& result) override {
    if (!runtime::is_controlled()) {
      elsewhere_.push_back(result);
      return;
    }
    if (!result.failed()) return;
    const runtime::Where where = runtime::Where::current(
        result.file_name() != nullptr ? result.file_name() : "",
        result.line_number() > 0 ? static_cast<unsigned>(result.line_number()) : 0);
    std::string message = result.message();
    while (!message.empty() && message.back() == '\n') message.pop_back();
    runtime::execution.note_failure(runtime::FailureKind::assertion, std::move(message), where);
  }

  [[nodiscard]] const std::vector<::testing::TestPartResult>& elsewhere() const { return elsewhere_; }

 private:
  ::testing::TestPartResultArray ignored_;
  std::vector<::testing::TestPartResult> elsewhere_;
};

}  // namespace

void run_test(
    const char* suite, const char* name, void (*body)(), const Options& options, runtime::Where where) {
  const auto fail = [&where](const std::string& text) {
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << text;
  };
  const std::string test = std::string(suite) + "." + name;
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
  const std::string text = to_text(report);
  if (report.failed() || (report.verdict == Verdict::stopped && (requires_bound || report.executions == 0))) {
    fail(text);
    return;
  }
  std::cout << text << std::flush;
}

}  // namespace hocket::testing
