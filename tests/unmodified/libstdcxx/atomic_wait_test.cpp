// std::atomic::wait, std::latch, std::barrier and std::counting_semaphore: each wait is one operation, so
// that they have the schedules that Hocket's own types have.
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>
#include <set>
#include <string>
#include <thread>

#include "scheduler/schedules/schedule.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;

template <class T>
class WaitingForAnAtomicOf : public ::testing::Test {};
/// Three words, which no machine reads at once.
struct Large {
  long words[3];
  Large(long value = 0) : words{value, value, value} {}  // NOLINT(google-explicit-constructor)
  friend bool operator==(const Large&, const Large&) = default;
};

using Sizes = ::testing::Types<int, unsigned char, short, long, float, Large>;
TYPED_TEST_SUITE(WaitingForAnAtomicOf, Sizes);

TYPED_TEST(WaitingForAnAtomicOf, EndsWhenItIsNotifiedOfANewValue) {
  explored(within(1), [] {
    std::atomic<TypeParam> value{0};
    int data = 0;
    in_parallel(
        [&] {
          value.wait(0);
          check(value.load() == TypeParam(1) && data == 1);
        },
        [&] {
          data = 1;
          value.store(1);
          value.notify_one();
        });
  });
}

TYPED_TEST(WaitingForAnAtomicOf, IsEndedForAllByNotifyAll) {
  explored(within(0), [] {
    std::atomic<TypeParam> value{0};
    const auto wait = [&] { value.wait(0); };
    in_parallel(wait, wait, [&] {
      value.store(1);
      value.notify_all();
    });
  });
}

TYPED_TEST(WaitingForAnAtomicOf, ThatIsGoneMustNotBeNotified) {
  for (const bool notifies_all : {false, true}) {
    expect_failure(FailureKind::heap_error, 1, "atomically accesses", [notifies_all] {
      auto* const flag = new std::atomic<TypeParam>(TypeParam(0));
      std::thread other([=] {
        flag->store(TypeParam(1));
        notifies_all ? flag->notify_all() : flag->notify_one();
      });
      flag->wait(TypeParam(0));
      delete flag;
      other.join();
    });
  }
}

TYPED_TEST(WaitingForAnAtomicOf, ThatNobodyNotifiesIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    std::atomic<TypeParam> value{0};
    in_parallel([&] { value.wait(0); }, [&] { value.store(1); });
  });
}

/// A semaphore that wakes one waiter when its count leaves 0, and nobody when it grows on: with two waiters
/// one may sleep for ever.
template <template <class> class Atomic, class Thread>
void lose_a_wakeup() {
  Atomic<int> count{0};
  const auto acquire = [&] {
    for (;;) {
      int old = count.load();
      if (old != 0 && count.compare_exchange_strong(old, old - 1)) return;
      if (old == 0) count.wait(0);
    }
  };
  const auto release = [&] {
    if (count.fetch_add(1) == 0) count.notify_one();
  };
  Thread a(acquire);
  Thread b(acquire);
  release();
  release();
  a.join();
  b.join();
}

TEST(ALostWakeup, IsFoundAtTheBoundAtWhichItIsWithHocketsTypes) {
  const FoundFailure with_hocket = failure_of(lose_a_wakeup<hocket::atomic, hocket::thread>);
  EXPECT_EQ(with_hocket.kind, FailureKind::deadlock);
  expect_failure(
      FailureKind::deadlock, with_hocket.bound, "deadlock", lose_a_wakeup<std::atomic, std::thread>);
}

TEST(WaitingForAnAtomic, OrdersWhatTheMemoryOrderOfItsLoadOrders) {
  const auto body = [](std::memory_order order) {
    return [order] {
      std::atomic<int> value{0};
      int data = 0;
      std::thread writer([&] {
        data = 1;
        value.store(1, std::memory_order_release);
        value.notify_one();
      });
      value.wait(0, order);
      check(data == 1);
      writer.join();
    };
  };
  explored(body(std::memory_order_acquire));
  EXPECT_EQ(failure_of(body(std::memory_order_relaxed)).kind, FailureKind::data_race);
}

TEST(AStdAtomicFlagThatIsWaitedFor, IsNotified) {
  explored(within(1), [] {
    std::atomic_flag flag;
    in_parallel([&] { flag.wait(false); },
        [&] {
          flag.test_and_set();
          flag.notify_one();
        });
  });
}

TEST(AStdLatch, LetsNobodyOnBeforeAllHaveCome) {
  explored(within(0), [] {
    std::latch latch(2);
    int data = 0;
    in_parallel(
        [&] {
          data = 1;
          latch.count_down();
        },
        [&] {
          latch.arrive_and_wait();
          check(data == 1 && latch.try_wait());
        });
  });
}

TEST(AStdSemaphore, IsMisusedBeyondItsMaximum) {
  expect_failure(FailureKind::misuse, 0, "beyond its maximum of 1", [] {
    std::binary_semaphore semaphore(0);
    in_parallel([&] { semaphore.release(); }, [&] { semaphore.release(); });
  });
}

TEST(AStdLatch, IsMisusedByMoreThanItExpects) {
  expect_failure(FailureKind::misuse, 0, "where all that it expects have arrived", [] {
    std::latch latch(1);
    in_parallel([&] { latch.count_down(); }, [&] { latch.count_down(); });
  });
  expect_failure(FailureKind::misuse, 0, "where all that it expects have arrived", [] {
    std::barrier<> barrier(1);
    static_cast<void>(barrier.arrive(2));
  });
}

TEST(AStdLatch, OfThreeThreadsHasAClassForEachOrderOfWhatTheyDo) {
  const auto body = [] {
    std::latch latch(3);
    const auto arrive = [&] { latch.arrive_and_wait(); };
    in_parallel(arrive, arrive, arrive);
  };
  EXPECT_EQ(explored(body).classes, 72U);
  const Report report = explored(body, with("cb-por"));
  EXPECT_EQ(report.classes, 72U);
  EXPECT_EQ(report.executions, 72U);
}

TEST(AStdLatch, ThatTooFewComeToIsADeadlock) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    std::latch latch(2);
    in_parallel([&] { latch.arrive_and_wait(); });
  });
  EXPECT_NE(message.find("thread 1 waits in latch.arrive_and_wait on latch 1 since step "), std::string::npos)
      << message;
  EXPECT_EQ(message.find("notif"), std::string::npos) << "the latch does that:\n" << message;
}

TEST(TypesThatConsistOfAtomics, HaveTheirOwnNamesInReports) {
  const FoundFailure failure = failure_of([] {
    std::atomic<int> x{0};
    std::latch latch(2);
    std::barrier barrier(2, [&]() noexcept { x = 1; });
    in_parallel(
        [&] {
          latch.count_down();
          barrier.arrive_and_drop();
        },
        [&] {
          latch.arrive_and_wait();
          barrier.arrive_and_wait();
        });
    check(!latch.try_wait());
  });
  ASSERT_NE(failure.schedule, nullptr);
  const std::string saved = to_json(*failure.schedule);
  const hocket::Schedule read = hocket::schedule_from_json(saved, "saved");
  EXPECT_EQ(to_json(read), saved);
  const std::string text = hocket::render(read, {.width = 200});
  for (const char* step : {"latch.count_down latch 1 → 2", "latch.arrive_and_wait latch 1 → 1",
           "latch.try_wait latch 1 → 0", "barrier.arrive_and_drop barrier 1 → 0",
           "barrier.arrive_and_drop barrier 2 → 2", "barrier.arrive_and_wait barrier 2 → 1",
           "atomic.store atomic 1 = 1", "barrier.arrive_and_wait barrier 2 = "})
    EXPECT_NE(text.find(step), std::string::npos) << step << '\n' << text;
}

TEST(AStdBarrier, KeepsTheRoundsApart) {
  explored(within(0), [] {
    int completions = 0;
    std::barrier barrier(2, [&]() noexcept { ++completions; });
    int first = 0;
    int second = 0;
    in_parallel(
        [&] {
          first = 1;
          barrier.arrive_and_wait();
          check(second == 1);
          barrier.arrive_and_drop();
        },
        [&] {
          second = 1;
          barrier.arrive_and_wait();
          check(first == 1);
          barrier.arrive_and_wait();
        });
    check(completions == 2);
  });
}

TEST(AStdBarrier, OfThreeThreadsAndTwoRoundsIsSoonExplored) {
  const Report report = explored(within(2), [] {
    std::barrier barrier(3);
    std::array<int, 3> rounds{};
    const auto take_part = [&](std::size_t n) {
      for (int round = 1; round <= 2; ++round) {
        rounds[n] = round;
        barrier.arrive_and_wait();
        for (const int other : rounds) check(other == round);
        barrier.arrive_and_wait();
      }
    };
    in_parallel([&] { take_part(0); }, [&] { take_part(1); }, [&] { take_part(2); });
  });
  EXPECT_LT(report.executions, 100'000U);
}

TEST(AStdBarrier, ThatAThreadWaitsForWithATokenOfAnEarlierPhaseLetsItOn) {
  explored([] {
    std::barrier barrier(2);
    in_parallel(
        [&] {
          auto token = barrier.arrive();
          barrier.wait(std::move(token));
        },
        [&] { barrier.arrive_and_drop(); });
  });
}

TEST(AStdSemaphore, LetsInAsManyAsItCounts) {
  explored(within(1), [] {
    std::counting_semaphore<2> permits(1);
    int inside = 0;
    const auto section = [&] {
      permits.acquire();
      check(++inside == 1);
      --inside;
      permits.release();
    };
    in_parallel(section, section);
  });
}

TEST(AStdSemaphore, IsTriedForAndMayHaveNoPermit) {
  const std::set<unsigned> outcomes = outcomes_of([] {
    std::binary_semaphore permits(0);
    unsigned got = 0;
    in_parallel([&] { permits.release(); }, [&] { got = permits.try_acquire() ? 1 : 0; });
    return got;
  });
  EXPECT_EQ(outcomes, (std::set<unsigned>{0, 1}));
}

TEST(AStdSemaphore, ThatNobodyReleasesInTimeIsGivenUp) {
  explored(within(0), [] {
    std::binary_semaphore permits(0);
    const auto begin = std::chrono::steady_clock::now();
    check(!permits.try_acquire_for(10ms));
    check(std::chrono::steady_clock::now() - begin >= 10ms);
    check(!permits.try_acquire_until(std::chrono::system_clock::now() + 10ms));
  });
}

TEST(AStdSemaphore, IsGotByATimedTryUnlessTheTimeRunsOutBefore) {
  const Outcomes outcomes = outcomes_by_bound([] {
    std::binary_semaphore permits(0);
    unsigned got = 0;
    in_parallel([&] { got = permits.try_acquire_for(10ms) ? 1 : 0; }, [&] { permits.release(); });
    return got;
  });
  EXPECT_EQ(outcomes, (Outcomes{{1, 0}, {0, 1}}));
}

TEST(AStdSemaphore, MadeAnewAtTheSamePlaceHasItsOwnCount) {
  explored([] {
    for (int round = 0; round < 2; ++round) {
      std::counting_semaphore<4> permits(2);
      permits.acquire();
      check(permits.try_acquire());
      check(!permits.try_acquire());
    }
  });
}

TEST(ALatchAndABarrier, MayBeDestroyedByAThreadForWhichTheyAreOver) {
  explored([] {
    auto* const latch = new std::latch(1);
    auto* const barrier = new std::barrier<>(2);
    std::thread other([=] {
      latch->count_down();
      static_cast<void>(barrier->arrive());
    });
    latch->wait();
    delete latch;
    barrier->arrive_and_wait();
    delete barrier;
    other.join();
  });
}

TEST(WaitsOfTheStandardLibrary, WorkOutsideABodyToo) {
  std::binary_semaphore permits(0);
  std::latch latch(1);
  std::barrier barrier(2);
  std::atomic<int> value{0};
  std::thread other([&] {
    permits.release();
    latch.count_down();
    barrier.arrive_and_wait();
    value = 1;
    value.notify_all();
  });
  permits.acquire();
  EXPECT_FALSE(permits.try_acquire_for(1ms));
  EXPECT_FALSE(permits.try_acquire_until(std::chrono::system_clock::now() + 1ms));
  latch.wait();
  barrier.arrive_and_wait();
  value.wait(0);
  other.join();
  EXPECT_EQ(value.load(), 1);
}

}  // namespace

}  // namespace unmodified
