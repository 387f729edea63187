// std::lock and std::scoped_lock: threads that name the same locks in different orders do not hold each other
// up for ever, in any search.
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <system_error>
#include <thread>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(StandardLock, TakesLocksInOppositeOrdersInAllSchedulesThereAre) {
  explored_everywhere([] {
    std::mutex a;
    std::mutex b;
    int both = 0;
    in_parallel(
        [&] {
          std::lock(a, b);
          ++both;
          a.unlock();
          b.unlock();
        },
        [&] {
          const std::scoped_lock held(b, a);
          ++both;
        });
    check(both == 2, "they were not alone");
  });
}

Options all_classes() {
  return with("cb-por");
}

TEST(StandardLock, TakesLocksOfAllKinds) {
  const auto body = [] {
    std::recursive_mutex a;
    std::recursive_mutex b;
    std::shared_mutex c;
    std::shared_mutex d;
    in_parallel(
        [&] {
          std::unique_lock first(a, std::defer_lock);
          std::unique_lock second(b, std::defer_lock);
          std::lock(first, second);
        },
        [&] { const std::scoped_lock held(b, a, c); }, [&] { const std::scoped_lock held(d, c); });
  };
  EXPECT_EQ(explored(body, all_classes()).verdict, Verdict::passed_exhaustively);
}

TEST(StandardLock, LetsAllPhilosophersEat) {
  const auto body = [] {
    std::mutex forks[3];
    const auto eat = [&](int n) { const std::scoped_lock held(forks[n], forks[(n + 1) % 3]); };
    in_parallel([=] { eat(0); }, [=] { eat(1); }, [=] { eat(2); });
  };
  EXPECT_EQ(explored(body, all_classes()).verdict, Verdict::passed_exhaustively);
}

TEST(StandardLock, CanBeSeenToHoldOneLockBeforeItHasAll) {
  expect_failure(FailureKind::check, 1, "only one", [] {
    std::mutex a;
    std::mutex b;
    std::thread other([&] { const std::scoped_lock both(a, b); });
    const bool first_is_held = !a.try_lock();
    const bool second_is_held = !b.try_lock();
    if (!first_is_held) a.unlock();
    if (!second_is_held) b.unlock();
    check(first_is_held == second_is_held, "only one");
    other.join();
  });
}

TEST(StandardLock, SaysWhatATryDoesNotMeet) {
  const auto body = [](bool tries) {
    return [tries] {
      std::mutex a;
      std::mutex b;
      in_parallel([&] { const std::scoped_lock both(a, b); }, [&] { const std::scoped_lock both(b, a); },
          [&] {
            if (!tries) a.lock();
            if (!tries || a.try_lock()) a.unlock();
          });
    };
  };
  EXPECT_EQ(explored(body(false), all_classes()).note, "");
  EXPECT_NE(explored(body(true), all_classes()).note.find("a try_lock at standard_lock_test.cpp:"),
      std::string::npos);
}

/// A lock of the program, which can see how often it is tried.
struct LockThatCounts {
  std::mutex mutex;
  int tries = 0;
  void lock() { mutex.lock(); }
  bool try_lock() {
    const bool is_taken = mutex.try_lock();
    ++tries;
    return is_taken;
  }
  void unlock() { mutex.unlock(); }
};

template <class Lock>
std::uint64_t classes_within_three_preemptions() {
  Options options = all_classes();
  options.max_preemptions = 3;
  options.detect = Detectors().without(Detector::races);
  return explored(options, [] {
    Lock a;
    Lock b;
    in_parallel([&] { const std::scoped_lock both(a, b); }, [&] { const std::scoped_lock both(b, a); });
  }).classes;
}

TEST(StandardLock, OfLocksOfTheProgramMakesAllItsAttempts) {
  EXPECT_EQ(classes_within_three_preemptions<LockThatCounts>(), 12U);
  EXPECT_EQ(classes_within_three_preemptions<std::mutex>(), 10U);
}

TEST(StandardLock, GivesBackWhatItHasWhenALockThrows) {
  explored([] {
    std::mutex a;
    std::unique_lock first(a, std::defer_lock);
    std::unique_lock<std::mutex> none;
    EXPECT_THROW(std::lock(first, none), std::system_error);
    check(!first.owns_lock() && a.try_lock(), "it holds a lock");
    a.unlock();
  });
}

}  // namespace

}  // namespace unmodified
