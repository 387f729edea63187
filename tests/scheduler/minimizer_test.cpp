// A failing schedule is made shorter as long as it fails in the same way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "scheduler/schedules/schedule.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::chrono::minutes kAsLongAsItTakes(1);

Options found_by(const char* strategy, std::uint64_t seed = 1) {
  return quietly({.strategy = strategy, .seed = seed, .minimize = kAsLongAsItTakes});
}

/// Two threads that add to `counter` without a lock. Each first makes `before` steps that do not matter.
void lose_an_update(int before) {
  atomic<int> counter{0};
  atomic<int> noise{0};
  const auto work = [&] {
    for (int n = 0; n < before; ++n) noise.fetch_add(1);
    const int read = counter.load();
    counter.store(read + 1);
    for (int n = 0; n < before; ++n) noise.fetch_add(1);
  };
  in_parallel(work, work);
  check(counter.load() == 2, "an update was lost");
}

unsigned turns_of(const Schedule& schedule) {
  unsigned turns = 0;
  unsigned last = ~0U;
  for (const auto& choice : schedule.choices) {
    if (!choice.is_value && choice.thread != std::exchange(last, choice.thread)) ++turns;
  }
  return turns;
}

TEST(AMinimizedSchedule, HasTheLeastPreemptionsHoweverManyItWasFoundWith) {
  unsigned most = 0;
  for (const char* strategy : {"random", "pos", "urw"}) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
      const Report report = report_of(found_by(strategy, seed), [] { lose_an_update(10); });
      ASSERT_THAT(report.failures, SizeIs(1)) << strategy;
      const FoundFailure& failure = report.failures.front();
      EXPECT_EQ(failure.bound, 1U) << report;
      EXPECT_EQ(failure.known_least, failure.bound) << report;
      EXPECT_EQ(turns_of(*failure.schedule), 4U)
          << report;  // one thread, the other, the first again, and main
      most = std::max(most, failure.found_bound);
    }
  }
  EXPECT_GT(most, 5U);
}

TEST(AMinimizedSchedule, IsToldOfTogetherWithWhatWasFound) {
  const Report report = report_of(found_by("random"), [] { lose_an_update(10); });
  const unsigned found = report.failures.at(0).found_bound;
  EXPECT_THAT(to_text(report), HasSubstr("Found with " + std::to_string(found) + " preemptions "));
  EXPECT_THAT(to_text(report), HasSubstr(". 1 is enough, as in the schedule below, and fewer are not."));
}

TEST(AMinimizedSchedule, IsTheOneThatWasFoundIfThereIsNoTimeForIt) {
  Options options = found_by("random");
  options.minimize = std::chrono::seconds(0);
  const Report report = report_of(options, [] { lose_an_update(10); });
  const FoundFailure& failure = report.failures.at(0);
  EXPECT_GT(failure.bound, 1U);
  EXPECT_EQ(failure.found_bound, failure.bound);
  EXPECT_EQ(failure.known_least, 0U);
  EXPECT_THAT(failure.schedule->found_choices, SizeIs(0));
}

TEST(AMinimizedSchedule, ChoosesTheLeastValuesThatFail) {
  const Report report = report_of(found_by("random"), [] {
    const std::uint32_t of_no_matter = choose(100);
    const std::uint32_t matters = choose(1000);
    static_cast<void>(of_no_matter);
    check(matters < 37, "too much");
  });
  const Schedule& schedule = *report.failures.at(0).schedule;
  ASSERT_THAT(schedule.choices, SizeIs(2));
  EXPECT_EQ(schedule.choices[0].code, 0U);
  EXPECT_EQ(schedule.choices[1].code, 37U);
}

TEST(AMinimizedSchedule, HasNoExpiriesAndSpuriousResultsThatDoNotMatter) {
  Options options = found_by("random");
  options.spurious_wakeups = options.spurious_failures = true;
  options.max_executions = 100;
  const Report report = report_of(options, [] {
    mutex m;
    condition_variable changed;
    atomic<int> x{0};
    const auto work = [&] {
      std::unique_lock lock(m);
      changed.wait_for(lock, std::chrono::milliseconds(1));
      int expected = 0;
      x.compare_exchange_weak(expected, 1);
    };
    in_parallel(work, work, [&] { changed.notify_all(); });
    check(false, "always");
  });
  const FoundFailure& failure = report.failures.at(0);
  EXPECT_EQ(failure.bound, 0U) << report;
  for (const auto& choice : failure.schedule->choices) {
    EXPECT_EQ(choice.is_value ? choice.code : 0U, 0U) << report;
    EXPECT_NE(choice.mode, runtime::Mode::spurious) << report;
  }
}

TEST(AMinimizedSchedule, FailsInTheSameWayAsTheOneThatWasFound) {
  const auto body = [] {
    atomic<int> x{0};
    atomic<int> y{0};
    const auto work = [&](atomic<int>& of, int) {
      const int read = of.load();
      of.store(read + 1);
    };
    in_parallel([&] { work(x, 0), work(y, 0); }, [&] { work(x, 1), work(y, 1); });
    check(x.load() == 2, "x lost an update");  // alone it needs a preemption, as y does
    check(y.load() == 2, "y lost an update");
  };
  Options options = found_by("random");
  options.keep_going = true;
  options.max_executions = 500;
  const Report report = explore("two failures", body, options);
  std::map<std::string, unsigned> bounds;
  for (const FoundFailure& failure : report.failures) {
    bounds[failure.message] = failure.bound;
    EXPECT_EQ(failure.known_least, failure.bound);
  }
  EXPECT_EQ(bounds, (std::map<std::string, unsigned>{{"x lost an update", 1}, {"y lost an update", 1}}));
}

TEST(AMinimizedSchedule, OfADeadlockIsThatDeadlock) {
  const auto body = [] {
    mutex first;
    mutex second;
    atomic<int> noise{0};
    const auto work = [&](mutex& one, mutex& other) {
      for (int n = 0; n < 4; ++n) noise.fetch_add(1);
      const std::lock_guard outer(one);
      const std::lock_guard inner(other);
    };
    in_parallel([&] { work(first, second); }, [&] { work(second, first); });
  };
  Options options = found_by("random");
  options.max_executions = 1000;
  const Report report = explore("deadlock", body, options);
  const FoundFailure& failure = report.failures.at(0);
  EXPECT_EQ(failure.kind, runtime::FailureKind::deadlock);
  EXPECT_EQ(failure.bound, 1U) << report;
  EXPECT_EQ(failure.known_least, failure.bound);
}

class AMinimizedFile : public ::testing::Test {
 protected:
  const Folder folder_;
};

TEST_F(AMinimizedFile, HoldsBothSchedulesAndBothReplay) {
  Options options = found_by("random");
  options.save_schedules = true;
  options.schedule_dir = folder_.path().string();
  const auto body = [] { lose_an_update(10); };
  const Report report = explore("lost update", body, options);
  const FoundFailure& failure = report.failures.at(0);
  const Schedule saved = read_schedule(failure.schedule_file);
  EXPECT_EQ(saved.bound, 1U);
  EXPECT_EQ(saved.found_bound, failure.found_bound);
  EXPECT_GT(saved.found_choices.size(), 0U);

  options.replay = failure.schedule_file;
  const Report shorter = explore("lost update", body, options);
  EXPECT_EQ(shorter.verdict, Verdict::failed) << shorter;
  EXPECT_EQ(shorter.failures.at(0).bound, 1U);

  options.replay_original = true;
  const Report as_found = explore("lost update", body, options);
  EXPECT_EQ(as_found.verdict, Verdict::failed) << as_found;
  EXPECT_EQ(as_found.failures.at(0).bound, failure.found_bound);
  EXPECT_EQ(to_json(read_schedule(failure.schedule_file)), to_json(saved));
}

TEST_F(AMinimizedFile, IsTheOriginalIfThereIsNoShorterSchedule) {
  Options options{.schedule_dir = folder_.path().string(), .try_saved = false};
  const auto body = [] { lose_an_update(0); };
  const Report report = explore("lost update", body, options);
  options.replay = report.failures.at(0).schedule_file;
  options.replay_original = true;
  try {
    explore("lost update", body, options);
    FAIL() << "it must be refused";
  } catch (const ScheduleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("this file holds the schedule as it was found"));
  }
}

TEST_F(AMinimizedFile, IsThereAlthoughAShorterScheduleEndsTheProcess) {
  Options options = found_by("random");
  options.save_schedules = true;
  options.schedule_dir = folder_.path().string();
  const ChildEnd end = in_supervised_child([&] {
    report_of(options, [] {
      const std::uint32_t value = choose(1000);
      check(value < 500, "too much");
      if (value == 0) std::abort();
    });
  });
  EXPECT_TRUE(end.exited_with(1)) << end.output;
  const Schedule saved = read_schedule(folder_.path() / "body.schedule.json");
  EXPECT_EQ(saved.message, "too much");
  EXPECT_THAT(saved.found_choices, SizeIs(0));
  EXPECT_EQ(read_schedule(folder_.path() / "body-2.schedule.json").kind, runtime::FailureKind::signal);
}

TEST_F(AMinimizedFile, CanBeMadeLaterFromAnyOther) {
  Options options = found_by("random");
  options.minimize = std::chrono::seconds(0);
  options.save_schedules = true;
  options.schedule_dir = folder_.path().string();
  const auto body = [] { lose_an_update(10); };
  const Report report = explore("lost update", body, options);
  const FoundFailure& failure = report.failures.at(0);
  options.replay = failure.schedule_file;
  options.minimize = kAsLongAsItTakes;
  options.minimize_file = true;
  const Report shorter = explore("lost update", body, options);
  EXPECT_EQ(shorter.failures.at(0).bound, 1U);
  EXPECT_EQ(shorter.failures.at(0).known_least, 1U);
  EXPECT_THAT(to_text(shorter), HasSubstr("1 is enough, as in the schedule below, and fewer are not."));
  const Schedule saved = read_schedule(failure.schedule_file);
  EXPECT_EQ(saved.bound, 1U);
  EXPECT_EQ(saved.found_bound, failure.bound);
  EXPECT_EQ(saved.executions, failure.executions);
  EXPECT_EQ(saved.strategy, "random");
}

}  // namespace

}  // namespace hocket::test
