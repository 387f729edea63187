// Makes GoogleTest's assertions work in a body: a failing assertion makes the execution fail, in a search by
// HOCKET_TEST and in one by explore().
//
// GoogleTest reports assertions with mutexes of its own, which do not belong to the body: in instrumented
// code each operation on such a mutex would be a step. The same holds for SCOPED_TRACE, whose texts
// GoogleTest keeps for each OS thread, while all logical threads share one OS thread. Therefore the linker
// option --wrap (CMakeLists.txt) redirects the calls of AssertHelper::operator=, of ScopedTrace::PushTrace
// and of ScopedTrace's destructor to this file. That is also why this file is part of every program that
// contains assertions.
#include <gtest/gtest.h>

#include <gtest/gtest-spi.h>

#include <memory>
#include <string>
#include <utility>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../scheduler/api/explore.hpp"
#include "../../scheduler/existing_tests/assertions.hpp"
#include "../../scheduler/process/fresh_start.hpp"
#include "all_tests.hpp"
#include "continued_output.hpp"
#include "interrupted_tests.hpp"
#include "results_in_body.hpp"

using ::testing::Message;
using ::testing::ScopedTrace;
using ::testing::internal::AssertHelper;

namespace hocket::testing {

namespace {

/// The message followed by the scopes that contain the assertion, in GoogleTest's format.
Message with_scopes(const Message& message, const std::string& scopes) {
  const std::string text = message.GetString();
  return Message() << text << (text.empty() ? "" : "\n") << "Google Test trace:\n" << scopes;
}

/// Receives the results of the assertions made on logical threads. A failing assertion makes the execution
/// fail, and the search reports the failures of one execution.
class AssertionsOfTheBody final : public ::testing::ScopedFakeTestPartResultReporter {
 public:
  AssertionsOfTheBody() : ScopedFakeTestPartResultReporter(mode(), &ignored_) {}

  void ReportTestPartResult(const ::testing::TestPartResult& result) override {
    if (!runtime::is_controlled()) return;
    const runtime::OwnMemory own;
    note_result(result);
    if (result.skipped()) note_skipping(result.message(), result.file_name(), result.line_number());
    if (result.failed()) note_failed_assertion(result.message(), result.file_name(), result.line_number());
  }

 private:
  /// Where logical threads have thread control blocks of their own, GoogleTest takes them for different
  /// threads.
  static InterceptMode mode() {
    return runtime::run.host != nullptr ? INTERCEPT_ALL_THREADS : INTERCEPT_ONLY_CURRENT_THREAD;
  }

  ::testing::TestPartResultArray ignored_;
};

/// Exists as long as a search runs. If the body asked to be skipped, the test that made the search is
/// skipped.
class Listening {
 public:
  Listening() { runtime::Verdict::forget_skipping(); }
  ~Listening() {
    assertions_.reset();  // from here on GoogleTest receives results itself again
    const runtime::Skipping* const skipping = runtime::Execution::skipping();
    if (skipping == nullptr) return;
    const runtime::Where where = skipping->where;
    GTEST_MESSAGE_AT_(where.file_name(), static_cast<int>(where.line()), "", ::testing::TestPartResult::kSkip)
        << skipping->reason;
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  std::unique_ptr<AssertionsOfTheBody> assertions_ = std::make_unique<AssertionsOfTheBody>();
};

[[maybe_unused]] const bool is_listening = [] {
  listen_to_assertions = []() -> std::shared_ptr<void> { return std::make_shared<Listening>(); };
  skip_tests_after_interruption();
  search_all_tests_if_asked();
  continue_output();
  return true;
}();

}  // namespace

}  // namespace hocket::testing

extern "C" {

void __real__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(
    const AssertHelper* self, const Message& message);
void __wrap__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(
    const AssertHelper* self, const Message& message);

void __wrap__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(
    const AssertHelper* self, const Message& message) {
  if (!hocket::runtime::is_controlled()) {
    __real__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(self, message);
    return;
  }
  const hocket::runtime::OwnMemory own;
  const std::string scopes = hocket::test_scopes();
  __real__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(
      self, scopes.empty() ? message : hocket::testing::with_scopes(message, scopes));
}

void __real__ZN7testing11ScopedTrace9PushTraceEPKciNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    ScopedTrace* self, const char* file, int line, std::string text);
void __wrap__ZN7testing11ScopedTrace9PushTraceEPKciNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    ScopedTrace* self, const char* file, int line, std::string text);

void __wrap__ZN7testing11ScopedTrace9PushTraceEPKciNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    ScopedTrace* self, const char* file, int line, std::string text) {
  if (!hocket::runtime::is_controlled()) {
    __real__ZN7testing11ScopedTrace9PushTraceEPKciNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
        self, file, line, std::move(text));
    return;
  }
  const hocket::runtime::OwnMemory own;
  hocket::enter_test_scope(::testing::internal::FormatFileLocation(file, line) + " " + text);
}

void __real__ZN7testing11ScopedTraceD1Ev(ScopedTrace* self);
void __wrap__ZN7testing11ScopedTraceD1Ev(ScopedTrace* self);

void __wrap__ZN7testing11ScopedTraceD1Ev(ScopedTrace* self) {
  if (hocket::runtime::is_controlled()) {
    hocket::leave_test_scope();
  } else {
    __real__ZN7testing11ScopedTraceD1Ev(self);
  }
}

}  // extern "C"
