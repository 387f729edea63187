// GoogleTest's assertions in a body: those that fail make the execution fail, whether the search is
// that of HOCKET_TEST or of explore().
//
// GoogleTest reports them with mutexes of its own, which are none of the body's: in instrumented code each
// operation on one would be a step. So would those of SCOPED_TRACE, whose texts it keeps for each thread of
// the system, which is the same for all logical threads. So the linker's options --wrap (CMakeLists.txt)
// bring the calls of AssertHelper::operator=, of ScopedTrace::PushTrace and of ScopedTrace's destructor here.
// That also is why this file is in each program that asserts something.
#include <gtest/gtest.h>

#include <gtest/gtest-spi.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../scheduler/api/explore.hpp"
#include "test_scopes.hpp"

using ::testing::Message;
using ::testing::ScopedTrace;
using ::testing::internal::AssertHelper;

namespace hocket::testing {

namespace {

/// The message with the scopes in which the assertion stands, as GoogleTest writes it.
Message with_scopes(const Message& message, const std::string& scopes) {
  const std::string text = message.GetString();
  return Message() << text << (text.empty() ? "" : "\n") << "Google Test trace:\n" << scopes;
}

/// Takes the results of assertions that are made on logical threads: the failing ones make the execution
/// fail, and the search reports those of one execution.
class AssertionsOfTheBody final : public ::testing::ScopedFakeTestPartResultReporter {
 public:
  AssertionsOfTheBody() : ScopedFakeTestPartResultReporter(mode(), &ignored_) {}

  void ReportTestPartResult(const ::testing::TestPartResult& result) override {
    if (!runtime::is_controlled()) return;
    const runtime::OwnMemory own;
    // In the runtime's hands: what this object keeps may be put back before the next execution.
    const runtime::Where where = runtime::Where::current(
        kept(result.file_name()), result.line_number() > 0 ? static_cast<unsigned>(result.line_number()) : 0);
    if (result.skipped()) runtime::execution.note_skipping(result.message(), where);
    if (!result.failed()) return;
    std::string message = result.message();
    while (!message.empty() && message.back() == '\n') message.pop_back();
    runtime::execution.note_failure(runtime::FailureKind::assertion, message, where);
  }

 private:
  /// Where logical threads have control blocks of their own, GoogleTest takes them for other threads.
  static InterceptMode mode() {
    return runtime::execution.host != nullptr ? INTERCEPT_ALL_THREADS : INTERCEPT_ONLY_CURRENT_THREAD;
  }

  /// A copy of the name that lives on: a failure outlives the result that tells of it.
  static const char* kept(const char* name) {
    static std::set<std::string> names;
    return name != nullptr ? names.insert(name).first->c_str() : "";
  }

  ::testing::TestPartResultArray ignored_;
};

/// As long as a search runs. If its body wants to be skipped, so is the test that made the search.
class Listening {
 public:
  Listening() { runtime::execution.forget_skipping(); }
  ~Listening() {
    assertions_.reset();  // GoogleTest takes results itself again
    const runtime::Skipping* const skipping = runtime::execution.skipping();
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
