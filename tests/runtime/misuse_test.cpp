// Objects used against their rules, threads that outlive the body, locks that outlive their holder: each told
// of in one sentence, in some schedule; and what comes close to it passes in all.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <vector>

#include "tests/support/bodies.hpp"
#include "tests/support/expected_failure.hpp"
#include "tests/support/failure_of.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

/// Threads that use an object while main destroys it.
void destroy_mutex_while_another_is_about_to_lock() {
  auto m = std::make_unique<mutex>();
  name(*m, "the lock");
  thread t([&m] { const std::lock_guard guard(*m); });
  m.reset();
  t.join();
}
void destroy_semaphore_that_has_a_permit() {
  auto semaphore = std::make_unique<counting_semaphore<>>(1);
  thread t([&] { semaphore->acquire(); });
  semaphore.reset();
  t.join();
}
void destroy_condition_before_the_notify() {
  mutex m;
  auto condition = std::make_unique<condition_variable>();
  bool done = false;
  thread t([&] {
    {
      const std::lock_guard guard(m);
      done = true;
    }
    condition->notify_one();
  });
  {
    std::unique_lock lock(m);
    condition->wait(lock, [&] { return done; });
  }
  condition.reset();
  t.join();
}
void use_after_another_thread_destroyed() {
  alignas(atomic<int>) std::byte room[sizeof(atomic<int>)];
  auto& gone = *::new (static_cast<void*>(room)) atomic<int>(0);
  thread([&] { gone.~atomic<int>(); }).join();
  check(gone.load() == 0);
}
template <class Condition>
void wait_with_two_mutexes() {
  mutex a;
  mutex b;
  Condition condition;
  bool ready = false;
  const auto wait_with = [&](mutex& m) {
    std::unique_lock lock(m);
    condition.wait(lock, [&] { return ready; });
  };
  thread first([&] { wait_with(a); });
  thread second([&] { wait_with(b); });
  {
    const std::scoped_lock both(a, b);
    ready = true;
  }
  condition.notify_all();
  first.join();
  second.join();
}
void wait_with_recursively_held_mutex() {
  recursive_mutex m;
  condition_variable_any condition;
  bool ready = false;
  thread t([&] {
    const std::lock_guard guard(m);
    ready = true;
    condition.notify_one();
  });
  {
    const std::lock_guard outer(m);
    std::unique_lock inner(m);
    condition.wait(inner, [&] { return ready; });
  }
  t.join();
}
void release_by_a_negative_number() {
  counting_semaphore<5> semaphore{0};
  semaphore.release(-1);
}
void make_with_a_negative_number() {
  const counting_semaphore<5> semaphore{-1};
}
void make_with_too_many() {
  const counting_semaphore<5> semaphore{6};
}
void join_one_thread_twice() {
  atomic<int> x{0};
  thread worker([&] { x.store(1); });
  thread* const same = &worker;
  thread other([same] { same->join(); });
  worker.join();
  other.join();
}

/// Threads that nobody waits for.
void detach_and_forget() {
  auto x = std::make_shared<atomic<int>>(0);
  thread t([x] { x->store(1); });
  t.detach();
}
void detach_and_wait_for_too_little() {
  struct State {
    atomic<bool> begun{false};
    atomic<bool> done{false};
  };
  auto state = std::make_shared<State>();
  thread t([state] {
    state->begun.store(true);
    state->begun.notify_one();
    state->done.store(true);
  });
  t.detach();
  state->begun.wait(false);
}

/// Locks that nobody gives back.
void end_with_a_lock() {
  static mutex m;
  thread([] { m.lock(); }).join();
}
void end_the_body_with_a_lock() {
  static shared_mutex m;
  m.lock_shared();
}
void leave_early_with_a_lock() {
  static recursive_mutex m;
  atomic<int> x{0};
  in_parallel([&] { x.store(1); },
      [&] {
        m.lock();
        m.lock();
        m.unlock();
        if (x.load() == 1) return;
        m.unlock();
      });
}

const std::string kFile = "misuse_test.cpp";

// clang-format off
const std::vector<Wrong> kMisuses{
    {"MutexDestroyedBeforeALock", destroy_mutex_while_another_is_about_to_lock, FailureKind::use_after_destruction, "main destroys the lock at misuse_test.cpp:@ while thread 1 is about to perform mutex.lock on it at misuse_test.cpp:@"},
    {"SemaphoreDestroyedBeforeAnAcquire", destroy_semaphore_that_has_a_permit, FailureKind::use_after_destruction, "main destroys semaphore 1 at misuse_test.cpp:@ while thread 1 is about to perform semaphore.acquire on it at misuse_test.cpp:@"},
    {"ConditionDestroyedBeforeANotify", destroy_condition_before_the_notify, FailureKind::use_after_destruction, "main destroys condition variable 1 at misuse_test.cpp:@ while thread 1 is about to perform condition.notify_one on it at misuse_test.cpp:@"},
    {"UsedAfterAnotherDestroyed", use_after_another_thread_destroyed, FailureKind::use_after_destruction, "main performs atomic.load on atomic 1, which has been destroyed, by thread 1 at misuse_test.cpp:@"},
    {"TwoMutexesAtOneCondition", wait_with_two_mutexes<condition_variable>, FailureKind::misuse, "thread 1 waits on condition variable 1 with mutex 1, while thread 2 waits on it with mutex 2 at misuse_test.cpp:@; all threads that wait at the same time must use the same mutex"},
    {"RecursivelyHeldMutexInAWait", wait_with_recursively_held_mutex, FailureKind::misuse, "main waits on condition variable 1 with recursive mutex 1, which it holds 2 times: the wait releases it once, so that no other thread can lock it"},
    {"NegativeRelease", release_by_a_negative_number, FailureKind::misuse, "main releases semaphore 1 by -1; the number must not be negative"},
    {"NegativePermits", make_with_a_negative_number, FailureKind::misuse, "main creates semaphore 1 with -1 permits; it must have 0 to 5"},
    {"TooManyPermits", make_with_too_many, FailureKind::misuse, "main creates semaphore 1 with 6 permits; it must have 0 to 5"},
    {"TwoJoinOneThread", join_one_thread_twice, FailureKind::misuse, "main joins thread 1, which thread 2 joins at misuse_test.cpp:@ at the same time; only one thread may join another"},
    {"DetachedThreadOutlivesTheBody", detach_and_forget, FailureKind::leak, "the body has ended, but thread 1, made at misuse_test.cpp:@, detached at misuse_test.cpp:@, still runs: it is about to perform atomic.store on atomic 1 at misuse_test.cpp:@. What it uses may be gone by then. Join it, or wait for its end before the body returns, with a semaphore, a latch or a flag"},
    {"DetachedThreadIsWaitedForTooShortly", detach_and_wait_for_too_little, FailureKind::leak, "the body has ended, but thread 1, made at misuse_test.cpp:@, detached at misuse_test.cpp:@, still runs: it is about to perform atomic.store on atomic 2 at misuse_test.cpp:@. What it uses may be gone by then. Join it, or wait for its end before the body returns, with a semaphore, a latch or a flag"},
    {"ThreadEndsWithALock", end_with_a_lock, FailureKind::leak, "thread 1 ends and still holds outer mutex 1, locked at misuse_test.cpp:@ in step 1. Unlock it before the end, or use a std::lock_guard"},
    {"BodyEndsWithALock", end_the_body_with_a_lock, FailureKind::leak, "main ends and still holds outer shared mutex 1, locked at misuse_test.cpp:@ in step 1. Unlock it before the end, or use a std::lock_guard"},
    {"ThreadEndsWithALockInSomeSchedules", leave_early_with_a_lock, FailureKind::leak, "thread 2 ends and still holds outer recursive mutex 1, locked at misuse_test.cpp:@ in step 2. Unlock it before the end, or use a std::lock_guard"},
};
// clang-format on

class Misuse : public ::testing::TestWithParam<Wrong> {};

TEST_P(Misuse, IsFoundAndToldOfInOneSentence) {
  expect_to_fail(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Kinds, Misuse, ::testing::ValuesIn(kMisuses), RowName());

// ---------------------------------------------------------------------------------------------------------------------
// What is right

void wait_for_a_detached_thread() {
  counting_semaphore<> done{0};
  thread t([&] { done.release(); });
  t.detach();
  done.acquire();
}
void wait_for_a_detached_thread_by_a_condition() {
  mutex m;
  condition_variable condition;
  bool done = false;
  thread([&] {
    const std::lock_guard guard(m);
    done = true;
    condition.notify_one();
  }).detach();
  std::unique_lock lock(m);
  condition.wait(lock, [&] { return done; });
}
void detach_a_thread_that_has_ended() {
  counting_semaphore<> ended{0};
  thread t([&] { ended.release(); });
  ended.acquire();
  t.detach();
}
void use_two_mutexes_one_after_the_other() {
  mutex a;
  mutex b;
  condition_variable condition;
  int notified = 0;
  const auto wait_with = [&](mutex& m) {
    bool ready = false;
    thread t([&] {
      const std::lock_guard guard(m);
      ready = true;
      condition.notify_one();
    });
    {
      std::unique_lock lock(m);
      condition.wait(lock, [&] { return ready; });
    }
    t.join();
    ++notified;
  };
  wait_with(a);
  wait_with(b);
  check(notified == 2);
}
void wait_with_a_recursive_mutex_held_once() {
  recursive_mutex m;
  condition_variable_any condition;
  bool ready = false;
  thread t([&] {
    const std::lock_guard outer(m);
    const std::lock_guard inner(m);
    ready = true;
    condition.notify_one();
  });
  {
    std::unique_lock lock(m);
    condition.wait(lock, [&] { return ready; });
  }
  t.join();
}
void destroy_a_condition_for_any_after_the_notification() {
  shared_mutex m;
  auto condition = std::make_unique<condition_variable_any>();
  bool ready = false;
  thread waiter([&] {
    std::shared_lock lock(m);
    while (!ready) condition->wait(lock);
  });
  {
    const std::unique_lock lock(m);
    ready = true;
    condition->notify_all();
    condition.reset();
  }
  waiter.join();
}
void destroy_what_the_others_have_done_with() {
  auto m = std::make_unique<mutex>();
  int left = 2;
  const auto leave = [&] {
    bool is_last = false;
    {
      const std::lock_guard guard(*m);
      is_last = --left == 0;
    }
    if (is_last) m.reset();
  };
  in_parallel(leave, leave);
}
void take_locks_of_every_kind_and_give_them_back() {
  static mutex plain;
  static recursive_mutex recursive;
  static shared_timed_mutex shared;
  const auto work = [] {
    const std::scoped_lock both(plain, recursive);
    const std::lock_guard again(recursive);
    const std::shared_lock reading(shared, std::chrono::milliseconds(1));
  };
  in_parallel(work, work);
}

const std::vector<Right> kRights{
    {"AWaitForADetachedThread", wait_for_a_detached_thread},
    {"AWaitForADetachedThreadByACondition", wait_for_a_detached_thread_by_a_condition},
    {"ADetachedThreadThatHasEnded", detach_a_thread_that_has_ended},
    {"TwoMutexesOneAfterTheOther", use_two_mutexes_one_after_the_other},
    {"TwoMutexesAtAConditionForAny", wait_with_two_mutexes<condition_variable_any>},
    {"ARecursiveMutexHeldOnceInAWait", wait_with_a_recursive_mutex_held_once},
    {"AConditionForAnyDestroyedAfterTheNotification", destroy_a_condition_for_any_after_the_notification},
    {"AMutexDestroyedByTheLastUser", destroy_what_the_others_have_done_with},
    {"LocksOfEveryKind", take_locks_of_every_kind_and_give_them_back},
};

class NoMisuse : public ::testing::TestWithParam<Right> {};

TEST_P(NoMisuse, PassesUnderEverySchedule) {
  for (const char* strategy : {"icb", "cb-por"}) {
    const Report report = explore(GetParam().name, GetParam().body, with(strategy));
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, NoMisuse, ::testing::ValuesIn(kRights), RowName());

TEST(Misuse, IsPassedOverWhenNobodyLooksForIt) {
  Options options = exhaustively();
  options.detect = Detectors().without(Detector::held_locks);
  expect_to_pass(end_with_a_lock, options);
  options.detect = Detectors().without(Detector::detached_threads);
  expect_to_pass(detach_and_forget, options);
}

TEST(ASemaphore, IsMadeWithTheMostPermitsAndReleasedByNone) {
  expect_to_pass([] {
    counting_semaphore<5> semaphore{5};
    semaphore.release(0);
    counting_semaphore<0> none{0};
    check(!none.try_acquire());
  });
}

}  // namespace

}  // namespace hocket::test
