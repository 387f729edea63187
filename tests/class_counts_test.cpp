// Happens-before classes by bound, for small programs whose numbers are known.
//
// The numbers are agreed on by two model checkers that count the same thing in other ways, GenMC
// (Kokologiannakis, Vafeiadis: "GenMC: A Model Checker for Weak Memory Models") and Nidhugg (Abdulla et al.:
// "Optimal Dynamic Partial Order Reduction"), and by a brute force over all prefixes. A class is a
// Mazurkiewicz trace; its bound is the least number of preemptions among its executions, after Musuvathi and
// Qadeer, "Partial-Order Reduction for Context-Bounded State Exploration".
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/bodies.hpp"
#include "tests/row_name.hpp"

namespace hocket::test {

namespace {

// ---------------------------------------------------------------------------------------------------------------------
// The programs

std::function<void()> increments(unsigned threads, int each) {
  return [=] {
    atomic<int> x{0};
    in_parallel_each(threads, [&](unsigned) {
      for (int n = 0; n < each; ++n) x.fetch_add(1);
    });
    check(x.load() == static_cast<int>(threads) * each, "an increment is lost");
  };
}

std::function<void()> locked_increments(unsigned threads, int each) {
  return [=] {
    mutex lock;
    int count = 0;
    in_parallel_each(threads, [&](unsigned) {
      for (int n = 0; n < each; ++n) {
        const std::lock_guard guard(lock);
        ++count;
      }
    });
    check(count == static_cast<int>(threads) * each, "the mutex does not exclude");
  };
}

/// Each thread increments each variable once, in the same order.
template <std::size_t variables>
std::function<void()> increments_of_each(unsigned threads) {
  return [=] {
    std::array<atomic<int>, variables> v;
    in_parallel_each(threads, [&](unsigned) {
      for (atomic<int>& x : v) x.fetch_add(1);
    });
  };
}

/// {write x} ∥ readers × {read x; write x}, or the readers alone.
std::function<void()> readers_that_write(bool with_writer, unsigned readers) {
  return [=] {
    atomic<int> x{0};
    const unsigned first_reader = with_writer ? 1 : 0;
    in_parallel_each(first_reader + readers, [&](unsigned n) {
      if (n >= first_reader) x.load();
      x.store(static_cast<int>(n) + 1);
    });
  };
}

std::function<void()> ring_that_reads_once() {
  return [] {
    std::array<atomic<int>, 3> v;
    in_parallel_each(3, [&](unsigned i) {
      for (int n = 0; n < 3; ++n) v[i].store(n);
      v[(i + 1) % 3].load();
    });
  };
}

std::function<void()> ring_that_reads_each_time(int rounds) {
  return [=] {
    std::array<atomic<int>, 3> v;
    in_parallel_each(3, [&](unsigned i) {
      for (int n = 0; n < rounds; ++n) {
        v[i].store(n);
        v[(i + 1) % 3].load();
      }
    });
  };
}

void store_buffering() {
  atomic<int> x{0};
  atomic<int> y{0};
  int seen_x = 0;
  int seen_y = 0;
  in_parallel([&] { x.store(1), seen_y = y.load(); }, [&] { y.store(1), seen_x = x.load(); });
  check(seen_x + seen_y > 0, "this is not sequentially consistent");
}

void message_passing() {
  atomic<int> x{0};
  atomic<int> y{0};
  in_parallel([&] { x.store(1), y.store(1); },
      [&] {
        const int flag = y.load();
        const int message = x.load();
        check(flag == 0 || message == 1, "the flag came before the message");
      });
}

void load_buffering() {
  atomic<int> x{0};
  atomic<int> y{0};
  in_parallel([&] { x.load(), y.store(1); }, [&] { y.load(), x.store(1); });
}

void cyclic_load_buffering() {
  std::array<atomic<int>, 3> v;
  in_parallel_each(3, [&](unsigned i) { v[i].load(), v[(i + 1) % 3].store(1); });
}

void independent_reads_of_independent_writes() {
  atomic<int> x{0};
  atomic<int> y{0};
  in_parallel(
      [&] { x.store(1); }, [&] { y.store(1); }, [&] { x.load(), y.load(); }, [&] { y.load(), x.load(); });
}

/// One meal for each philosopher.
template <unsigned philosophers>
std::function<void()> dining(bool lower_fork_first) {
  return [=] {
    std::array<mutex, philosophers> forks;
    in_parallel_each(philosophers, [&](unsigned i) {
      unsigned first = i;
      unsigned second = (i + 1) % philosophers;
      if (lower_fork_first && second < first) std::swap(first, second);
      const std::lock_guard one(forks[first]);
      const std::lock_guard other(forks[second]);
    });
  };
}

/// The deque of Cilk's THE protocol: the owner's pop takes the lock only in a conflict with a thief.
/// Frigo, Leiserson, Randall: "The Implementation of the Cilk-5 Multithreaded Language".
class TheDeque {
 public:
  void push(int value) {
    const int tail = tail_.load();
    items_[static_cast<std::size_t>(tail)].store(value);
    tail_.store(tail + 1);
  }

  std::optional<int> pop() {
    int tail = tail_.load() - 1;
    if (tail < 0) return {};
    tail_.store(tail);
    if (head_.load() > tail) {
      tail_.store(tail + 1);
      const std::lock_guard guard(lock_);
      tail = tail_.load() - 1;
      tail_.store(tail);
      if (head_.load() > tail) {
        tail_.store(tail + 1);
        return {};
      }
    }
    return items_[static_cast<std::size_t>(tail)].load();
  }

  std::optional<int> steal() {
    const std::lock_guard guard(lock_);
    const int head = head_.load();
    head_.store(head + 1);
    if (head + 1 > tail_.load()) {
      head_.store(head);
      return {};
    }
    return items_[static_cast<std::size_t>(head)].load();
  }

 private:
  atomic<int> head_{0};
  atomic<int> tail_{0};
  std::array<atomic<int>, 8> items_;
  mutex lock_;
};

void the_deque() {
  TheDeque deque;
  std::array<atomic<int>, 4> taken;
  const auto take = [&](std::optional<int> value) {
    if (value) check(taken[static_cast<std::size_t>(*value)].fetch_add(1) == 0, "an item is taken twice");
  };
  in_parallel(
      [&] {
        for (int value = 1; value <= 3; ++value) deque.push(value);
        for (int n = 0; n < 3; ++n) take(deque.pop());
      },
      [&] {
        for (int n = 0; n < 2; ++n) take(deque.steal());
      });
}

// ---------------------------------------------------------------------------------------------------------------------
// The table

using Counts = std::vector<std::uint64_t>;

struct About {
  unsigned last_bound_of_icb = unbounded;  ///< beyond, it would run for too long
  bool one_execution_a_class = false;      ///< every step changes the class: icb runs nothing twice
  unsigned deadlocked_classes = 0;
  unsigned deadlock_bound = 0;
};

struct Program {
  const char* name;
  std::function<void()> body;
  /// Classes whose bound is at most 0, 1, 2, …; the last number is the total.
  Counts classes;
  About about = {};
};

void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

// clang-format off
const std::vector<Program> kPrograms{
    // Every step changes the class: as many executions as classes.
    {"TwoThreadsOfFiveIncrements",           increments(2, 5),          {2, 10, 42, 90, 162, 210, 242, 250, 252}, {.one_execution_a_class = true}},
    {"ThreeThreadsOfThreeIncrements",        increments(3, 3),          {6, 42, 192, 552, 1062, 1506, 1680},      {.one_execution_a_class = true}},
    {"ThreeThreadsOfTwoLockedIncrements",    locked_increments(3, 2),   {6, 24, 60, 90},                          {.one_execution_a_class = true}},
    {"ThreeThreadsOfThreeLockedIncrements",  locked_increments(3, 3),   {6, 42, 192, 552, 1062, 1506, 1680},      {.one_execution_a_class = true}},
    // In the others, steps commute.
    {"ThreeThreadsIncrementXAndY",           increments_of_each<2>(3),  {6, 24, 36}},
    {"FourThreadsIncrementXAndY",            increments_of_each<2>(4),  {24, 168, 432, 576}},
    {"ThreeThreadsIncrementXAndYAndZ",       increments_of_each<3>(3),  {6, 42, 120, 192, 216}},
    {"FourThreadsReadAndWrite",              readers_that_write(false, 4), {24, 168, 432, 576}},
    {"AWriterAndAReaderThatWrites",          readers_that_write(true, 1),  {2, 3}},
    {"AWriterAndTwoReadersThatWrite",        readers_that_write(true, 2),  {6, 18, 22}},
    {"AWriterAndThreeReadersThatWrite",      readers_that_write(true, 3),  {24, 132, 264, 300}},
    {"RingThatReadsOnce",                    ring_that_reads_once(),       {6, 25, 37}},
    {"RingOfThreeRounds",                    ring_that_reads_each_time(3), {6, 54, 324, 1257, 2667, 3927, 4407, 4411}, {.last_bound_of_icb = 4}},
    {"RingOfFourRounds",                     ring_that_reads_each_time(4), {6, 78, 711, 4416, 16557, 45354, 89001, 125313, 142935, 146415, 146455}, {.last_bound_of_icb = 4}},
    {"StoreBuffering",                       store_buffering,              {2, 3}},
    {"MessagePassing",                       message_passing,              {2, 3}},
    {"LoadBuffering",                        load_buffering,               {2, 3}},
    {"CyclicLoadBufferingOfThreeThreads",    cyclic_load_buffering,        {6, 7}},
    {"IndependentReadsOfIndependentWrites",  independent_reads_of_independent_writes, {14, 15}},
    {"FourPhilosophersLowerForkFirst",       dining<4>(true),              {14}},
    {"ThreePhilosophersLeftForkFirst",       dining<3>(false),             {6},  {.deadlocked_classes = 1, .deadlock_bound = 1}},
    {"FourPhilosophersLeftForkFirst",        dining<4>(false),             {14}, {.deadlocked_classes = 1, .deadlock_bound = 1}},
    {"TheDequeOfThreeItemsAndTwoSteals",     the_deque,                    {2, 15, 70, 141, 180, 182}, {.last_bound_of_icb = 6}},
};
// clang-format on

#if defined(NDEBUG)
constexpr std::size_t kMostClasses = ~std::size_t{0};
#else  // with assertions, and perhaps sanitizers, the longest searches would take minutes
constexpr std::size_t kMostClasses = 20'000;
#endif

/// Explores `body`, which does what the program does, with a strategy that is complete within each bound, and
/// compares. `runs_each_class_once`: so many executions as classes.
void expect_the_counts_of(const Program& program, const std::function<void()>& body,
    const std::string& strategy, unsigned last_bound, bool runs_each_class_once) {
  Options options = quietly();
  options.strategy = strategy;
  options.max_preemptions = last_bound;
  options.keep_going = program.about.deadlocked_classes != 0;
  const Report report = explore(program.name, body, options);

  const bool has_an_end = last_bound == unbounded;
  if (program.about.deadlocked_classes != 0) {
    EXPECT_EQ(report.verdict, Verdict::failed);
    ASSERT_EQ(report.failures.size(), 1U) << report;
    EXPECT_EQ(report.failures[0].kind, FailureKind::deadlock);
    EXPECT_EQ(report.failures[0].bound, program.about.deadlock_bound);
  } else {
    EXPECT_EQ(report.verdict, has_an_end ? Verdict::passed_exhaustively : Verdict::passed_within_bound)
        << report;
  }
  EXPECT_EQ(report.failed_classes, program.about.deadlocked_classes);

  // Beyond the last number of a row there are executions, but no classes that a smaller bound does not have.
  Counts expected = program.classes;
  if (!has_an_end && expected.size() > last_bound + 1) expected.resize(last_bound + 1);
  expected.resize(std::max(expected.size(), report.bounds.size()), expected.back());
  Counts classes;
  Counts executions;
  for (const BoundReport& bound : report.bounds) {
    EXPECT_TRUE(bound.complete);
    classes.push_back(bound.classes + (classes.empty() ? 0 : classes.back()));
    executions.push_back(bound.executions - bound.failures + (executions.empty() ? 0 : executions.back()));
  }
  classes.resize(expected.size(), classes.back());
  executions.resize(expected.size(), executions.back());
  EXPECT_EQ(classes, expected);
  if (runs_each_class_once) {
    EXPECT_EQ(executions, expected);
  }
}

class ClassCounts : public ::testing::TestWithParam<Program> {
 protected:
  /// The last bound of a reduction, which gets to the end of every row.
  [[nodiscard]] static unsigned last_bound() {
    return GetParam().classes.back() <= kMostClasses ? unbounded : GetParam().about.last_bound_of_icb;
  }
};

TEST_P(ClassCounts, OfIcbAreThoseOfTheTableAtEveryBound) {
  expect_the_counts_of(GetParam(), GetParam().body, "icb", GetParam().about.last_bound_of_icb,
      GetParam().about.one_execution_a_class);
}

TEST_P(ClassCounts, OfHbCacheAreThoseOfTheTableToTheLastBound) {
  expect_the_counts_of(
      GetParam(), GetParam().body, "hb-cache", last_bound(), GetParam().about.one_execution_a_class);
}

TEST_P(ClassCounts, OfCbPorAreThoseOfTheTableWithOneExecutionEach) {
  expect_the_counts_of(GetParam(), GetParam().body, "cb-por", last_bound(), true);
}

TEST_P(ClassCounts, OfCbPorBasicAreThoseOfTheTableWithOneExecutionEach) {
  const unsigned bound = GetParam().classes.back() <= 20'000 ? unbounded : GetParam().about.last_bound_of_icb;
  expect_the_counts_of(GetParam(), GetParam().body, "cb-por-basic", bound, true);
}

TEST_P(ClassCounts, AreTheSameForThreadsAroundTheSixtyFourth) {
  const auto body = [] {
    for (int n = 0; n < 62; ++n) thread([] {}).join();
    GetParam().body();
  };
  expect_the_counts_of(
      GetParam(), body, "icb", GetParam().about.last_bound_of_icb, GetParam().about.one_execution_a_class);
  if (GetParam().classes.back() <= 300) expect_the_counts_of(GetParam(), body, "cb-por", unbounded, true);
}

/// Those that have no bounds meet the classes all the same.
TEST_P(ClassCounts, InAllAreThoseOfTheTableWithSleepSets) {
  const bool is_cut_off = GetParam().classes.back() > kMostClasses;
  Options options = quietly();
  options.strategy = "dfs-sleep";
  options.max_executions = is_cut_off ? kMostClasses : 0;
  options.keep_going = GetParam().about.deadlocked_classes != 0;
  const Report report = explore(GetParam().name, GetParam().body, options);
  EXPECT_EQ(report.classes, is_cut_off ? kMostClasses : GetParam().classes.back());
  EXPECT_EQ(report.failed_classes, GetParam().about.deadlocked_classes);
  EXPECT_EQ(report.executions, report.classes + report.failed_classes) << "a class is run twice";
}

INSTANTIATE_TEST_SUITE_P(Programs, ClassCounts, ::testing::ValuesIn(kPrograms), RowName());

}  // namespace

}  // namespace hocket::test
