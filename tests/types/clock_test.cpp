// Time is virtual: when it moves, and what expires then.
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <set>
#include <string>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;

TEST(TheClock, MovesOnlyWhenNothingElseCanRun) {
  const auto outcomes = outcomes_by_bound([] {
    const auto begin = steady_clock::now();
    check(begin.time_since_epoch() == 0ns, "virtual time begins at 0");
    this_thread::sleep_for(3h);
    check(steady_clock::now() - begin == 3h, "nobody else could run");
    atomic<int> x{0};
    thread t([&] { x.store(1); });
    this_thread::sleep_for(1h);
    const bool waited = x.load() == 1;
    t.join();
    return waited;
  });
  EXPECT_EQ(outcomes.count(true), 1U);
  EXPECT_EQ(outcomes.at(true), 0U);
}

TEST(TheClock, IsAdvancedByAnExpiry) {
  explored([] {
    mutex m;
    condition_variable condition;
    std::unique_lock lock(m);
    const auto begin = steady_clock::now();
    condition.wait_for(lock, 250ms);
    check(steady_clock::now() - begin == 250ms);
    this_thread::sleep_until(begin + 1s);
    check(steady_clock::now() - begin == 1s);
  });
}

TEST(TheClock, IsAdvancedByNoLessThanAskedFor) {
  explored([] {
    const auto slept_for = [](auto duration) {
      const auto begin = steady_clock::now();
      this_thread::sleep_for(duration);
      return steady_clock::now() - begin;
    };
    check(slept_for(1ms) == 1ms);
    check(slept_for(7us) == 7us);
    check(slept_for(std::chrono::duration<double, std::milli>(0.25)) == 250us);
    check(slept_for(std::chrono::duration<int, std::pico>(1)) == 1ns);
  });
}

TEST(TimedWaits, ExpireInTheOrderOfTheirDeadlinesWhenNothingElseCanRun) {
  std::set<std::string> orders;
  explored(within(0), [&] {
    std::string order;
    mutex m;
    condition_variable condition;
    const auto wait = [&](char who, std::chrono::milliseconds time) {
      std::unique_lock lock(m);
      condition.wait_for(lock, time);
      order += who;
    };
    in_parallel([&] { wait('a', 30ms); }, [&] { wait('b', 10ms); }, [&] { wait('c', 20ms); });
    orders.insert(order);
  });
  EXPECT_EQ(orders.count("bca"), 1U);
}

}  // namespace

}  // namespace hocket::test
