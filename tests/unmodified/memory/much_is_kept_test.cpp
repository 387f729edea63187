// More threads than the clocks of data races have room for in place, which come while the race detector is at
// work.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

constexpr int kThreads = 12;

Options some_schedules() {
  return quietly({.strategy = "random", .max_executions = 50});
}

/// Thread `number` of them does it.
template <class Act>
void in_many(Act act) {
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) threads.emplace_back([&act, number] { act(number); });
  for (std::thread& thread : threads) thread.join();
}

void count(int without_lock) {
  std::mutex lock;
  int sum = 0;
  in_many([&](int number) {
    std::unique_lock guard(lock, std::defer_lock);
    if (number != without_lock) guard.lock();
    ++sum;
  });
  check(sum == kThreads, "all have counted");
}

/// Each goes on when the one before it has said so, with this memory order.
void take_turns(std::memory_order order) {
  std::atomic<int> turn{0};
  int sum = 0;
  in_many([&](int number) {
    for (int now = turn.load(std::memory_order_acquire); now != number;
         now = turn.load(std::memory_order_acquire)) {
      turn.wait(now, std::memory_order_acquire);
    }
    ++sum;
    turn.store(number + 1, order);
    turn.notify_all();
  });
  check(sum == kThreads, "all have counted");
}

}  // namespace

TEST(ManyThreads, AreOrderedByAMutex) {
  explored([] { count(-1); }, some_schedules());
}
TEST(ManyThreads, RaceWithTheOneThatDoesNotLock) {
  for (const int without_lock : {0, 7, 8, kThreads - 1}) {
    EXPECT_EQ(failure_of([&] { count(without_lock); }, some_schedules()).kind,
        hocket::runtime::FailureKind::data_race);
  }
}

TEST(ManyThreads, AreOrderedByReleasesOfAnAtomic) {
  explored([] { take_turns(std::memory_order_release); }, some_schedules());
}
TEST(ManyThreads, RaceWhereAnAtomicReleasesNothing) {
  EXPECT_EQ(failure_of([] { take_turns(std::memory_order_relaxed); }, some_schedules()).kind,
      hocket::runtime::FailureKind::data_race);
}

TEST(ManyVariables, AreFreshInEachExecution) {
  const auto body = [](int shared) {
    return [shared] {
      constexpr int kEach = 40'000;
      std::vector<int> data(std::size_t{2} * kEach);
      std::atomic<int> last{0};
      const auto fill = [&](int begin, int end) {
        for (int n = begin; n < end; ++n) data[static_cast<std::size_t>(n)] += 1;
        last = begin;
      };
      in_parallel([&] { fill(0, kEach + shared); }, [&] { fill(kEach, 2 * kEach); });
    };
  };
  EXPECT_EQ(explored(body(0)).classes, 2U);
  EXPECT_EQ(failure_of(body(1)).kind, hocket::runtime::FailureKind::data_race);
}

TEST(AFreedAtomic, IsNotToBeReadPlainlyLater) {
  const FoundFailure found = failure_of([] {
    auto atomic = std::make_unique<std::atomic<int>>(1);
    const int* const value = reinterpret_cast<const int*>(atomic.get());
    atomic->fetch_add(1);
    atomic.reset();  // while there is one thread only
    in_parallel([&] { check(*value == 2, "what was there"); }, [] {});
  });
  EXPECT_EQ(found.kind, hocket::runtime::FailureKind::heap_error) << found.message;
}

}  // namespace unmodified
