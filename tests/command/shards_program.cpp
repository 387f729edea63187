// Small tests, of which merge_test.sh and jobs_test.sh run shards.
#include <csignal>
#include <cstdlib>
#include <memory>

#include <hocket/gtest.hpp>

#include "scheduler/search/jobs.hpp"

namespace {

/// Searches with --hocket_jobs are split at once if the variable is set, however short they are.
[[maybe_unused]] const bool kSplitsAtOnce = [] {
  const bool is_set = std::getenv("JOBS_AT_ONCE") != nullptr;
  if (is_set) hocket::Jobs::begin_after = {};
  return is_set;
}();

/// 2, or 1 if an increment is lost, as with one preemption.
int two_increments() {
  hocket::atomic<int> x{0};
  const auto add = [&] { x = x + 1; };
  hocket::thread first(add);
  hocket::thread second(add);
  first.join();
  second.join();
  return x;
}

HOCKET_TEST(Shards, OfATestThatPasses) {
  hocket::mutex lock;
  hocket::atomic<int> x{0};
  hocket::var<int> sum{0};
  const auto add = [&] {
    for (int n = 0; n < 2; ++n) {
      const int seen = x.fetch_add(1);
      const hocket::lock_guard guard(lock);
      sum = sum + seen;
    }
  };
  hocket::thread first(add);
  hocket::thread second(add);
  first.join();
  second.join();
  hocket::check(sum == 0 + 1 + 2 + 3);
}

HOCKET_TEST(Shards, OfATestThatFails) {
  hocket::check(two_increments() == 2, "an increment is lost");
}

/// Fails with one preemption, but only if the second thread begins: such executions are of few shards. With
/// two it fails in many others.
HOCKET_TEST(Jobs, OfTwoFailures) {
  hocket::atomic<int> is_second_first{0};
  hocket::atomic<int> x{0};
  hocket::atomic<int> y{0};
  bool adds = false;
  hocket::thread first([&] {
    const int before = y;
    hocket::check(before != 0 || y != 1, "it needs two preemptions");
    adds = is_second_first == 1;
    if (adds) x = x + 1;
  });
  hocket::thread second([&] { is_second_first = is_second_first == 0 ? 1 : 2; });
  hocket::thread third([&] {
    if (is_second_first == 0) is_second_first = 2;
    y = 1;
    y = 2;
    x.fetch_add(1);
  });
  first.join();
  second.join();
  third.join();
  hocket::check(!adds || x == 2, "it needs one preemption");
}

/// Ends the process where the threads meet, by the signal that the variable names, or by SIGSEGV.
HOCKET_TEST(Jobs, OfADeath) {
  const bool is_one_lost = two_increments() != 2;
  const char* const number = std::getenv("SIGNAL_OF_JOBS");
  if (is_one_lost) std::raise(number == nullptr ? SIGSEGV : std::atoi(number));
}

/// Far more schedules than a test waits for.
HOCKET_TEST(Jobs, OfALongSearch) {
  hocket::atomic<int> x{0};
  const auto add = [&] {
    for (int n = 0; n < 12; ++n) x.fetch_add(1);
  };
  hocket::thread first(add);
  hocket::thread second(add);
  hocket::thread third(add);
  first.join();
  second.join();
  third.join();
}

/// Its strategy cannot be split.
HOCKET_TEST_WITH(Jobs, OfAnotherStrategy, {.strategy = "dpor"}) {}

TEST(JobsPlain, IsNoSearch) {
  ASSERT_EQ(std::getenv("JOBS_FAIL"), nullptr);
}

}  // namespace
