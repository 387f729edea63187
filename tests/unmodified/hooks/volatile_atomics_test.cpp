// Accesses to volatile variables as atomic ones, on request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <thread>

#include "tests/support/folder.hpp"

#include "../support/collected.hpp"
#include "../support/std_bodies.hpp"

namespace unmodified {

namespace {

using ::testing::HasSubstr;

/// An atomic that is used as a volatile is: it has loads that acquire, and stores that release.
template <class T>
class Atomic {
 public:
  Atomic() = default;
  T operator=(T value) {  // NOLINT(misc-unconventional-assign-operator): as of a volatile number
    value_.store(value, std::memory_order_release);
    return value;
  }
  operator T() const {  // NOLINT(google-explicit-constructor): the same
    return value_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<T> value_{0};
};

Options with_volatile_atomics(const std::string& strategy = "icb") {
  return exhaustively({.strategy = strategy, .volatile_atomics = true});
}

/// Numbers that fit into a byte.
template <class Number>
std::uint64_t both_look_at_the_other() {
  Number x{};
  Number y{};
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  const auto one = [&] {
    x = 1;
    first = y;
  };
  const auto other = [&] {
    y = 1;
    second = x;
  };
  in_parallel(one, other);
  return 2 * first + second;
}
template <class Number>
std::uint64_t both_count() {
  Number n{};
  const auto count = [&] {
    for (int i = 0; i < 2; ++i) n = static_cast<unsigned char>(n + 1);
  };
  in_parallel(count, count);
  return static_cast<std::uint64_t>(n);
}
template <class Number>
std::uint64_t one_waits_for_data() {
  unsigned data = 0;
  Number is_ready{};
  std::thread writer([&] {
    data = 7;
    is_ready = 1;
  });
  while (is_ready == 0) {
  }
  const unsigned found = data;
  writer.join();
  return found;
}
template <class Number>
std::uint64_t one_of_two_enters() {
  Number claims[2]{};
  unsigned entered = 0;
  const auto enter = [&](unsigned self) {
    claims[self] = 1;
    if (claims[1 - self] == 0) entered = 10 * entered + self + 1;  // a data race if both could
    claims[self] = 0;
  };
  in_parallel([&] { enter(0); }, [&] { enter(1); });
  return entered;
}

struct Found {
  std::set<std::uint64_t> outcomes;
  std::uint64_t classes = 0;

  bool operator==(const Found&) const = default;
};
void PrintTo(const Found& found, std::ostream* out) {
  *out << found.classes << " classes " << ::testing::PrintToString(found.outcomes);
}

Found found_by(std::uint64_t (*body)(), const std::string& strategy) {
  Collected outcomes;
  const Report report = explored([&] { outcomes.add(body()); }, with_volatile_atomics(strategy));
  return {outcomes.all(), report.classes};
}

template <class T>
void has_the_executions_of_an_atomic() {
  for (const std::string strategy : {"icb", "icb-por", "cb-por", "hb-cache", "dpor", "dfs"}) {
    SCOPED_TRACE(strategy + ", " + std::to_string(sizeof(T)) + " bytes");
    EXPECT_EQ(found_by(both_look_at_the_other<volatile T>, strategy),
        found_by(both_look_at_the_other<Atomic<T>>, strategy));
    EXPECT_EQ(found_by(both_count<volatile T>, strategy), found_by(both_count<Atomic<T>>, strategy));
    EXPECT_EQ(found_by(one_waits_for_data<volatile T>, strategy),
        found_by(one_waits_for_data<Atomic<T>>, strategy));
    EXPECT_EQ(
        found_by(one_of_two_enters<volatile T>, strategy), found_by(one_of_two_enters<Atomic<T>>, strategy));
  }
}

TEST(AVolatileAsAnAtomic, HasTheExecutionsOfAnAtomicWhateverItsSize) {
  has_the_executions_of_an_atomic<std::uint8_t>();
  has_the_executions_of_an_atomic<std::uint16_t>();
  has_the_executions_of_an_atomic<std::uint32_t>();
  has_the_executions_of_an_atomic<std::uint64_t>();
}

TEST(AVolatileAsAnAtomic, IsOneOnRequestOnly) {
  Options options = with_volatile_atomics();
  options.volatile_atomics = false;
  const FoundFailure failure = failure_of([] { static_cast<void>(both_count<volatile int>()); }, options);
  EXPECT_EQ(failure.kind, FailureKind::data_race) << failure.message;
}

TEST(AVolatileAsAnAtomic, RacesWithAPlainAccess) {
  const FoundFailure failure = failure_of(with_volatile_atomics(), [] {
    int number = 0;
    volatile int& shared = number;
    in_parallel([&] { shared = 1; }, [&] { check(number < 2); });
  });
  EXPECT_EQ(failure.kind, FailureKind::data_race) << failure.message;
}

TEST(AVolatileAsAnAtomic, DoesNotMakeAReadAndAWriteOneOperation) {
  const FoundFailure failure =
      failure_of([] { check(both_count<volatile int>() == 4, "lost"); }, with_volatile_atomics());
  EXPECT_THAT(failure.message, HasSubstr("lost"));
}

TEST(AVolatileAsAnAtomic, FailsAgainFromItsFile) {
  const hocket::test::Folder folder;
  Options options = with_volatile_atomics();
  options.save_schedules = true;
  options.schedule_dir = folder.path().string();
  const auto body = [] { check(both_count<volatile int>() == 4, "lost"); };
  const Report found = hocket::explore("volatile", body, options);
  ASSERT_EQ(found.failures.size(), 1U) << found;
  options.volatile_atomics = false;  // the file says so
  options.replay = found.failures[0].schedule_file;
  const Report again = hocket::explore("volatile", body, options);
  ASSERT_EQ(again.failures.size(), 1U) << again;
  EXPECT_EQ(again.failures[0].message, found.failures[0].message);
}

// No single instruction reads or writes them. Clang has no hooks for accesses of ten bytes.
#ifndef __clang__
TEST(AVolatileThatIsTooLarge, IsPlain) {
  using TenBytes = long double;
  const FoundFailure failure = failure_of(with_volatile_atomics(), [] {
    volatile TenBytes number = 0;
    in_parallel([&] { number = 1; }, [&] { check(number < 2); });
  });
  EXPECT_EQ(failure.kind, FailureKind::data_race) << failure.message;
}
#endif

}  // namespace

}  // namespace unmodified
