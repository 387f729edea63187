#include "../include/hocket/gtest.hpp"
#include "../include/hocket/model_gtest.hpp"

#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

#include "../../runtime/execution/execution.hpp"
#include "../../scheduler/process/interrupt.hpp"
#include "../../scheduler/search/settings.hpp"

namespace hocket::testing {

namespace {

std::string interruption;  ///< the signal that ended a search, such as "Ctrl-C": later searches are not begun

/// Does what GTEST_SKIP() does, but at another place in the source.
void skip(const std::string& reason, runtime::Where where) {
  return GTEST_MESSAGE_AT_(
             where.file_name(), static_cast<int>(where.line()), "", ::testing::TestPartResult::kSkip)
         << reason;
}

}  // namespace

bool was_interrupted() {
  return !interruption.empty();
}

void run_test(const char* suite, const char* name, const std::function<void()>& body, const Options& options,
    runtime::Where where) {
  const auto fail = [&where](const std::string& text) {
    GTEST_FAIL_AT(where.file_name(), static_cast<int>(where.line())) << text;
  };
  const std::string test = std::string(suite) + "." + name;
  if (was_interrupted()) {
    skip("not run after " + interruption, where);
    return;
  }
  Report report;
  bool requires_bound = options.require_bound;
  try {
    requires_bound = with_settings(options).require_bound;
    report = hocket::explore(test, body, options);
  } catch (const std::exception& error) {
    fail(error.what());
    return;
  }
  if (is_interruption(report.stopped_by)) interruption = report.stopped_by;
  const std::string text = to_text(report);
  if (report.failed() || (report.verdict == Verdict::stopped && (requires_bound || report.executions == 0))) {
    fail(text);
    return;
  }
  if (was_interrupted()) {
    skip(text, where);  // the test has not passed
  } else if (runtime::execution.skipping() == nullptr) {
    std::cout << text << std::flush;
  }
}

void explore(const std::function<void()>& body, const Options& options, runtime::Where where) {
  const ::testing::TestInfo* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) {
    throw std::logic_error(
        "hocket::testing::explore() was called outside of a GoogleTest test; call hocket::explore()");
  }
  run_test(test->test_suite_name(), test->name(), body, options, where);
}

void run_model_test(const char* suite, const char* name,
    const std::function<model::Report(const std::string& test)>& check, bool requires_bound,
    runtime::Where where) {
  const auto fail = [&where](const std::string& text) {
    GTEST_FAIL_AT(where.file_name(), static_cast<int>(where.line())) << text;
  };
  if (was_interrupted()) {
    skip("not run after " + interruption, where);
    return;
  }
  model::Report report;
  try {
    report = check(std::string(suite) + "." + name);
  } catch (const std::exception& error) {
    fail(error.what());
    return;
  }
  if (is_interruption(report.stopped_by)) interruption = report.stopped_by;
  const std::string text = to_text(report);
  if (report.failed() || (report.verdict == Verdict::stopped && (requires_bound || report.states == 0))) {
    fail(text);
  } else if (was_interrupted()) {
    skip(text, where);  // the test has not passed
  } else {
    std::cout << text << std::flush;
  }
}

}  // namespace hocket::testing
