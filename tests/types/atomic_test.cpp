// Atomics: their operations, waiting for them, and failures for no reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <set>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

template <class T>
void expect_the_operations_of_an_integer() {
  atomic<T> x(T{12});
  check(x.fetch_add(T{3}) == T{12});
  check(x.fetch_sub(T{5}) == T{15});
  check(x.fetch_and(T{6}) == T{10});
  check(x.fetch_or(T{5}) == T{2});
  check(x.fetch_xor(T{1}) == T{7});
  check(x == T{6});
  check(++x == T{7} && x++ == T{7} && --x == T{7} && x-- == T{7});
  check((x += T{4}) == T{10} && (x -= T{1}) == T{9} && (x &= T{3}) == T{1} && (x |= T{4}) == T{5} &&
        (x ^= T{1}) == T{4});
  check(x.exchange(T{1}) == T{4});
  T expected{2};
  check(!x.compare_exchange_strong(expected, T{9}) && expected == T{1});
  check(x.compare_exchange_weak(expected, T{9}) && x.load() == T{9});
  x = T{3};
  check(x.is_lock_free());
}

TEST(AtomicIntegers, HaveAllTheirOperations) {
  explored([] {
    expect_the_operations_of_an_integer<char>();
    expect_the_operations_of_an_integer<std::int8_t>();
    expect_the_operations_of_an_integer<std::uint16_t>();
    expect_the_operations_of_an_integer<int>();
    expect_the_operations_of_an_integer<unsigned long long>();
  });
}

// clang-format off
/// How many of the operations that change its value an `Atomic` has.
template <class Atomic>
constexpr unsigned ways_to_change() {
  using A = Atomic;
  constexpr std::array kHas{
      requires(A& a) { a.store(1); },
      requires(A& a) { a = 1; },
      requires(A& a) { a.exchange(1); },
      requires(A& a, int& e) { a.compare_exchange_strong(e, 1); },
      requires(A& a, int& e) { a.compare_exchange_strong(e, 1, memory_order_release, memory_order_relaxed); },
      requires(A& a, int& e) { a.compare_exchange_weak(e, 1); },
      requires(A& a, int& e) { a.compare_exchange_weak(e, 1, memory_order_release, memory_order_relaxed); },
      requires(A& a) { a.notify_one(); },
      requires(A& a) { a.notify_all(); },
      requires(A& a) { a.fetch_add(1); },
      requires(A& a) { a.fetch_sub(1); },
      requires(A& a) { a.fetch_and(1); },
      requires(A& a) { a.fetch_or(1); },
      requires(A& a) { a.fetch_xor(1); },
      requires(A& a) { ++a; },
      requires(A& a) { a++; },
      requires(A& a) { --a; },
      requires(A& a) { a--; },
      requires(A& a) { a += 1; },
      requires(A& a) { a -= 1; },
      requires(A& a) { a &= 1; },
      requires(A& a) { a |= 1; },
      requires(A& a) { a ^= 1; },
  };
  return static_cast<unsigned>(std::count(kHas.begin(), kHas.end(), true));
}
// clang-format on

template <class Atomic>
concept Readable = requires(Atomic& a) {
  { a.load() } -> std::same_as<int>;
  { a.load(memory_order_acquire) } -> std::same_as<int>;
  a.wait(0);
  a.is_lock_free();
  requires std::convertible_to<Atomic&, int>;
};

TEST(AConstAtomic, CanBeReadAndWaitedForAsTheStandardsButNotChanged) {
  EXPECT_TRUE(Readable<const atomic<int>>);
  EXPECT_EQ(ways_to_change<const atomic<int>>(), 0U);
  EXPECT_EQ(ways_to_change<const std::atomic<int>>(), 0U);
  EXPECT_EQ(ways_to_change<atomic<int>>(), 23U);
}

TEST(AConstAtomicRef, ChangesWhatItRefersTo) {
  EXPECT_TRUE(Readable<const atomic_ref<int>>);
  EXPECT_EQ(ways_to_change<const atomic_ref<int>>(), 23U);
  explored([] {
    var<int> data{1};
    const atomic_ref ref(data);
    ref.store(2);
    check(ref.fetch_add(3) == 2 && data == 5);
  });
}

TEST(AtomicIntegers, WrapAround) {
  explored([] {
    atomic<int> x{std::numeric_limits<int>::max()};
    x.fetch_add(1);
    check(x.load() == std::numeric_limits<int>::min());
    atomic<std::uint8_t> y{0};
    y.fetch_sub(1);
    check(y.load() == 255);
  });
}

struct Point {
  int x;
  int y;
  int z;
};
struct alignas(16) Wide {
  std::uint64_t low;
  std::uint64_t high;
};
enum class Colour : std::uint8_t { red, green };

TEST(AtomicsOfOtherTypes, LoadStoreExchangeAndCompare) {
  explored([] {
    atomic<Point> point(Point{1, 2, 3});
    Point expected = point.load();
    check(point.compare_exchange_strong(expected, Point{4, 5, 6}) && point.load().y == 5);
    check(!point.compare_exchange_strong(expected, Point{}) && expected.z == 6);

    atomic<Wide> wide(Wide{1, 2});
    Wide wide_expected{1, 2};
    check(wide.compare_exchange_weak(wide_expected, Wide{3, 4}) && wide.exchange(Wide{5, 6}).high == 4);

    atomic<double> number{1.5};
    check(number.fetch_add(2) == 1.5 && number.fetch_sub(1) == 3.5 && (number += 0.5) == 3.0);
    atomic<float> small{0.5F};
    check(small.exchange(1) == 0.5F);

    std::array<int, 3> array{};
    atomic<int*> pointer{array.data()};
    check(pointer.fetch_add(2) == array.data() && pointer-- == &array[2] && pointer.load() == &array[1]);

    atomic<bool> flag;
    check(!flag && !flag.exchange(true) && flag);
    atomic<Colour> colour{Colour::red};
    colour = Colour::green;
    check(colour.load() == Colour::green);

    atomic_flag raw;
    check(!raw.test_and_set() && raw.test());
    raw.clear();
    check(!raw.test());
  });
}

TEST(MemoryOrders, AreAcceptedAndSequentialConsistencyIsExploredIfAskedFor) {
  // Store buffering, which relaxed atomics would allow.
  explored(hocket::test::exhaustively({.memory_model = hocket::MemoryModel::sc}), [] {
    atomic<int> x{0};
    atomic<int> y{0};
    int seen_x = 0;
    int seen_y = 0;
    in_parallel(
        [&] {
          x.store(1, memory_order_relaxed);
          hocket::atomic_thread_fence(memory_order_acq_rel);
          seen_y = y.load(memory_order_acquire);
        },
        [&] {
          y.store(1, std::memory_order_release);
          seen_x = x.load(std::memory_order_relaxed);
        });
    check(seen_x + seen_y > 0);
    int expected = 1;
    x.compare_exchange_strong(expected, 2, memory_order_acq_rel, memory_order_relaxed);
    x.fetch_add(1, memory_order_relaxed);
  });
}

TEST(AFailedCompareExchange, IsARead) {
  const Report report = explored([] {
    atomic<int> x{0};
    const auto fail = [&] {
      int expected = 1;
      x.compare_exchange_strong(expected, 2);
    };
    in_parallel(fail, fail);
  });
  EXPECT_EQ(report.executions, 2U);
  EXPECT_EQ(report.classes, 1U);
}

TEST(AtomicWait, ReturnsWhenTheValueHasChangedAndANotificationCame) {
  explored([] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          x.wait(0);
          check(x.load() != 0);
        },
        [&] {
          x.store(1);
          x.notify_one();
        });
  });
}

TEST(AtomicWait, ForWhatIsChangedWithoutANotificationIsADeadlock) {
  const FoundFailure failure = failure_of(quietly(), [] {
    atomic<int> x{0};
    in_parallel([&] { x.wait(0); }, [&] { x.store(1); });
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
}

TEST(AtomicNotifyOne, WakesAnyOfTheWaiters) {
  std::set<int> first_woken;
  explored(within(1), [&] {
    atomic<int> x{0};
    atomic<int> first{-1};
    const auto wait = [&](int who) {
      x.wait(0);
      int nobody = -1;
      first.compare_exchange_strong(nobody, who);
    };
    in_parallel([&] { wait(0); }, [&] { wait(1); },
        [&] {
          x.store(1);
          x.notify_one();
          while (first.load() < 0) yield();
          x.notify_all();
        });
    first_woken.insert(first.load());
  });
  EXPECT_THAT(first_woken, ElementsAre(0, 1));
}

TEST(SpuriousFailures, OfWeakCompareExchangeHappenOnlyWhenAskedForAndCostOnePreemption) {
  const auto body = [] {
    atomic<int> x{1};
    int expected = 1;
    const bool weak = x.compare_exchange_weak(expected, 2);
    check(expected == 1);
    expected = weak ? 2 : 1;
    check(x.compare_exchange_strong(expected, 3), "a strong one does not fail for nothing");
    return weak;
  };
  EXPECT_THAT(outcomes_by_bound(body), ElementsAre(Pair(true, 0U)));
  EXPECT_THAT(outcomes_by_bound(body, quietly({.spurious_failures = true})),
      ElementsAre(Pair(false, 1U), Pair(true, 0U)));
}

}  // namespace

}  // namespace hocket::test
