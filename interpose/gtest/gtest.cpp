// What HOCKET_TEST and HOCKET_MODEL_TEST do: search, and hand the result to GoogleTest.
#include "../include/hocket/gtest.hpp"
#include "../include/hocket/model_gtest.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/ticker.hpp"
#include "../../scheduler/api/text_width.hpp"
#include "../../scheduler/deaths/death_report.hpp"
#include "../../scheduler/existing_tests/first_look.hpp"
#include "../../scheduler/options/settings.hpp"
#include "../../scheduler/options/test_list.hpp"
#include "../../scheduler/process/fresh_start.hpp"
#include "../../scheduler/process/interrupt.hpp"
#include "../../scheduler/report/last_line.hpp"
#include "failed_test.hpp"
#include "interrupted_tests.hpp"
#include "named_searches.hpp"

namespace hocket::testing {

namespace {

using fresh_start::Result;

constinit bool is_any_search_named = false;

/// Does what GTEST_SKIP() does, but at another place in the source.
void skip(const std::string& reason, runtime::Where where) {
  return GTEST_MESSAGE_AT_(
             where.file_name(), static_cast<int>(where.line()), "", ::testing::TestPartResult::kSkip)
         << reason;
}

void tell(const Result& result, runtime::Where where) {
  switch (result.kind) {
    case Result::Kind::failed:
      fail_test(result.text, where.file_name(), static_cast<int>(where.line()));
      break;
    case Result::Kind::skipped:
      skip(result.text, where);
      break;
    case Result::Kind::passed:
      std::cout << result.text << std::flush;
      break;
  }
}

/// The same for a result from before a fresh start, which has been printed.
void tell_again(const Result& result, runtime::Where where) {
  add_outcomes(result.outcomes);
  if (result.kind != Result::Kind::passed) tell(result, where);
}

/// Calls `work` for the test, and keeps its result. An exception means that the test has failed.
Result result_of(const std::string& test, const std::function<Result()>& work) {
  const std::size_t searches_before = outcomes_so_far().size();
  Result result;
  try {
    result = work();
  } catch (const std::exception& error) {
    result = {Result::Kind::failed, error.what()};
  }
  runtime::platform::Ticker::leave();  // GoogleTest warns of threads in a death test that comes next
  result.outcomes = record_of_outcomes(searches_before);
  fresh_start::keep(test, result);
  return result;
}

template <class Report>
Result result_of(const Report& report, bool has_run_nothing, bool requires_bound) {
  const bool is_interrupted = is_interruption(report.stopped_by);
  const bool has_covered_nothing = has_run_nothing && !is_interrupted;
  const bool covers_too_little =
      report.verdict == Verdict::stopped && (requires_bound || has_covered_nothing);
  if (report.failed() || covers_too_little)
    return {Result::Kind::failed, to_text(report, false, columns_of_output())};
  if (is_interrupted)
    return {Result::Kind::skipped, to_text(report, false, columns_of_output())};  // the test has not passed
  return {Result::Kind::passed, to_text(report, false, columns_of_output())};
}

/// The result of a search, or of one that has ended with the process.
Result searched(const std::string& test, const std::function<void()>& body, const Options& options,
    bool& asks_to_be_skipped) {
  const Report report = explore_or_tell_of_death(test, body, options);
  const bool requires_bound = with_settings(options).require_bound;
  const Result result = result_of(report, report.executions == 0, requires_bound);
  const runtime::Skipping* const skipping = runtime::Execution::skipping();
  asks_to_be_skipped = result.kind == Result::Kind::passed && skipping != nullptr;
  return asks_to_be_skipped ? Result{Result::Kind::skipped, skipping->reason} : result;
}

}  // namespace

bool has_named_search() {
  return is_any_search_named;
}

bool name_search(const char* suite, const char* name) {
  list_test(kSearch, std::string(suite) + "." + name);
  is_any_search_named = true;
  return true;
}

bool was_interrupted() {
  return !past_interruption().empty();
}

void run_test(const char* suite, const char* name, const std::function<void()>& body, const Options& options,
    runtime::Where where) {
  const std::string test = std::string(suite) + "." + name;
  leave_first_look_to_search();
  if (was_interrupted()) {
    skip(why_not_run(), where);
    return;
  }
  if (const auto result = fresh_start::take_result(test)) {
    tell_again(*result, where);
    return;
  }
  bool asks_to_be_skipped = false;
  const Result result = result_of(test, [&] { return searched(test, body, options, asks_to_be_skipped); });
  if (!asks_to_be_skipped) tell(result, where);  // otherwise GoogleTest has been told already
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
  leave_first_look_to_search();
  const std::string test = std::string(suite) + "." + name;
  if (was_interrupted()) {
    skip(why_not_run(), where);
    return;
  }
  if (const auto result = fresh_start::take_result(test)) {
    tell_again(*result, where);
    return;
  }
  const fresh_start::Possible possible(false);
  const Result result = result_of(test, [&] {
    const model::Report report = check(test);
    return result_of(report, report.states == 0, requires_bound);
  });
  tell(result, where);
}

}  // namespace hocket::testing
