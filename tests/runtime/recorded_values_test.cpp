// What recorded steps note beside their operation: values that were compared, times, deadlines.
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/hocket.hpp>
#include "runtime/diagnosis/time_text.hpp"
#include "scheduler/schedules/schedule.hpp"

#include "tests/support/failure_of.hpp"

namespace {

using namespace std::chrono_literals;

/// What the steps of the failing execution have noted, but for the failure itself.
std::vector<std::string> noted_by(void (*body)()) {
  const hocket::FoundFailure failure = hocket::test::failure_of(body);
  std::vector<std::string> all;
  if (failure.schedule == nullptr) return all;
  for (const auto& choice : failure.schedule->choices) {
    for (const std::string& note : choice.notes) {
      if (!note.starts_with("FAILS")) all.push_back(note);
    }
  }
  return all;
}

TEST(RecordedValues, OfACompareExchangeAreWhatItExpectedFoundAndWrote) {
  EXPECT_EQ(noted_by([] {
    hocket::atomic<int> top{3};
    int expected = 4;
    top.compare_exchange_strong(expected, 5);
    top.compare_exchange_strong(expected, 5);
    hocket::check(false, "the end");
  }),
      (std::vector<std::string>{"failed, expected 4, found 3", "succeeded, 3 becomes 5"}));
}

TEST(RecordedValues, OfTheClockAreTimesSinceTheBeginning) {
  EXPECT_EQ(noted_by([] {
    hocket::steady_clock::now();
    hocket::this_thread::sleep_for(1500us);
    hocket::steady_clock::now();
    hocket::check(false, "the end");
  }),
      (std::vector<std::string>{"0 s", "for 1.5 ms, until 1.5 ms", "1.5 ms"}));
}

TEST(RecordedValues, OfTimedWaitsAreTheirDeadlines) {
  EXPECT_EQ(noted_by([] {
    hocket::mutex mutex;
    hocket::condition_variable changed;
    hocket::timed_mutex other;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, 20ms);
    static_cast<void>(other.try_lock_for(5ms));
    hocket::check(false, "the end");
  }),
      (std::vector<std::string>{"until 20 ms", "expired", "until 25 ms", "succeeded"}));
}

TEST(TimeText, HasAsManyDigitsAsItNeedsInTheLargestUnitThatFits) {
  using hocket::runtime::time_text;
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(1), "1 ns");
  EXPECT_EQ(time_text(1'000), "1 µs");
  EXPECT_EQ(time_text(1'000'001), "1.000001 ms");
  EXPECT_EQ(time_text(90'500'000'000), "90.5 s");
  EXPECT_EQ(time_text(-1'500), "-1.5 µs");
}

}  // namespace
