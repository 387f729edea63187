// Loops that come by the clock: what they do between two looks at it may take many steps, and may differ from
// round to round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::clock_polls {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::Not;

hocket::Options within(unsigned bound, const char* strategy) {
  hocket::Options options = quietly();
  options.strategy = strategy;
  options.max_preemptions = bound;
  return options;
}

/// As workers of pools do before they block.
bool spin(const std::atomic<int>& work, int looks, bool yields) {
  const auto start = Clock::now();
  while (Clock::now() - start < 1ms) {
    for (int n = 0; n < looks; ++n) {
      if (work.load() > 0) return true;
    }
    if (yields) std::this_thread::yield();
  }
  return false;
}

TEST(ALoopWithManyLooksBetweenTwoAtTheClock, EndsInFewRounds) {
  for (const int looks : {1, 16, 40, 256}) {
    for (const bool yields : {false, true}) {
      for (const char* const strategy : {"icb", "cb-por", "hb-cache", "auto"}) {
        Collected found;
        const hocket::Report report = explored(
            [&] {
              std::atomic<int> work{0};
              bool has_found = false;
              std::thread worker([&] { has_found = spin(work, looks, yields); });
              work.store(1);
              worker.join();
              found.add(has_found ? 1 : 0);
            },
            within(1, strategy));
        const std::uint64_t steps = report.steps / report.executions;
        std::cout << looks << (yields ? " looks and a yield, " : " looks, ") << strategy << ": "
                  << report.executions << " executions of " << steps << " steps\n";
        EXPECT_EQ(found.all(), (std::set<std::uint64_t>{0, 1}));
        EXPECT_LE(steps, 100U + 6 * static_cast<unsigned>(looks));
        EXPECT_LE(report.executions, 2'000U);
      }
    }
  }
}

/// Its rounds differ: it counts them, in a register or where others see it.
template <class Count>
void give_up_in_time(Count& rounds) {
  std::atomic<bool> is_over{false};
  std::thread([&] {
    const auto end = Clock::now() + 1ms;
    while (!is_over.load() && Clock::now() < end) ++rounds;
  }).join();
  check(rounds > 0 && rounds < 1'000, "many rounds");
}

TEST(ALoopThatLooksAtTheClockAndCounts, ComesToItsEndByTime) {
  for (const char* const strategy : {"icb", "cb-por"}) {
    const hocket::Report own = explored(
        [] {
          std::uint64_t rounds = 0;
          give_up_in_time(rounds);
        },
        within(1, strategy));
    EXPECT_LE(own.steps / own.executions, 1'000U) << own;
    const hocket::Report shared = explored(
        [] {
          std::atomic<std::uint64_t> rounds{0};
          give_up_in_time(rounds);
        },
        within(1, strategy));
    EXPECT_LE(shared.steps / shared.executions, 1'000U) << shared;
    EXPECT_THAT(to_text(shared), HasSubstr("need more looks")) << shared;
  }
}

TEST(ALoopThatLooksAtTheClockAndCounts, MayBeLeftBeforeByWhatItLooksAt) {
  for (const char* const strategy : {"icb", "icb-por", "hb-cache"}) {
    Collected found;
    explored(
        [&] {
          std::atomic<int> tries{0};
          std::mutex mutex;
          bool has_it = false;
          std::thread holder([&] { const std::lock_guard lock(mutex); });
          const auto end = Clock::now() + 1ms;
          while (!has_it && Clock::now() < end) {
            tries.fetch_add(1);
            has_it = mutex.try_lock();
          }
          if (has_it) mutex.unlock();
          holder.join();
          found.add(has_it ? 1 : 0);
        },
        within(2, strategy));
    EXPECT_EQ(found.all(), (std::set<std::uint64_t>{0, 1})) << strategy;
  }
}

TEST(ALoopThatLooksAtSeveralClocks, ComesToItsEndByTime) {
  const hocket::Report report = explored(
      [] {
        std::atomic<int> rounds{0};
        std::atomic<bool> is_over{false};
        std::thread([&] {
          const auto end = Clock::now() + 1ms;
          const auto system_end = std::chrono::system_clock::now() + 1ms;
          for (int n = 0; !is_over.load() && Clock::now() < end; ++n) {
            for (int look = 0; look < 30; ++look) static_cast<void>(rounds.load());
            if (std::chrono::system_clock::now() >= system_end) break;
          }
        }).join();
      },
      within(1, "icb"));
  EXPECT_LE(report.steps / report.executions, 1'000U) << report;
}

TEST(LooksAtTheClockInALoopOfWork, LetNoTimePass) {
  const hocket::Report report = explored(
      [] {
        std::atomic<int> done{0};
        std::thread other([&] { done.fetch_add(1); });
        const auto begin = Clock::now();
        for (int n = 0; n < 100; ++n) {
          done.fetch_add(1);
          check(Clock::now() == begin, "time has passed");
        }
        other.join();
      },
      within(1, "cb-por"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("need more looks")));
}

}  // namespace

}  // namespace unmodified::clock_polls
