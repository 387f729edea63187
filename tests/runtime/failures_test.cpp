// What counts as a failure, and the sentence that each one is reported with.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <pthread.h>

#include "tests/support/bodies.hpp"
#include "tests/support/expected_failure.hpp"
#include "tests/support/failure_of.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

/// Room for an object whose memory outlives it.
template <class T>
class Room {
 public:
  T& make() { return *::new (static_cast<void*>(bytes_)) T; }
  T& object() { return *std::launder(reinterpret_cast<T*>(bytes_)); }

 private:
  alignas(T) std::byte bytes_[sizeof(T)]{};
};

void throw_in_thread() {
  thread([] { throw std::runtime_error("out of luck"); }).join();
}
void throw_in_body() {
  throw std::out_of_range("too far");
}
void throw_text() {
  thread([] { throw std::string("out of words"); }).join();
}
void throw_nothing_to_say() {
  thread([] { throw std::runtime_error(""); }).join();
}
void leave_by_pthread_exit() {
  thread([] { pthread_exit(nullptr); }).join();
}
void throw_under_a_lock() {
  mutex m;
  const std::lock_guard guard(m);
  throw std::runtime_error("out of luck");
}
void throw_number() {
  thread([] { throw 42; }).join();
}
void throw_in_two_threads() {
  atomic<int> x{0};
  thread first([&] {
    x.store(1);
    throw std::runtime_error("the first");
  });
  thread second([&] {
    x.store(2);
    throw std::runtime_error("the second");
  });
  first.join();
  second.join();
}
void unlock_free_mutex() {
  mutex m;
  m.unlock();
}
void unlock_mutex_of_another() {
  mutex m;
  name(m, "the lock");
  m.lock();
  thread([&] { m.unlock(); }).join();
  m.unlock();
}
void lock_twice() {
  mutex m;
  m.lock();
  m.lock();
}
void lock_shared_mutex_twice() {
  shared_mutex m;
  m.lock_shared();
  m.lock();
}
void unlock_shared_mutex_not_held() {
  shared_mutex m;
  m.unlock_shared();
}
void unlock_alone_what_is_shared() {
  shared_mutex m;
  m.lock_shared();
  m.unlock();
}
void unlock_shared_what_is_alone() {
  shared_mutex m;
  m.lock();
  m.unlock_shared();
}
void destroy_locked_mutex() {
  mutex m;
  m.lock();
}
void destroy_shared_mutex_that_is_read() {
  shared_mutex m;
  m.lock_shared();
}
void destroy_condition_that_is_waited_for() {
  mutex m;
  bool is_waiting = false;
  auto condition = std::make_unique<condition_variable>();
  thread t([&] {
    std::unique_lock lock(m);
    is_waiting = true;
    condition->wait(lock);
  });
  {
    const std::lock_guard guard(m);
    assume(is_waiting);
  }
  condition.reset();
  t.join();
}
void destroy_semaphore_that_is_waited_for() {
  auto semaphore = std::make_unique<counting_semaphore<>>(0);
  thread t([&] { semaphore->acquire(); });
  semaphore.reset();
  t.join();
}
void use_after_destruction() {
  Room<mutex> room;
  room.make().~mutex();
  room.object().lock();
}
void read_var_after_destruction() {
  Room<var<int>> room;
  room.make().~var<int>();
  check(room.object().get() == 0);
}
void destroy_twice() {
  Room<atomic<int>> room;
  room.make().~atomic<int>();
  room.object().~atomic<int>();
}
void destroy_what_another_thread_is_about_to_use() {
  Room<atomic<int>> room;
  room.make();
  thread t([&] { room.object().load(); });
  room.object().~atomic<int>();
  t.join();
}
void use_what_was_never_made() {
  Room<mutex> room;
  room.object().lock();
}
void throw_past_a_joinable_thread() {
  thread t([] {});
  throw std::out_of_range("too far");
}
void destroy_joinable_thread() {
  thread t([] {});
}
void assign_to_joinable_thread() {
  thread t([] {});
  t = thread([] {});
  t.join();
}
void wait_without_the_lock() {
  mutex m;
  condition_variable condition;
  std::unique_lock lock(m, std::adopt_lock);
  condition.wait(lock);
}
void wait_with_no_mutex() {
  condition_variable condition;
  std::unique_lock<mutex> lock;
  condition.wait(lock);
}
void release_beyond_maximum() {
  binary_semaphore semaphore{1};
  semaphore.release();
}
void explore_in_explore() {
  explore(
      "inner", [] {}, quietly());
}
void choose_among_none() {
  choose(0);
}
void call_terminate() {
  thread([] { std::terminate(); }).join();
}
void throw_not_allowed() {
  throw std::runtime_error("not allowed");
}
void throw_out_of_noexcept() {
  thread t([]() noexcept { throw_not_allowed(); });  // NOLINT(bugprone-exception-escape): the point
  t.join();
}
void create_257_threads() {
  in_parallel_each(256, [](unsigned) {});
}
void forget_to_notify() {
  mutex m;
  condition_variable condition;
  std::unique_lock lock(m);
  condition.wait(lock);
}
void wait_for_atomic_for_ever() {
  atomic<int> x{0};
  x.wait(0);
}
void acquire_nothing() {
  counting_semaphore<> semaphore{0};
  name(semaphore, "the seats");
  semaphore.acquire();
}
void upgrade_against_a_reader() {
  shared_mutex m;
  name(m, "the map");
  m.lock_shared();
  thread([&] { m.lock(); }).join();
}

// clang-format off
const std::vector<Wrong> kFailures{
    {"ExceptionLeavesThread",         throw_in_thread,       FailureKind::exception, "exception std::runtime_error left thread 1: out of luck"},
    {"ExceptionLeavesBody",           throw_in_body,         FailureKind::exception, "exception std::out_of_range left main: too far"},
    {"NumberIsThrown",                throw_number,          FailureKind::exception, "exception of type int left thread 1"},
    {"TextIsThrown",                  throw_text,            FailureKind::exception, "exception of type std::string left thread 1: out of words"},
    {"ExceptionSaysNothing",          throw_nothing_to_say,  FailureKind::exception, "exception std::runtime_error left thread 1"},
    {"DestructorsAreNoLastOperation", throw_under_a_lock,    FailureKind::exception, "exception std::runtime_error left main: out of luck; its last operation was mutex.lock on mutex 1 at failures_test.cpp:@"},
    {"FirstOfTwoExceptionsCounts",    throw_in_two_threads,  FailureKind::exception, "exception std::runtime_error left thread 1: the first; its last operation was atomic.store on atomic 1 at failures_test.cpp:@"},
    {"UnlockOfFreeMutex",             unlock_free_mutex,     FailureKind::misuse, "main unlocks mutex 1, which it does not hold"},
    {"UnlockOfAnothersMutex",         unlock_mutex_of_another, FailureKind::misuse, "thread 1 unlocks the lock, which main holds, locked at failures_test.cpp:@"},
    {"LockTwice",                     lock_twice,            FailureKind::misuse, "main locks mutex 1, which it holds already, locked at failures_test.cpp:@"},
    {"LockSharedMutexTwice",          lock_shared_mutex_twice, FailureKind::misuse, "main locks shared mutex 1, which it holds already, locked at failures_test.cpp:@"},
    {"UnlockSharedNotHeld",           unlock_shared_mutex_not_held, FailureKind::misuse, "main unlocks shared mutex 1, which it does not hold"},
    {"UnlockAloneWhatIsShared",       unlock_alone_what_is_shared, FailureKind::misuse, "main unlocks shared mutex 1, which it holds in shared mode, locked at failures_test.cpp:@; unlock it with unlock_shared() or use a std::shared_lock"},
    {"UnlockSharedWhatIsAlone",       unlock_shared_what_is_alone, FailureKind::misuse, "main unlocks shared mutex 1, which it holds in exclusive mode, locked at failures_test.cpp:@; unlock it with unlock() or use a std::lock_guard"},
    {"DestroyLockedMutex",            destroy_locked_mutex,  FailureKind::misuse, "main destroys mutex 1 while it is locked, by main at failures_test.cpp:@"},
    {"DestroySharedMutexInUse",       destroy_shared_mutex_that_is_read, FailureKind::misuse, "main destroys shared mutex 1 while it is locked, by main at failures_test.cpp:@"},
    {"DestroyConditionWaitedFor",     destroy_condition_that_is_waited_for, FailureKind::misuse, "main destroys condition variable 1 while it is waited for"},
    {"DestroySemaphoreWaitedFor",     destroy_semaphore_that_is_waited_for, FailureKind::misuse, "main destroys semaphore 1 while it is waited for"},
    {"WaitWithoutTheLock",            wait_without_the_lock, FailureKind::misuse, "main waits on condition variable 1 without holding mutex 1"},
    {"WaitWithNoMutex",               wait_with_no_mutex,    FailureKind::misuse, "main waits on condition variable 1 with a lock that has no mutex"},
    {"ReleaseBeyondMaximum",          release_beyond_maximum, FailureKind::misuse, "main releases semaphore 1 beyond its maximum of 1"},
    {"ExploreInsideExplore",          explore_in_explore,    FailureKind::misuse, "explore() was called inside the body of another explore(); run one after the other"},
    {"ChooseAmongNone",               choose_among_none,     FailureKind::misuse, "choose(0): the number of values must be between 1 and 4096"},
    {"TooManyThreads",                create_257_threads,    FailureKind::misuse, "an execution can have at most 256 threads, and one more was created"},
    {"UseAfterDestruction",           use_after_destruction, FailureKind::use_after_destruction, "main performs mutex.lock on mutex 1, which has been destroyed, by main at failures_test.cpp:@"},
    {"VarIsReadAfterDestruction",     read_var_after_destruction, FailureKind::use_after_destruction, "main uses var 1, which has been destroyed, by main at failures_test.cpp:@"},
    {"DestroyTwice",                  destroy_twice,         FailureKind::use_after_destruction, "main performs destroy on atomic 1, which has been destroyed, by main at failures_test.cpp:@"},
    {"DestroyedUnderAWaitingThread",  destroy_what_another_thread_is_about_to_use, FailureKind::use_after_destruction, "main destroys atomic 1 at failures_test.cpp:@ while thread 1 is about to perform atomic.load on it at failures_test.cpp:@"},
    {"UseOfWhatWasNeverMade",         use_what_was_never_made, FailureKind::use_after_destruction, "main performs mutex.lock on an invalid object: it was destroyed and its memory reused, or it was never constructed"},
    {"JoinableThreadIsDestroyed",     destroy_joinable_thread, FailureKind::joinable_destroyed, "the hocket::thread of thread 1 is destroyed or assigned to before join() or detach()"},
    {"JoinableThreadMeetsAnException", throw_past_a_joinable_thread, FailureKind::joinable_destroyed, "the hocket::thread of thread 1 is destroyed or assigned to before join() or detach(), while an exception propagates: catch it earlier, or join in a destructor\nIt is the exception std::out_of_range: too far"},
    {"JoinableThreadIsAssignedTo",    assign_to_joinable_thread, FailureKind::joinable_destroyed, "the hocket::thread of thread 1 is destroyed or assigned to before join() or detach()"},
    {"PthreadExitIsCalled",           leave_by_pthread_exit, FailureKind::terminate, "thread 1 called pthread_exit(): a thread of a test has to return"},
    {"TerminateIsCalled",             call_terminate,        FailureKind::terminate, "std::terminate was called in thread 1"},
    {"ExceptionMeetsNoexcept",        throw_out_of_noexcept, FailureKind::terminate, "std::terminate was called in thread 1, after an exception std::runtime_error: not allowed"},
    {"DeadlockOnCondition",           forget_to_notify,      FailureKind::deadlock, "deadlock: no thread can continue\n  main waits for a notification of condition variable 1 since step 2 at failures_test.cpp:@; it was never notified\nThe code that changes what is waited for has to call notify_one or notify_all of the same object afterwards"},
    {"DeadlockOnAtomic",              wait_for_atomic_for_ever, FailureKind::deadlock, "deadlock: no thread can continue\n  main waits for a notification of atomic 1 since step 1 at failures_test.cpp:@; it was never notified\nThe code that changes what is waited for has to call notify_one or notify_all of the same object afterwards"},
    {"DeadlockOnSemaphore",           acquire_nothing,       FailureKind::deadlock, "deadlock: no thread can continue\n  main waits for the seats at failures_test.cpp:@; its count is 0, never released"},
    {"DeadlockOnReader",              upgrade_against_a_reader, FailureKind::deadlock, "deadlock: no thread can continue\n  main waits in join for thread 1 to end since step 1 at failures_test.cpp:@\n  thread 1 waits for the map at failures_test.cpp:@; main holds it in shared mode\nmain and thread 1 wait for each other; release a mutex before joining a thread that takes it"},
};
// clang-format on

class Failures : public ::testing::TestWithParam<Wrong> {};

TEST_P(Failures, AreOfTheirKindAndSayWhatIsWrong) {
  expect_to_fail(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Kinds, Failures, ::testing::ValuesIn(kFailures), RowName());

TEST(ASecondFailure, InTheSameExecutionDoesNotCount) {
  const std::string message = message_of(FailureKind::check, [] {
    mutex m;
    m.lock();
    check(false, "the first");  // and then m is destroyed while locked
  });
  EXPECT_EQ(message, "the first");
}

TEST(DistinctFailures, AreReportedOnceEachWhenTheSearchKeepsGoing) {
  Options options = exhaustively();
  options.keep_going = true;
  const Report report = explore(
      "three ways",
      [] {
        switch (choose(4)) {
          case 0:
            check(false, "zero");
            break;
          case 1:
            throw std::runtime_error("one");
          case 2:
            atomic<int>(0).wait(0);
            break;
          default:
            break;
        }
      },
      options);
  EXPECT_EQ(report.verdict, Verdict::failed);
  ASSERT_EQ(report.failures.size(), 3U) << report;
  EXPECT_EQ(report.executions, 4U);
  EXPECT_EQ(report.classes, 1U);
  EXPECT_EQ(report.failed_classes, 3U);
}

TEST(DistinctFailures, AreExceptionsOfTwoTypesOrOutOfTwoFunctions) {
  Options options = exhaustively();
  options.keep_going = true;
  const Report report = explore(
      "three exceptions",
      [] {
        atomic<int> x{0};
        const unsigned kind = choose(2);
        const auto throws = [&] {
          x.store(1);
          if (kind == 0) throw std::runtime_error("one");
          throw std::logic_error("other");
        };
        in_parallel(throws, throws, [&] {
          x.store(2);
          throw std::logic_error("third");
        });
      },
      options);
  EXPECT_EQ(report.failures.size(), 3U) << report;
}

TEST(AReport, CountsOneScheduleInTheSingular) {
  const Report report = explore(
      "one before",
      [] {
        counting_semaphore<> seats(0);
        thread t([&] {
          this_thread::sleep_for(std::chrono::milliseconds(5));
          seats.release();
        });
        check(seats.try_acquire_for(std::chrono::milliseconds(10)), "none in time");
        t.join();
      },
      quietly());
  ASSERT_TRUE(report.failed());
  EXPECT_NE(to_text(report).find("The one schedule with fewer preemptions passed."), std::string::npos)
      << report;
}

}  // namespace

}  // namespace hocket::test
