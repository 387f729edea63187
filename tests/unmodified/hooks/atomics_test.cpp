// std::atomic of every size and kind, std::atomic_flag, std::atomic_ref and fences.
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(StdAtomics, OfFiveIncrementsByTwoThreadsHaveTwoHundredAndFiftyTwoSchedules) {
  const Report report = explored([] {
    std::atomic<int> n{0};
    const auto five = [&] {
      for (int i = 0; i < 5; ++i) n.fetch_add(1);
    };
    in_parallel(five, five);
    check(n.load() == 10);
  });
  EXPECT_EQ(report.classes, 252U);
  EXPECT_EQ(report.executions, 252U);
}

TEST(StdAtomics, LoseAnUpdateThatIsALoadAndAStoreWithOnePreemption) {
  expect_failure(FailureKind::check, 1, "lost", [] {
    std::atomic<int> n{0};
    const auto increment = [&] { n.store(n.load() + 1); };
    in_parallel(increment, increment);
    check(n.load() == 2, "lost");
  });
}

template <class T>
class StdAtomicOf : public ::testing::Test {};
using Integers = ::testing::Types<std::uint8_t, std::int16_t, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(StdAtomicOf, Integers);

TYPED_TEST(StdAtomicOf, DoesEveryOperationAsOneStep) {
  using T = TypeParam;
  // Each thread does six operations, all writes of one object: C(12,6).
  const Report report = explored([] {
    std::atomic<T> value{0};
    const auto change = [&] {
      value.store(1);
      value.fetch_or(6);
      value.fetch_and(3);
      value.fetch_xor(1);
      value.fetch_sub(1);
      value.exchange(7);
    };
    in_parallel(change, change);
    check(value.load() == 7);
  });
  EXPECT_EQ(report.classes, 924U);
}

TYPED_TEST(StdAtomicOf, ComputesAsTheMachineDoes) {
  using T = TypeParam;
  explored([] {
    std::atomic<T> value{static_cast<T>(12)};
    check(value.fetch_add(1) == 12 && value.fetch_sub(3) == 13 && value.load() == 10);
    check(value.fetch_and(6) == 10 && value.fetch_or(9) == 2 && value.fetch_xor(3) == 11);
    check(value.exchange(5) == 8);
    value = 0;
    --value;
    check(value == static_cast<T>(-1), "it does not wrap");
    T expected = 3;
    check(!value.compare_exchange_strong(expected, 4) && expected == static_cast<T>(-1));
    check(value.compare_exchange_strong(expected, 4) && value == 4);
    while (!value.compare_exchange_weak(expected, 9)) {
    }
    check(value == 9);
  });
}

TYPED_TEST(StdAtomicOf, FailsACompareExchangeThatAnotherThreadWasBefore) {
  using T = TypeParam;
  const Outcomes outcomes = outcomes_by_bound([] {
    std::atomic<T> value{0};
    unsigned winners = 0;
    const auto claim = [&](unsigned bit) {
      T expected = 0;
      if (value.compare_exchange_strong(expected, static_cast<T>(bit)))
        winners = bit;
      else
        check(expected != 0);
    };
    in_parallel([&] { claim(1); }, [&] { claim(2); });
    return winners;
  });
  EXPECT_EQ(outcomes, (Outcomes{{1, 0}, {2, 0}}));
}

TEST(AStdAtomicFlag, IsSetByOneThread) {
  const Outcomes outcomes = outcomes_by_bound([] {
    std::atomic_flag flag;
    unsigned winner = 0;
    in_parallel(
        [&] {
          if (!flag.test_and_set()) winner = 1;
        },
        [&] {
          if (!flag.test_and_set()) winner = 2;
        });
    check(flag.test());
    flag.clear();
    check(!flag.test());
    return winner;
  });
  EXPECT_EQ(outcomes, (Outcomes{{1, 0}, {2, 0}}));
}

TEST(AStdAtomicFlag, IsALockOfWhoeverYieldsWhileItSpins) {
  explored(within(2), [] {
    std::atomic_flag taken;
    int inside = 0;
    const auto section = [&] {
      while (taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
      check(++inside == 1);
      --inside;
      taken.clear(std::memory_order_release);
    };
    in_parallel(section, section);
  });
}

TEST(AStdAtomicFlag, ThatIsSpunOnWithoutAYieldLetsTheOthersGoOn) {
  explored([] {
    std::atomic_flag taken;
    taken.test_and_set();
    in_parallel(
        [&] {
          while (taken.test_and_set()) {
          }
        },
        [&] { taken.clear(); });
  });
}

TEST(AStdAtomicPointer, CountsInElements) {
  explored([] {
    static std::array<int, 4> numbers;
    std::atomic<int*> at{numbers.data()};
    in_parallel([&] { at.fetch_add(1); }, [&] { at += 2; });
    check(at.load() == &numbers[3]);
    check(--at == &numbers[2]);
  });
}

TEST(AStdAtomicOfFloatingPoint, LosesNothingThatIsAdded) {
  explored([] {
    std::atomic<double> sum{0.5};
    in_parallel([&] { sum.fetch_add(1.0); }, [&] { sum.fetch_add(2.0); });
    check(sum.load() == 3.5);
  });
}

TEST(AStdAtomicRef, MakesPlainDataAnAtomic) {
  const Report report = explored([] {
    int n = 0;
    const auto twice = [&] {
      std::atomic_ref ref(n);
      ref.fetch_add(1);
      ++ref;
    };
    in_parallel(twice, twice);
    check(n == 4);
  });
  EXPECT_EQ(report.classes, 6U);
}

TEST(AStdAtomicRef, RacesWithAPlainAccess) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    int n = 0;
    in_parallel([&] { std::atomic_ref(n).fetch_add(1); }, [&] { n = 7; });
  });
}

TEST(AMemoryOrder, OfReleaseAndAcquireOrdersPlainData) {
  const auto message = [](std::memory_order store, std::memory_order load) {
    return [=] {
      int data = 0;
      std::atomic<bool> is_ready{false};
      in_parallel(
          [&] {
            data = 1;
            is_ready.store(true, store);
          },
          [&] {
            if (is_ready.load(load)) check(data == 1);
          });
    };
  };
  explored(message(std::memory_order_release, std::memory_order_acquire));
  const FoundFailure failure = failure_of(message(std::memory_order_relaxed, std::memory_order_acquire));
  EXPECT_EQ(failure.kind, FailureKind::data_race);
  EXPECT_EQ(failure.bound, 0U);
}

TEST(AFence, OrdersPlainDataBesideARelaxedAtomic) {
  const auto message = [](bool with_fences) {
    return [=] {
      int data = 0;
      std::atomic<bool> is_ready{false};
      in_parallel(
          [&] {
            data = 1;
            if (with_fences) std::atomic_thread_fence(std::memory_order_release);
            is_ready.store(true, std::memory_order_relaxed);
          },
          [&] {
            if (!is_ready.load(std::memory_order_relaxed)) return;
            if (with_fences) std::atomic_thread_fence(std::memory_order_acquire);
            check(data == 1);
          });
    };
  };
  explored(message(true));
  EXPECT_EQ(failure_of(message(false)).kind, FailureKind::data_race);
}

TEST(AFence, AgainstSignalsAloneIsNoStepAndOrdersNothing) {
  const Report report = explored([] {
    std::atomic<int> n{0};
    const auto change = [&] {
      n.fetch_add(1);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    };
    in_parallel(change, change);
  });
  EXPECT_EQ(report.classes, 2U);
}

TEST(AWeakCompareExchange, FailsForNoReasonWhenThatIsAskedFor) {
  const Outcomes outcomes = outcomes_by_bound(exhaustively({.spurious_failures = true}), [] {
    std::atomic<int> n{0};
    int expected = 0;
    return n.compare_exchange_weak(expected, 1) ? 1U : 0U;
  });
#ifdef __clang__  // whose hook is that of a strong one
  EXPECT_EQ(outcomes, (Outcomes{{1, 0}}));
#else
  EXPECT_EQ(outcomes, (Outcomes{{0, 1}, {1, 0}}));
#endif
}

}  // namespace

}  // namespace unmodified
