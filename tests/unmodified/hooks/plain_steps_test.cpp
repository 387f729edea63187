// Plain reads and writes as steps: what a data race does, once the user has accepted it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/folder.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace {

using hocket::Detector;
using hocket::Detectors;
using hocket::Options;
using hocket::Report;
using hocket::Verdict;
using unmodified::check;
using unmodified::exhaustively;

Options plain_steps(const std::string& strategy = "auto", unsigned bound = hocket::unbounded) {
  return hocket::test::quietly({.strategy = strategy,
      .max_preemptions = bound,
      .plain_steps = true,
      .detect = Detectors().without(Detector::races)});
}

/// Threads as C code has them: what the library does to start one are no steps of instrumented code.
template <class One, class Other>
void in_two_threads(One& one, Other& other) {
  pthread_t threads[2];
  pthread_create(
      &threads[0], nullptr, [](void* function) -> void* { return (*static_cast<One*>(function))(), nullptr; },
      &one);
  pthread_create(
      &threads[1], nullptr,
      [](void* function) -> void* { return (*static_cast<Other*>(function))(), nullptr; }, &other);
  pthread_join(threads[0], nullptr);
  pthread_join(threads[1], nullptr);
}

int counter = 0;

void count_twice() {
  const auto increment = [] { ++counter; };
  unmodified::in_parallel(increment, increment);
  check(counter == 2, "an update is lost");
}

TEST(ARacyCounter, LosesAnUpdateWhenPlainAccessesAreSteps) {
  const hocket::FoundFailure failure = unmodified::failure_of(count_twice, plain_steps());
  EXPECT_EQ(failure.message, "an update is lost");
  EXPECT_EQ(failure.bound, 1U);
}

TEST(ARacyCounter, LosesNoneWhenTheyAreNot) {
  EXPECT_EQ(unmodified::explored(count_twice, exhaustively({.detect = Detectors().without(Detector::races)}))
                .verdict,
      Verdict::passed_exhaustively);
}

TEST(ARacyCounter, IsADataRaceWhereThoseAreLookedForAlsoWhenItsAccessesAreSteps) {
  const hocket::FoundFailure failure =
      unmodified::failure_of(count_twice, exhaustively({.plain_steps = true}));
  EXPECT_EQ(failure.kind, hocket::FailureKind::data_race);
  EXPECT_EQ(failure.bound, 0U);
  EXPECT_NE(failure.message.find("counter"), std::string::npos) << failure.message;
}

TEST(AScheduleWithPlainSteps, SaysSoInItsFileAndReplaysWithoutBeingAskedAgain) {
  const hocket::test::Folder folder;
  Options options = plain_steps();
  options.save_schedules = true;
  options.schedule_dir = folder.path().string();
  const hocket::FoundFailure found = unmodified::failure_of(count_twice, options);
  ASSERT_FALSE(found.schedule_file.empty());
  const Report again = hocket::test::report_of({.replay = found.schedule_file}, count_twice);
  ASSERT_EQ(again.verdict, Verdict::failed) << again;
  EXPECT_EQ(again.failures.at(0).message, "an update is lost");
}

TEST(APlainRead, ThatIsRepeatedUntilItFindsSomethingNewGivesWay) {
  unmodified::explored(plain_steps("auto", 1), [] {
    static volatile bool is_ready = false;
    std::thread waits([] {
      while (!is_ready) {
      }
    });
    is_ready = true;
    waits.join();
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// The same classes as with atomics in the place of the plain variables

struct Counts {
  std::uint64_t classes = 0;
  std::vector<std::uint64_t> by_bound;

  friend bool operator==(const Counts&, const Counts&) = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.classes << " classes:";
  for (const std::uint64_t bound : counts.by_bound) *out << ' ' << bound;
}

Counts counts_of(const std::function<void()>& body, Options options, const std::string& strategy) {
  options.strategy = strategy;
  const Report report = unmodified::explored(body, options);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  Counts counts{report.classes, {}};
  for (const hocket::BoundReport& bound : report.bounds) {
    if (bound.classes != 0) counts.by_bound.push_back(bound.classes);
  }
  return counts;
}

/// A variable as a program that knows of no races has it, and as an atomic.
struct Plain {
  alignas(8) volatile int value = 0;
  int load() const { return value; }
  void store(int next) { value = next; }
};
struct Atomic {
  std::atomic<int> value{0};
  int load() const { return value.load(std::memory_order_relaxed); }
  void store(int next) { value.store(next, std::memory_order_relaxed); }
};

template <class Variable>
void increment_each_other() {
  static Variable x;
  static Variable y;
  auto one = [] {
    x.store(y.load() + 1);
    y.store(x.load() + 1);
  };
  auto other = [] {
    y.store(x.load() + 1);
    x.store(y.load() + 1);
  };
  in_two_threads(one, other);
}

template <class Variable>
void write_beside_each_other() {
  static std::array<Variable, 2> pair;
  auto one = [] {
    for (int n = 0; n < 3; ++n) pair[0].store(n);
    pair[1].load();
  };
  auto other = [] {
    for (int n = 0; n < 3; ++n) pair[1].store(n);
    pair[0].load();
  };
  in_two_threads(one, other);
}

TEST(PlainSteps, HaveTheClassesOfAtomicLoadsAndStores) {
  for (const char* strategy : {"icb", "cb-por", "dfs"}) {
    EXPECT_EQ(counts_of(&increment_each_other<Plain>, plain_steps(), strategy),
        counts_of(&increment_each_other<Atomic>, exhaustively(), strategy))
        << strategy;
    EXPECT_EQ(counts_of(&write_beside_each_other<Plain>, plain_steps(), strategy),
        counts_of(&write_beside_each_other<Atomic>, exhaustively(), strategy))
        << strategy;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Pieces of different sizes

union Pieces {
  std::uint64_t whole;
  std::uint8_t bytes[8];
};

/// Somebody who looks at all eight bytes sees any of the two that others write, one, both or none.
unsigned look_at_bytes_that_are_written() {
  static volatile Pieces pieces;
  auto writes = [] {
    pieces.bytes[0] = 1;
    pieces.bytes[5] = 1;
  };
  std::uint64_t seen = 0;
  auto looks = [&seen] { seen = pieces.whole; };
  in_two_threads(writes, looks);
  Pieces found{};
  found.whole = seen;
  return found.bytes[0] + 2U * found.bytes[5];
}

TEST(PlainSteps, ThatOverlapDependOnEachOtherWhateverTheirSizes) {
  for (const char* strategy : {"icb", "icb-por", "cb-por", "hb-cache", "dpor", "dfs-sleep"}) {
    std::array<bool, 4> was_seen{};
    const Report report = unmodified::explored(
        [&] { was_seen.at(look_at_bytes_that_are_written()) = true; }, plain_steps(strategy));
    EXPECT_EQ(was_seen, (std::array{true, true, false, true})) << strategy;
    EXPECT_EQ(report.classes, 3U) << strategy;
  }
}

TEST(PlainSteps, OverlapAtomicOperationsToo) {
  for (const char* strategy : {"icb", "cb-por"}) {
    std::array<bool, 2> has_locked{};
    unmodified::explored(plain_steps(strategy), [&] {
      static Pieces lock;
      lock.whole = 1;
      auto unlocks = [] { *static_cast<volatile std::uint64_t*>(&lock.whole) = 0; };
      bool locked = false;
      auto tries = [&locked] {
        std::uint8_t expected = 0;
        locked = std::atomic_ref(lock.bytes[0]).compare_exchange_strong(expected, 1);
      };
      in_two_threads(unlocks, tries);
      has_locked.at(locked ? 1 : 0) = true;
    });
    EXPECT_TRUE(has_locked[0] && has_locked[1]) << strategy;
  }
}

// Clang's hook for a copy, called as such: g++ has none.
extern "C" void* __tsan_memmove(void* to, const void* from, std::size_t size);

union AllPieces {
  std::uint64_t whole;
  std::uint32_t halves[2];
  std::uint8_t bytes[8];
};

template <class T>
bool replace(T& at, T before, T after) {
  return std::atomic_ref(at).compare_exchange_strong(before, after);
}

/// Nearly every order of the steps is another class, and which exchanges succeed differs.
void exchange_overlapping_pieces() {
  static AllPieces pieces;
  auto& as_volatile = static_cast<volatile AllPieces&>(pieces);
  auto one = [&] {
    as_volatile.bytes[1] = 1;
    replace(pieces.halves[0], 0x100U, 0U);
    as_volatile.halves[1] = 2;
    replace(pieces.whole, std::uint64_t{2} << 32U, std::uint64_t{0});
  };
  auto other = [&] {
    replace(pieces.bytes[1], std::uint8_t{1}, std::uint8_t{0});
    as_volatile.whole = 0;
    static_cast<void>(as_volatile.bytes[4]);
  };
  in_two_threads(one, other);
}

TEST(PlainSteps, ThatOverlapHaveTheSameClassesWithAndWithoutReductions) {
  const Counts all = counts_of(&exchange_overlapping_pieces, plain_steps(), "icb");
  EXPECT_EQ(counts_of(&exchange_overlapping_pieces, plain_steps(), "cb-por"), all);
  EXPECT_EQ(counts_of(&exchange_overlapping_pieces, plain_steps(), "hb-cache").classes, all.classes);
  EXPECT_EQ(counts_of(&exchange_overlapping_pieces, plain_steps(), "dfs-sleep").classes, all.classes);
  EXPECT_GT(all.classes, 10U);
}

TEST(PlainSteps, OverlapAtomicOperationsOfSixteenBytesAndTheirHalves) {
  struct alignas(16) Pair {
    std::uint64_t halves[2];
  };
  for (const char* strategy : {"icb", "cb-por"}) {
    std::array<bool, 2> has_changed{};
    const Report report = unmodified::explored(plain_steps(strategy), [&] {
      static Pair pair;
      auto writes = [] { *static_cast<volatile std::uint64_t*>(&pair.halves[1]) = 1; };
      bool changed = false;
      auto tries = [&changed] {
        std::atomic_ref(pair.halves[0]).fetch_add(1);
        Pair expected{{1, 0}};
        changed =
            __atomic_compare_exchange(&pair, &expected, &pair, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      };
      in_two_threads(writes, tries);
      has_changed.at(changed ? 1 : 0) = true;
    });
    EXPECT_TRUE(has_changed[0] && has_changed[1]) << strategy << report;
  }
}

TEST(PlainSteps, OfACopyAreOne) {
  struct Wide {
    std::uint64_t words[5];
  };
  for (const char* strategy : {"icb", "cb-por"}) {
    const Report report = unmodified::explored(plain_steps(strategy), [] {
      static Wide shared{};
      Wide ones{{1, 1, 1, 1, 1}};
      auto writes = [&ones] { __tsan_memmove(&shared, &ones, sizeof shared); };
      Wide seen{};
      auto looks = [&seen] { __tsan_memmove(&seen, &shared, sizeof shared); };
      in_two_threads(writes, looks);
      for (const std::uint64_t word : seen.words) check(word == seen.words[0], "torn");
    });
    EXPECT_EQ(report.classes, 2U) << report;
  }
}

void add_up_long_array() {
  constexpr std::size_t kLength = 10'000;
  static std::array<volatile int, kLength> numbers;  // else compilers access several at once
  auto fill = [] {
    for (std::size_t n = 0; n < kLength; ++n) numbers[n] = static_cast<int>(n);
    return 0;
  };
  auto do_nothing = [] { return 0; };
  in_two_threads(fill, do_nothing);
  std::int64_t sum = 0;
  for (std::size_t n = 0; n < kLength; ++n) sum += numbers[n];
  check(sum == 49'995'000, "a number is missing");
}

TEST(PlainSteps, MayBeManyMoreThanStepsUsuallyAre) {
  EXPECT_EQ(hocket::explore("plain", add_up_long_array, plain_steps("auto", 0)).verdict,
      Verdict::passed_within_bound);
}

TEST(PlainSteps, AreAsManyAsTheLimitAllows) {
  Options options = plain_steps("auto", 0);
  options.max_steps = 20'000;
  const hocket::FoundFailure failure = unmodified::failure_of(add_up_long_array, options);
  EXPECT_THAT(failure.message, testing::HasSubstr("reached the limit of 20000 steps"));
}

}  // namespace
