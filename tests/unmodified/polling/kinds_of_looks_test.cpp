// Operations that leave everything as it was, though they could have changed something or waited: a loop of
// them polls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>

#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <hocket/hocket.hpp>

#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::kinds_of_looks {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// -- Compare-exchanges that write what is there

template <class T>
T exchange_by_comparing(std::atomic<T>& atomic, T value) {
  T found = atomic.load();
  while (!atomic.compare_exchange_weak(found, value)) {
  }
  return found;
}

void lock_by_exchanges() {
  std::atomic<unsigned> is_taken{0};
  int count = 0;
  const auto work = [&] {
    while (exchange_by_comparing(is_taken, 1U) != 0) {
    }
    ++count;
    is_taken.store(0, std::memory_order_release);
  };
  in_parallel(work, work);
  hocket::check(count == 2, "one is lost");
}

TEST(ACompareExchangeThatWritesWhatIsThere, IsALook) {
  explored_everywhere(lock_by_exchanges);
}

struct Triple {
  std::array<int, 3> numbers{};
};

TEST(ACompareExchangeThatWritesWhatIsThere, IsALookWhateverItsSize) {
  explored_everywhere([] {
    std::atomic<Triple> at{};
    std::thread writer([&] { at.store({{1, 2, 3}}); });
    for (Triple zero{}; at.compare_exchange_strong(zero, zero);) {
    }
    writer.join();
  });
}

TEST(ACompareExchangeThatWritesWhatIsThere, IsNoLookWhereTheNextOneMayFailSpuriously) {
  hocket::Options options = with("icb");
  options.max_preemptions = 1;  // the price of the failure
  options.spurious_failures = true;
  Collected found;
  explored(
      [&] {
        constexpr unsigned kLast = 6;
        std::atomic<int> at{0};
        std::atomic<unsigned> progress{0};
        std::thread other([&] {
          for (unsigned n = 1; n <= kLast; ++n) {
            progress = n;
            std::this_thread::yield();
          }
        });
        for (int zero = 0; at.compare_exchange_weak(zero, 0) && progress != kLast;) std::this_thread::yield();
        found.add(progress);
        other.join();
      },
      options);
#ifdef __clang__  // whose hook is that of a strong one
  EXPECT_FALSE(found.all().contains(5));
#else
  EXPECT_TRUE(found.all().contains(5));
#endif
}

// -- Waits that return at once

TEST(AWaitThatReturnsAtOnce, IsALook) {
  explored_everywhere([] {
    std::atomic<int> in_flight{1};
    const std::atomic<bool> is_done{true};
    std::thread worker([&] { in_flight.fetch_sub(1); });
    while (in_flight.load() > 0) is_done.wait(false);
    worker.join();
  });
}

TEST(AWaitThatReturnsAtOnce, IsALookOfAFutexToo) {
  explored_everywhere([] {
    std::atomic<int> in_flight{1};
    std::uint32_t word = 1;
    std::thread worker([&] { in_flight.fetch_sub(1); });
    while (in_flight.load() > 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    worker.join();
  });
}

TEST(AWaitThatReturnsAtOnce, IsNoneOnceItHasSlept) {
  explored_everywhere([] {
    std::atomic<int> in_flight{1};
    std::atomic<bool> is_done{false};
    std::thread worker([&] {
      is_done = true;
      is_done.notify_all();
      in_flight.fetch_sub(1);
    });
    while (in_flight.load() > 0) is_done.wait(false);
    worker.join();
  });
}

// -- Volatiles

TEST(ALoopThatReadsAVolatile, IsADataRaceWithTheThreadThatEndsIt) {
  hocket::Options options = quietly();
  const hocket::FoundFailure failure = failure_of(
      [] {
        volatile int is_set = 0;
        std::thread waiter([&] {
          while (is_set == 0) {
          }
        });
        is_set = 1;
        waiter.join();
      },
      options);
  EXPECT_EQ(failure.kind, hocket::FailureKind::data_race);
}

TEST(ALoopThatReadsAVolatile, WaitsWhereRacesAreNotReported) {
  hocket::Options options = exhaustively();
  options.detect = options.detect.without(hocket::Detector::races);
  for (const char* const strategy : {"icb", "cb-por", "icb-por", "hb-cache", "dpor"}) {
    options.strategy = strategy;
    const hocket::Report report = explored(
        [] {
          static volatile std::int64_t level;
          level = 0;
          std::thread waiter([&] {
            while (level != 2) {
            }
          });
          level = 1;
          std::this_thread::yield();
          level = 2;
          waiter.join();
        },
        options);
    EXPECT_EQ(report.verdict, hocket::Verdict::passed_exhaustively) << strategy << report;
  }
}

TEST(ALoopThatReadsAVolatile, IsALivelockWhereNobodyEndsIt) {
  expect_failure(hocket::FailureKind::livelock, 0, "polls", [] {
    volatile bool is_set = false;
    std::thread([&] {
      while (!is_set) {
      }
    }).join();
  });
}

TEST(ALoopThatReadsAVolatile, MakesNoStepsWhereItCounts) {
  const hocket::Report report = explored(
      [] {
        static volatile int n;
        std::thread([] {
          n = 0;
          while (n < 20'000) n = n + 1;
        }).join();
      },
      exhaustively());
  EXPECT_EQ(report.executions, 1U) << report;
}

// -- Hocket's own types, in instrumented code

TEST(ALoopThatReadsHocketsAtomics, IsNotSaidToChangeAnything) {
  hocket::Options options = quietly();
  options.detect = options.detect.with(hocket::Detector::spins);
  const hocket::FoundFailure failure = failure_of(
      [] {
        hocket::atomic<int> in_flight{1};
        const hocket::atomic<bool> is_done{true};
        hocket::thread worker([&] { in_flight.fetch_sub(1); });
        while (in_flight.load() > 0) is_done.wait(false);
        worker.join();
      },
      options);
  EXPECT_EQ(failure.kind, hocket::FailureKind::spin);
  EXPECT_THAT(failure.message, HasSubstr("hocket::yield()"));
  EXPECT_THAT(failure.message, Not(HasSubstr("Each round changes something")));
}

}  // namespace

}  // namespace unmodified::kinds_of_looks
