// A schedule names lines of the user's code, also for operations that come through the standard library or an
// operator. This file is compiled with debug information.
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>
#include "runtime/diagnosis/source_text.hpp"
#include "runtime/platform/symbols/call_site.hpp"
#include "scheduler/schedules/schedule.hpp"

namespace hocket::tests {
namespace {

using runtime::Operation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string line(int number) {
  return "call_site_test.cpp:" + std::to_string(number);
}

FoundFailure first_failure(const std::function<void()>& body) {
  const Report report = explore("call sites", body, {.try_saved = false, .save_schedules = false});
  return report.failures.empty() ? FoundFailure{} : report.failures.front();
}

/// The places of the steps with this operation, in the order of the schedule.
std::vector<std::string> places(const FoundFailure& failure, Operation operation) {
  std::vector<std::string> found;
  if (failure.schedule == nullptr) return found;
  for (const runtime::RecordedChoice& choice : failure.schedule->choices) {
    if (choice.operation == operation) found.push_back(choice.where);
  }
  return found;
}

TEST(CallSite, OfALockGuardIsWhereItIsMade) {
  int first = 0;
  const FoundFailure failure = first_failure([&] {
    mutex m;
    first = __LINE__;
    const std::lock_guard<mutex> guard(m);
    check(false);
  });
  EXPECT_THAT(places(failure, Operation::mutex_lock), ElementsAre(line(first + 1)));
  EXPECT_EQ(failure.where, line(first + 2));
}

TEST(CallSite, OfAnUnlockByALockGuardIsInTheFunctionThatHasTheGuard) {
  int first = 0;
  const FoundFailure failure = first_failure([&] {
    mutex m;
    {
      first = __LINE__;
      const std::lock_guard<mutex> guard(m);
    }
    check(false);
  });
  const std::vector<std::string> found = places(failure, Operation::mutex_unlock);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0] == line(first + 1) || found[0] == line(first + 2)) << found[0];
}

TEST(CallSite, OfAnOperatorOfAnAtomicIsTheExpression) {
  int first = 0;
  const FoundFailure failure = first_failure([&] {
    atomic<int> x{0};
    first = __LINE__;
    x++;
    x = 1;
    --x;
    x += 2;
    const int seen = x;
    check(seen != 2);
  });
  EXPECT_THAT(places(failure, Operation::atomic_fetch_add), ElementsAre(line(first + 1), line(first + 4)));
  EXPECT_THAT(places(failure, Operation::atomic_store), ElementsAre(line(first + 2)));
  EXPECT_THAT(places(failure, Operation::atomic_fetch_sub), ElementsAre(line(first + 3)));
  EXPECT_THAT(places(failure, Operation::atomic_load), ElementsAre(line(first + 5)));
}

TEST(CallSite, OfAVarAndOfAThreadIsWhereTheyAreUsed) {
  int first = 0;
  const FoundFailure failure = first_failure([&] {
    var<int> x{0};
    first = __LINE__;
    thread t([] { yield(); });
    t.join();
    x = 1;
    check(false);
  });
  ASSERT_NE(failure.schedule, nullptr);
  ASSERT_EQ(failure.schedule->threads.size(), 2U);
  EXPECT_EQ(failure.schedule->threads[1].made_at, line(first + 1));
  std::string notes;
  for (const runtime::RecordedChoice& choice : failure.schedule->choices) {
    for (const std::string& note : choice.notes) notes += note + "\n";
  }
  EXPECT_THAT(notes, HasSubstr("= 1  " + line(first + 3)));
}

TEST(CallSite, IsNamedInADeadlock) {
  int first = 0;
  const FoundFailure failure = first_failure([&] {
    mutex a;
    mutex b;
    thread t([&] {
      first = __LINE__;
      const std::lock_guard<mutex> guard_b(b);
      const std::lock_guard<mutex> guard_a(a);
      yield();
    });
    {
      const std::lock_guard<mutex> guard_a(a);
      const std::lock_guard<mutex> guard_b(b);
      yield();
    }
    t.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_THAT(failure.message, HasSubstr(line(first + 2)));
  EXPECT_THAT(failure.message, HasSubstr(line(first + 7)));
}

TEST(CallSite, OfAMisuseThroughALockGuardIsTheUsersLine) {
  int first = 0;
  const FoundFailure failure = first_failure([&] {
    mutex m;
    const std::lock_guard<mutex> once(m);
    first = __LINE__;
    const std::lock_guard<mutex> twice(m);
    yield();
  });
  EXPECT_EQ(failure.kind, FailureKind::misuse);
  EXPECT_EQ(failure.where, line(first + 1));
}

TEST(CallSite, OfADestructionIsLeftOpen) {
  const FoundFailure failure = first_failure([] {
    { const mutex m; }
    check(false);
  });
  EXPECT_THAT(places(failure, Operation::destroy), ElementsAre(std::string{}));
}

TEST(CallSite, IsTheGivenPlaceWhenThatIsInTheUsersCode) {
  const runtime::Where given = runtime::Where::current("/home/somebody/runtime/x.cpp", 7);
  const runtime::Where found = runtime::platform::user_call_site(given);
  EXPECT_EQ(std::string_view(found.file_name()), given.file_name());
  EXPECT_EQ(found.line(), 7U);
}

TEST(CallSite, IsNeverInTheStandardLibraryNorInHocket) {
  for (const char* file : {"/usr/include/c++/12/bits/std_mutex.h", "/opt/llvm/include/c++/v1/mutex",
           "/usr/include/x86_64-linux-gnu/c++/12/bits/gthr-default.h",
           "/usr/include/x86_64-linux-gnu/bits/poll2.h", "/usr/include/gtest/gtest.h",
           "/home/somebody/googletest/include/gtest/gtest.h",
           "/usr/local/include/hocket/interpose/atomic.hpp", "include/hocket/runtime/execution.hpp",
           "/home/somebody/../../usr/lib/gcc/12/include/xmmintrin.h"}) {
    const int here = __LINE__ + 1;
    const runtime::Where found = runtime::platform::user_call_site(runtime::Where::current(file, 7));
    EXPECT_EQ(runtime::place_of(found), line(here)) << file;
  }
}

TEST(CallSite, IsInAHeaderOfALibraryWhateverFolderThatIsIn) {
  for (const char* file : {"/usr/include/boost/lockfree/queue.hpp", "/usr/local/include/queue.hpp",
           "/usr/include/concurrentqueue/moodycamel/concurrentqueue.h",
           "/usr/include/x86_64-linux-gnu/mpi/mpi.h", "/home/somebody/boost/lockfree/queue.hpp"}) {
    const runtime::Where found = runtime::platform::user_call_site(runtime::Where::current(file, 7));
    EXPECT_EQ(std::string_view(found.file_name()), file);
  }
}

TEST(CallSite, OfAThreadThatIsGivenNoArgumentsNeedsNoDebugInformation) {
  // In a process of its own, without the program that reads it.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("PATH", "/nowhere", 1);
    int here = 0;
    const FoundFailure failure = first_failure([&] {
      here = __LINE__ + 1;
      thread t([] { check(false); });
      t.join();
    });
    _exit(failure.schedule->threads[1].made_at == line(here) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(CallSite, IsUnknownWithoutTheProgramThatReadsDebugInformation) {
  // In a process of its own: whether there is the program is found out once.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("HOCKET_DEBUG_INFO", "/nowhere/hocket-debug-info", 1);
    const runtime::Where nowhere = runtime::Where::current("/usr/include/c++/12/bits/std_mutex.h", 229);
    const bool is_unknown = runtime::platform::user_call_site(nowhere).line() == 0;
    _exit(is_unknown && runtime::platform::user_call_site(nowhere).line() == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace hocket::tests
