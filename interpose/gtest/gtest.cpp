#include "../include/hocket/gtest.hpp"
#include "../include/hocket/model_gtest.hpp"

#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

#include "../../runtime/execution/execution.hpp"
#include "../../scheduler/existing_tests/first_look.hpp"
#include "../../scheduler/process/interrupt.hpp"
#include "../../scheduler/search/settings.hpp"
#include "../../scheduler/search/test_list.hpp"
#include "interrupted_tests.hpp"

namespace hocket::testing {

namespace {

/// Does what GTEST_SKIP() does, but at another place in the source.
void skip(const std::string& reason, runtime::Where where) {
  return GTEST_MESSAGE_AT_(
             where.file_name(), static_cast<int>(where.line()), "", ::testing::TestPartResult::kSkip)
         << reason;
}

}  // namespace

bool name_search(const char* suite, const char* name) {
  list_test(kSearch, std::string(suite) + "." + name);
  return true;
}

bool was_interrupted() {
  return !past_interruption().empty();
}

void run_test(const char* suite, const char* name, const std::function<void()>& body, const Options& options,
    runtime::Where where) {
  const auto fail = [&where](const std::string& text) {
    GTEST_FAIL_AT(where.file_name(), static_cast<int>(where.line())) << text;
  };
  const std::string test = std::string(suite) + "." + name;
  leave_first_look_to_search();
  if (was_interrupted()) {
    skip(why_not_run(), where);
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
  const std::string text = to_text(report);
  const bool is_interrupted = is_interruption(report.stopped_by);
  const bool has_covered_nothing = report.executions == 0 && !is_interrupted;
  if (report.failed() || (report.verdict == Verdict::stopped && (requires_bound || has_covered_nothing))) {
    fail(text);
    return;
  }
  if (is_interrupted) {
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
  leave_first_look_to_search();
  if (was_interrupted()) {
    skip(why_not_run(), where);
    return;
  }
  model::Report report;
  try {
    report = check(std::string(suite) + "." + name);
  } catch (const std::exception& error) {
    fail(error.what());
    return;
  }
  const std::string text = to_text(report);
  const bool is_interrupted = is_interruption(report.stopped_by);
  const bool has_covered_nothing = report.states == 0 && !is_interrupted;
  if (report.failed() || (report.verdict == Verdict::stopped && (requires_bound || has_covered_nothing))) {
    fail(text);
  } else if (is_interrupted) {
    skip(text, where);  // the test has not passed
  } else {
    std::cout << text << std::flush;
  }
}

}  // namespace hocket::testing
