// Hocket's types in instrumented code, beside the standard library's and with what only such code has.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <hocket/gtest.hpp>

#include "tests/unmodified/support/std_bodies.hpp"

namespace {

using hocket::FailureKind;
using hocket::Verdict;
using unmodified::exhaustively;
using unmodified::expect_failure;
using unmodified::explored;
using unmodified::in_parallel;

// The example of docs/writing-a-test.md.
HOCKET_TEST(TheFirstTest, MayBeInstrumented) {
  hocket::atomic<int> counter{0};
  const auto increment = [&] { counter.fetch_add(1); };
  hocket::thread a(increment);
  hocket::thread b(increment);
  a.join();
  b.join();
  EXPECT_EQ(counter.load(), 2);
}

TEST(MixedTypes, OfHocketAndOfTheStandardExcludeAndOrderEachOther) {
  const hocket::Report report = explored([] {
    hocket::mutex lock;
    std::mutex other_lock;
    int total = 0;
    int other_total = 0;
    const auto add = [&] {
      {
        const std::lock_guard guard(lock);
        ++total;
      }
      const std::lock_guard guard(other_lock);
      ++other_total;
    };
    in_parallel(add, add);
    hocket::check(total == 2 && other_total == 2, "the mutexes do not exclude");
  });
  EXPECT_EQ(report.classes, 4U);  // who is first, at each mutex
}

TEST(MixedTypes, DeadlockOnAMutexOfEachKind) {
  expect_failure(FailureKind::deadlock, 1, "holds", [] {
    hocket::mutex one;
    std::mutex other;
    in_parallel(
        [&] {
          const std::lock_guard first(one);
          const std::lock_guard second(other);
        },
        [&] {
          const std::lock_guard first(other);
          const std::lock_guard second(one);
        });
  });
}

TEST(PlainData, UnderAHocketAtomicIsLookedAtForRaces) {
  int data = 0;
  expect_failure(FailureKind::data_race, 0, "data", [&] {
    hocket::atomic<bool> ready{false};
    hocket::thread writer([&] {
      data = 1;
      ready.store(true, std::memory_order_relaxed);
    });
    if (ready.load()) hocket::check(data == 1, "not there");
    writer.join();
  });
}

TEST(PlainData, ThatAHocketAtomicHandsOnDoesNotRace) {
  explored([] {
    int data = 0;
    hocket::atomic<bool> ready{false};
    hocket::thread writer([&] {
      data = 1;
      ready.store(true, std::memory_order_release);
    });
    if (ready.load(std::memory_order_acquire)) hocket::check(data == 1, "not there");
    writer.join();
  });
}

TEST(PlainData, WhereAHocketObjectWasIsLookedAtAgain) {
  expect_failure(FailureKind::data_race, 0, "data race", [] {
    alignas(hocket::atomic<int>) std::array<std::byte, sizeof(hocket::atomic<int>)> room;
    std::destroy_at(::new (room.data()) hocket::atomic<int>(1));
    int* const number = ::new (room.data()) int(0);
    hocket::thread a([&] { ++*number; });
    hocket::thread b([&] { ++*number; });
    a.join();
    b.join();
  });
}

hocket::atomic<int> global_count{0};
hocket::mutex global_lock;

TEST(GlobalObjects, BeginEachExecutionAfresh) {
  const hocket::Report report = explored([] {
    const auto count = [] {
      const std::lock_guard guard(global_lock);
      ++global_count;
    };
    hocket::thread a(count);
    std::thread b(count);
    a.join();
    b.join();
    hocket::check(global_count.load() == 2, "it does not begin with 0");
  });
  EXPECT_EQ(report.classes, 2U);
}

TEST(HocketTypes, AreIndivisibleWherePlainAccessesAreSteps) {
  explored(hocket::test::quietly({.max_preemptions = 2, .plain_steps = true}), [] {
    hocket::atomic<int> count{0};
    const auto increment = [&] {
      int seen = count.load();
      while (!count.compare_exchange_strong(seen, seen + 1)) {
      }
    };
    hocket::thread a(increment);
    increment();
    a.join();
    hocket::check(count.load() == 2, "an increment is lost");
  });
}

TEST(Vectors, OfHocketThreadsAndAtomicsWork) {
  explored([] {
    std::vector<std::unique_ptr<hocket::atomic<int>>> counts;
    for (int n = 0; n < 2; ++n) counts.push_back(std::make_unique<hocket::atomic<int>>(0));
    std::vector<hocket::thread> threads;
    for (int n = 0; n < 2; ++n) {
      threads.emplace_back([&, text = std::string(40, 'a')] {
        for (auto& count : counts) count->fetch_add(static_cast<int>(text.size()));
      });
    }
    for (hocket::thread& thread : threads) thread.join();
    hocket::check(*counts[0] == 80 && *counts[1] == 80, "an increment is lost");
  });
}

}  // namespace
