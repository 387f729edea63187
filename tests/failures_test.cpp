// What counts as a failure, and the sentence that each one is reported with.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hocket/gtest.hpp>

#include "tests/bodies.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// The first failure of `body`, which must have one.
FoundFailure failure_of(const std::function<void()>& body, const Options& options = exhaustively()) {
  const Report report = explore("failures", body, options);
  EXPECT_EQ(report.verdict, Verdict::failed) << report;
  return report.failures.empty() ? FoundFailure{} : report.failures[0];
}

void expect_to_pass(const std::function<void()>& body, const Options& options = exhaustively()) {
  const Report report = explore("passes", body, options);
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_NE(report.verdict, Verdict::stopped) << report;
}

std::string place(int line) {
  return "failures_test.cpp:" + std::to_string(line);
}

/// Room for an object whose memory outlives it.
template <class T>
class Room {
 public:
  T& make() { return *::new (static_cast<void*>(bytes_)) T; }
  T& object() { return *std::launder(reinterpret_cast<T*>(bytes_)); }

 private:
  alignas(T) std::byte bytes_[sizeof(T)]{};
};

// ---------------------------------------------------------------------------------------------------------------------
// Kinds and sentences

struct Wrong {
  const char* name;
  void (*body)();
  FailureKind kind;
  const char* message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

void throw_in_thread() {
  thread t([] { throw std::runtime_error("out of luck"); });
  t.join();
}
void throw_in_body() {
  throw std::out_of_range("too far");
}
void throw_number() {
  thread t([] { throw 42; });
  t.join();
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
  thread t([&] { m.unlock(); });
  t.join();
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
  thread t([] { std::terminate(); });
  t.join();
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
  thread t([&] { m.lock(); });
  t.join();
}

// clang-format off
const std::vector<Wrong> kWrongs{
    {"ExceptionLeavesThread",         throw_in_thread,       FailureKind::exception, "exception std::runtime_error left thread 1: out of luck"},
    {"ExceptionLeavesBody",           throw_in_body,         FailureKind::exception, "exception std::out_of_range left main: too far"},
    {"NumberIsThrown",                throw_number,          FailureKind::exception, "exception of type int left thread 1"},
    {"FirstOfTwoExceptionsCounts",    throw_in_two_threads,  FailureKind::exception, "exception std::runtime_error left thread 1: the first"},
    {"UnlockOfFreeMutex",             unlock_free_mutex,     FailureKind::misuse, "main unlocks mutex 1, which it does not hold"},
    {"UnlockOfAnothersMutex",         unlock_mutex_of_another, FailureKind::misuse, "thread 1 unlocks the lock, which main holds"},
    {"LockTwice",                     lock_twice,            FailureKind::misuse, "main locks mutex 1, which it holds already"},
    {"LockSharedMutexTwice",          lock_shared_mutex_twice, FailureKind::misuse, "main locks shared mutex 1, which it holds already"},
    {"UnlockSharedNotHeld",           unlock_shared_mutex_not_held, FailureKind::misuse, "main unlocks shared mutex 1, which it does not hold"},
    {"DestroyLockedMutex",            destroy_locked_mutex,  FailureKind::misuse, "main destroys mutex 1 while it is locked"},
    {"DestroySharedMutexInUse",       destroy_shared_mutex_that_is_read, FailureKind::misuse, "main destroys shared mutex 1 while it is locked"},
    {"DestroyConditionWaitedFor",     destroy_condition_that_is_waited_for, FailureKind::misuse, "main destroys condition variable 1 while it is waited for"},
    {"DestroySemaphoreWaitedFor",     destroy_semaphore_that_is_waited_for, FailureKind::misuse, "main destroys semaphore 1 while it is waited for"},
    {"WaitWithoutTheLock",            wait_without_the_lock, FailureKind::misuse, "main waits on condition variable 1 without holding mutex 1"},
    {"WaitWithNoMutex",               wait_with_no_mutex,    FailureKind::misuse, "a wait on a condition variable with a lock that has no mutex"},
    {"ReleaseBeyondMaximum",          release_beyond_maximum, FailureKind::misuse, "main releases semaphore 1 beyond its maximum of 1"},
    {"ExploreInsideExplore",          explore_in_explore,    FailureKind::misuse, "explore() was called inside the body of another explore(); run one after the other"},
    {"ChooseAmongNone",               choose_among_none,     FailureKind::misuse, "choose(0): the number of values must be between 1 and 4096"},
    {"TooManyThreads",                create_257_threads,    FailureKind::misuse, "an execution can have at most 256 threads, and one more was created"},
    {"UseAfterDestruction",           use_after_destruction, FailureKind::use_after_destruction, "main does mutex.lock on mutex 1, which has been destroyed"},
    {"VarIsReadAfterDestruction",     read_var_after_destruction, FailureKind::use_after_destruction, "main uses var 1, which has been destroyed"},
    {"DestroyTwice",                  destroy_twice,         FailureKind::use_after_destruction, "main does destroy on atomic 1, which has been destroyed"},
    {"DestroyedUnderAWaitingThread",  destroy_what_another_thread_is_about_to_use, FailureKind::use_after_destruction, "thread 1 does atomic.load on an object that was destroyed while it was about to"},
    {"UseOfWhatWasNeverMade",         use_what_was_never_made, FailureKind::use_after_destruction, "main does mutex.lock on something that is no object: it was destroyed and its memory used again, or never made"},
    {"JoinableThreadIsDestroyed",     destroy_joinable_thread, FailureKind::joinable_destroyed, "the hocket::thread of thread 1 is destroyed or assigned to before join() or detach()"},
    {"JoinableThreadIsAssignedTo",    assign_to_joinable_thread, FailureKind::joinable_destroyed, "the hocket::thread of thread 1 is destroyed or assigned to before join() or detach()"},
    {"TerminateIsCalled",             call_terminate,        FailureKind::terminate, "std::terminate was called in thread 1"},
    {"ExceptionMeetsNoexcept",        throw_out_of_noexcept, FailureKind::terminate, "std::terminate was called in thread 1, after an exception: not allowed"},
    {"DeadlockOnCondition",           forget_to_notify,      FailureKind::deadlock, "deadlock: no thread can go on\n  main waits for a notification of condition variable 1  at failures_test.cpp:@"},
    {"DeadlockOnAtomic",              wait_for_atomic_for_ever, FailureKind::deadlock, "deadlock: no thread can go on\n  main waits for a notification of atomic 1  at failures_test.cpp:@"},
    {"DeadlockOnSemaphore",           acquire_nothing,       FailureKind::deadlock, "deadlock: no thread can go on\n  main waits for the seats  at failures_test.cpp:@"},
    {"DeadlockOnReader",              upgrade_against_a_reader, FailureKind::deadlock, "deadlock: no thread can go on\n  main waits in join for thread 1 to end  at failures_test.cpp:@\n  thread 1 waits for the map, held shared by main  at failures_test.cpp:@"},
};
// clang-format on

/// The message with '@' for line numbers.
std::string without_lines(const std::string& message) {
  const std::string file = "failures_test.cpp:";
  std::string text;
  for (std::size_t n = 0; n < message.size();) {
    text += message[n++];
    if (!text.ends_with(file)) continue;
    text += '@';
    while (n < message.size() && message[n] >= '0' && message[n] <= '9') ++n;
  }
  return text;
}

class Failures : public ::testing::TestWithParam<Wrong> {};

TEST_P(Failures, AreOfTheirKindAndSayWhatIsWrong) {
  const FoundFailure failure = failure_of(GetParam().body);
  EXPECT_EQ(to_string(failure.kind), to_string(GetParam().kind));
  EXPECT_EQ(without_lines(failure.message), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Failures, ::testing::ValuesIn(kWrongs),
    [](const ::testing::TestParamInfo<Wrong>& row) { return std::string(row.param.name); });

// ---------------------------------------------------------------------------------------------------------------------
// Checks and assertions

TEST(FailedCheck, NamesTheMessageThePlaceTheBoundAndTheExecutionsBefore) {
  int line = 0;
  const Report report = explore(
      "lost update",
      [&] {
        atomic<int> x{0};
        const auto increment = [&] { x.store(x.load() + 1); };
        in_parallel(increment, increment);
        line = __LINE__ + 1;
        check(x.load() == 2, "an increment is lost");
      },
      exhaustively());
  ASSERT_EQ(report.verdict, Verdict::failed);
  ASSERT_EQ(report.failures.size(), 1U);
  const FoundFailure& failure = report.failures[0];
  EXPECT_EQ(failure.kind, FailureKind::check);
  EXPECT_EQ(failure.message, "an increment is lost");
  EXPECT_EQ(failure.where, place(line));
  EXPECT_EQ(failure.bound, 1U);
  EXPECT_EQ(failure.executions, report.executions - 1);
  EXPECT_EQ(report.bounds.at(0).executions, 2U);
  EXPECT_EQ(report.bounds.at(0).failures, 0U);
}

TEST(FailedCheck, EndsItsExecutionThere) {
  bool went_on = false;
  failure_of([&] {
    check(false);
    went_on = true;
  });
  EXPECT_FALSE(went_on);
}

TEST(FailedCheckDeathTest, OutsideAnyBodyPrintsAndAborts) {
  EXPECT_DEATH(check(1 + 1 == 3, "arithmetic"),
      "hocket: check failed outside a body, at .*failures_test.cpp:[0-9]+: arithmetic");
}

void expect_in_a_thread() {
  thread t([] { EXPECT_EQ(1 + 1, 3) << "sums"; });
  t.join();
}
void assert_in_a_thread() {
  thread t([] {
    ASSERT_TRUE(false) << "stop here";
    check(false, "went on");
  });
  t.join();
}
void add_failure_in_the_body() {
  ADD_FAILURE() << "in the body";
}
void expect_in_each_thread() {
  in_parallel(
      [] { EXPECT_TRUE(false) << "the first thread"; }, [] { EXPECT_TRUE(false) << "the second thread"; });
}
void lose_an_increment() {
  atomic<int> x{0};
  const auto increment = [&] { x.store(x.load() + 1); };
  in_parallel(increment, increment);
  EXPECT_EQ(x.load(), 2);
}
void deadlock_in_a_test() {
  atomic<int>(0).wait(0);
}

TEST(Assertions, ThatFailInAnyThreadFailTheTest) {
  EXPECT_FATAL_FAILURE(testing::run_test("A", "Expect", expect_in_a_thread, quietly()), "sums");
  EXPECT_FATAL_FAILURE(testing::run_test("A", "Assert", assert_in_a_thread, quietly()), "stop here");
  EXPECT_FATAL_FAILURE(testing::run_test("A", "Body", add_failure_in_the_body, quietly()), "in the body");
  EXPECT_FATAL_FAILURE(testing::run_test("A", "Both", expect_in_each_thread, quietly()), "the first thread");
}

TEST(Assertions, ReportTheBoundAtWhichTheyFirstFail) {
  EXPECT_FATAL_FAILURE(
      testing::run_test("A", "Lost", lose_an_increment, quietly()), "Found with 1 preemption");
}

TEST(Assertions, AreNotTheOnlyWayToFailATest) {
  EXPECT_FATAL_FAILURE(
      testing::run_test("A", "Deadlock", deadlock_in_a_test, quietly()), "no thread can go on");
}

TEST(Assertions, ThatHoldLetTheTestPass) {
  testing::run_test(
      "A", "Passes",
      [] {
        atomic<int> x{0};
        in_parallel([&] { EXPECT_GE(x.fetch_add(1), 0); }, [&] { ASSERT_LE(x.fetch_add(1), 1); });
        EXPECT_EQ(x.load(), 2);
      },
      exhaustively());
}

HOCKET_TEST(HocketTest, RunsItsBodyUnderEverySchedule) {
  atomic<int> x{0};
  in_parallel([&] { x.fetch_add(1); }, [&] { x.fetch_add(1); });
  EXPECT_EQ(x.load(), 2);
}

HOCKET_TEST_WITH(HocketTest, TakesOptions, {.strategy = "random", .max_executions = 10, .try_saved = false}) {
  ASSERT_LT(choose(3), 3U);
}

TEST(Output, OfTheBodyIsKeptForTheFailingExecutionOnly) {
  const FoundFailure failure = failure_of([] {
    atomic<int> x{0};
    in_parallel([&] { x.store(1); }, [&] { x.store(2); });
    std::printf("x is %d\n", x.load());
    check(x.load() == 2, "the other order");
  });
  EXPECT_EQ(failure.output, "x is 1\n");
}

// ---------------------------------------------------------------------------------------------------------------------
// Deadlocks and livelocks

TEST(Deadlock, SaysWhoWaitsForWhatHeldByWhom) {
  std::array<int, 3> lines{};
  const FoundFailure failure = failure_of([&] {
    mutex accounts;
    mutex journal;
    name(accounts, "accounts");
    name(journal, "journal");
    thread teller([&] {
      name_this_thread("teller");
      const std::lock_guard one(accounts);
      lines[1] = __LINE__ + 1;
      journal.lock();
      journal.unlock();
    });
    thread auditor([&] {
      const std::lock_guard one(journal);
      lines[2] = __LINE__ + 1;
      accounts.lock();
      accounts.unlock();
    });
    name(auditor, "auditor");
    lines[0] = __LINE__ + 1;
    teller.join();
    auditor.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_EQ(failure.bound, 1U);
  EXPECT_EQ(failure.message,
      "deadlock: no thread can go on"
      "\n  main waits in join for teller to end  at " +
          place(lines[0]) + "\n  teller waits for journal, held by auditor  at " + place(lines[1]) +
          "\n  auditor waits for accounts, held by teller  at " + place(lines[2]));
}

TEST(Deadlock, OfANotifiedThreadNamesWhoHoldsTheMutex) {
  const FoundFailure failure = failure_of([] {
    mutex m;
    name(m, "m");
    bool is_waiting = false;
    condition_variable condition;
    thread t([&] {
      std::unique_lock lock(m);
      is_waiting = true;
      condition.wait(lock);
    });
    m.lock();
    assume(is_waiting);
    condition.notify_one();
    t.join();  // with m locked
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_THAT(failure.message,
      HasSubstr("thread 1 waits to take m again, notified by condition variable 1, held by main"));
}

TEST(StepLimit, NamesTheThreadAndTheOperationsThatItRepeats) {
  Options options = quietly();
  options.max_steps = 100;
  std::array<int, 2> lines{};
  const FoundFailure failure = failure_of(
      [&] {
        atomic<bool> ready{false};
        atomic<int> rounds{0};
        name(ready, "ready");
        name(rounds, "rounds");
        thread t([&] {
          name_this_thread("spinner");
          for (;;) {
            lines[0] = __LINE__ + 1;
            if (ready.load()) break;
            lines[1] = __LINE__ + 1;
            rounds.fetch_add(1);
          }
        });
        t.join();
      },
      options);
  EXPECT_EQ(failure.kind, FailureKind::step_limit);
  EXPECT_THAT(failure.message,
      HasSubstr("the execution reached the limit of 100 steps. The same 2 steps come again and again:"));
  EXPECT_THAT(failure.message, HasSubstr("\n  spinner: atomic.load ready  at " + place(lines[0])));
  EXPECT_THAT(failure.message, HasSubstr("\n  spinner: atomic.fetch_add rounds  at " + place(lines[1])));
}

TEST(StepLimit, EndsABodyThatOnlyChooses) {
  Options options = quietly();
  options.max_steps = 50;
  int line = 0;
  const FoundFailure failure = failure_of(
      [&] {
        line = __LINE__ + 1;
        for (;;) choose(2);
      },
      options);
  EXPECT_EQ(failure.kind, FailureKind::step_limit);
  EXPECT_THAT(failure.message,
      HasSubstr(
          "limit of 50 steps. The same step comes again and again:\n  main: choose  at " + place(line)));
}

TEST(StepLimit, LeavesAnExecutionOfExactlyThatManyStepsAlone) {
  const auto ten_steps = [] {  // nine stores and the end of x
    atomic<int> x{0};
    for (int n = 0; n < 9; ++n) x.store(n);
  };
  Options options = quietly();
  options.max_steps = 10;
  expect_to_pass(ten_steps, options);
  options.max_steps = 9;
  EXPECT_EQ(failure_of(ten_steps, options).kind, FailureKind::step_limit);
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads, exceptions and destructors

TEST(Threads, CanBeSixtyFourInOneExecution) {
  Options options = quietly();
  options.strategy = "random";
  options.max_executions = 200;
  expect_to_pass(
      [] {
        atomic<int> x{0};
        mutex m;
        int n = 0;
        in_parallel_each(64, [&](unsigned) {
          x.fetch_add(1);
          const std::lock_guard guard(m);
          ++n;
        });
        check(x.load() == 64 && n == 64);
      },
      options);
}

TEST(Threads, CanBeFortyUnderIcb) {
  Options options = quietly();
  options.max_preemptions = 1;
  options.max_executions = 3000;
  const Report report = explore(
      "forty",
      [] {
        atomic<int> x{0};
        in_parallel_each(40, [&](unsigned) { x.fetch_add(1); });
        check(x.load() == 40);
      },
      options);
  EXPECT_EQ(report.verdict, Verdict::stopped) << report;
  EXPECT_EQ(report.classes, 3000U);
}

TEST(Threads, CanBe255BesideTheBodysOwn) {
  Options options = quietly();
  options.strategy = "random";
  options.max_executions = 20;
  expect_to_pass(
      [] {
        atomic<int> x{0};
        in_parallel_each(255, [&](unsigned) { x.fetch_add(1); });
        check(x.load() == 255);
      },
      options);
}

/// Takes a lock and gives it back when it is destroyed, which is a step each.
class LocksWhenDestroyed {
 public:
  LocksWhenDestroyed(mutex& m, int& count) : mutex_(m), count_(count) {}
  ~LocksWhenDestroyed() {
    const std::lock_guard guard(mutex_);
    ++count_;
  }
  LocksWhenDestroyed(const LocksWhenDestroyed&) = delete;
  LocksWhenDestroyed& operator=(const LocksWhenDestroyed&) = delete;

 private:
  mutex& mutex_;
  int& count_;
};

TEST(Destructors, MayLockWhileAnExceptionUnwindsTheirThread) {
  const Report report = explore(
      "unwinding",
      [] {
        mutex m;
        int count = 0;
        const auto throws = [&] {
          try {
            const LocksWhenDestroyed object(m, count);
            throw std::runtime_error("caught below");
          } catch (const std::runtime_error&) {
            const std::lock_guard guard(m);
            ++count;
          }
        };
        in_parallel(throws, throws);
        check(count == 4);
      },
      exhaustively());
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.classes, 6U);  // C(4, 2) orders of the critical sections
}

TEST(Destructors, MayLockWhileAFailedExecutionIsCleanedUp) {
  Options options = exhaustively();
  options.keep_going = true;
  int count = 0;
  const Report report = explore(
      "cleaning up",
      [&] {
        mutex m;
        atomic<int> x{0};
        const auto fails = [&] {
          const LocksWhenDestroyed object(m, count);
          x.fetch_add(1);
          check(false, "always");
        };
        in_parallel(fails, fails);
      },
      options);
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.classes, 0U);
  EXPECT_EQ(report.abandoned, 0U);
  EXPECT_GE(count, static_cast<int>(report.executions));
}

TEST(Exceptions, BelongToTheThreadThatHandlesThem) {
  const Report report = explore(
      "exceptions",
      [] {
        atomic<int> x{0};
        const auto handles = [&](int number) {
          try {
            x.fetch_add(1);
            throw number;
          } catch (int) {
            check(std::uncaught_exceptions() == 0);
            x.fetch_add(1);
            try {
              try {
                x.fetch_add(1);
                throw;
              } catch (int again) {
                x.fetch_add(1);
                check(again == number, "another thread's exception");
                throw number * 10;
              }
            } catch (int inner) {
              check(inner == number * 10, "another thread's exception");
            }
            try {
              std::rethrow_exception(std::current_exception());
            } catch (int outer) {
              check(outer == number, "another thread's exception");
            }
          }
          check(std::current_exception() == nullptr);
        };
        in_parallel([&] { handles(1); }, [&] { handles(2); });
      },
      exhaustively());
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.executions, 70U);  // C(8, 4)
}

TEST(Exceptions, InFlightAreCountedForTheirThreadOnly) {
  struct CountsInFlight {
    atomic<int>& x;
    int expected;
    ~CountsInFlight() {
      x.fetch_add(1);
      check(std::uncaught_exceptions() == expected, "counts another thread's exception");
    }
  };
  expect_to_pass([] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          try {
            const CountsInFlight in_flight{x, 1};
            throw 1;
          } catch (int) {
          }
        },
        [&] {
          const CountsInFlight none{x, 0};
        });
  });
}

TEST(ASecondFailure, InTheSameExecutionDoesNotCount) {
  const FoundFailure failure = failure_of([] {
    mutex m;
    m.lock();
    check(false, "the first");  // and then m is destroyed while locked
  });
  EXPECT_EQ(failure.kind, FailureKind::check);
  EXPECT_EQ(failure.message, "the first");
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

// ---------------------------------------------------------------------------------------------------------------------
// OS threads

TEST(ASecondOsThreadDeathTest, ThatTouchesAnObjectDuringASearchIsRefused) {
  EXPECT_DEATH(explore(
                   "two OS threads",
                   [] {
                     atomic<int> x{0};
                     std::thread stranger([&] { x.store(1); });
                     stranger.join();
                   },
                   quietly()),
      "an operation on a hocket:: object from an OS thread that is not under control, while a search runs");
}

TEST(ASecondOsThread, ThatExploresDuringASearchIsRefused) {
  std::string message;
  explore(
      "outer",
      [&] {
        std::thread stranger([&] {
          try {
            explore(
                "inner", [] {}, quietly());
          } catch (const std::logic_error& error) {
            message = error.what();
          }
        });
        stranger.join();
      },
      quietly());
  EXPECT_EQ(message,
      "hocket: explore() was called while another search runs in this process; run one after the other");
}

TEST(ASearch, CanRunOnAnyOsThreadInTurn) {
  const auto search = [] { expect_to_pass([] { in_parallel([] { choose(2); }, [] { choose(2); }); }); };
  search();
  std::thread(search).join();
  search();
}

}  // namespace

}  // namespace hocket::test
