// Each preemption of a failing schedule is explained by what happens without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <regex>
#include <stdexcept>
#include <string>

#include "runtime/execution/execution.hpp"
#include "samples/channel.hpp"
#include "scheduler/failures/minimizer.hpp"
#include "scheduler/failures/needed_preemptions.hpp"
#include "scheduler/process/interrupt.hpp"
#include "scheduler/replays/replay.hpp"
#include "scheduler/schedules/schedule.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

void lose_an_update() {
  atomic<int> counter{0};
  name(counter, "counter");
  const auto work = [&] { counter.store(counter.load() + 1); };
  in_parallel(work, work);
  check(counter.load() == 2, "an update was lost");
}

/// The reasons of the first failure's preemptions, a line each.
std::string reasons(const Report& report) {
  std::string text;
  for (const auto& [at, why] : report.failures.at(0).schedule->why) text += why + "\n";
  return text;
}

TEST(WhyAPreemptionIsNeeded, IsToldByTheStepsThatThenComeInTheOtherOrder) {
  const Report report = report_of(quietly(), [] { lose_an_update(); });
  EXPECT_THAT(reasons(report),
      ContainsRegex("^Without this preemption the test passes: step 4, atomic.store of counter by thread "
                    "[12] at [^ ]+, then comes before step 2, atomic.load by thread [12]\\.\n$"));
  EXPECT_THAT(to_text(report),
      ContainsRegex("thread [12] is preempted after [^\n]*\n(      [^\n]*\n)?  Without this preemption"));
}

TEST(WhyAPreemptionIsNeeded, NamesAStepThatTheFailingScheduleDoesNotReach) {
  const auto body = [] {
    mutex first;
    mutex second;
    name(first, "first");
    name(second, "second");
    const auto work = [](mutex& one, mutex& other) {
      const std::lock_guard outer(one);
      const std::lock_guard inner(other);
    };
    in_parallel([&] { work(first, second); }, [&] { work(second, first); });
  };
  const Report report = explore("deadlock", body, quietly());
  EXPECT_THAT(
      reasons(report), ContainsRegex("passes: mutex.lock of (first|second) by thread [12] at [^ ]+ then "
                                     "comes before step 2, mutex.lock by thread [12]\\."));
}

TEST(WhyAPreemptionIsNeeded, PrefersWhatIsReadAndWrittenToTheLocksThatProtectIt) {
  const auto body = [] {
    mutex lock;
    atomic<int> counter{0};
    name(lock, "lock");
    name(counter, "counter");
    const auto work = [&] {
      int read = 0;
      {
        const std::lock_guard reading(lock);
        read = counter.load();
      }
      const std::lock_guard writing(lock);
      counter.store(read + 1);
    };
    in_parallel(work, work);
    check(counter.load() == 2, "an update was lost");
  };
  EXPECT_THAT(reasons(explore("lost update", body, quietly())), HasSubstr("atomic.store of counter"));
}

TEST(WhyAPreemptionIsNeeded, SaysThatTheTestFailsInAnotherWayWithoutIt) {
  const auto body = [] {
    atomic<int> turn{0};
    const auto work = [&] {
      const int mine = turn.load();
      turn.store(mine + 1);
    };
    in_parallel(work, work);
    check(turn.load() != 1, "an update was lost");
    throw std::runtime_error("as always");
  };
  const Report report = explore("two failures", body, quietly({.keep_going = true}));
  for (const FoundFailure& failure : report.failures) {
    if (failure.message != "an update was lost") continue;
    ASSERT_THAT(failure.schedule->why, SizeIs(1));
    EXPECT_THAT(failure.schedule->why.begin()->second,
        HasSubstr("Without this preemption it fails in another way (exception): step"));
    return;
  }
  FAIL() << report;
}

TEST(WhyAPreemptionIsNeeded, IsThatItIsNotWhereTheTestFailsInTheSameWayWithoutIt) {
  const std::function<void()> body = [] {
    atomic<int> noise{0};
    const auto work = [&] {
      for (int n = 0; n < 20; ++n) noise.fetch_add(1);
    };
    in_parallel(work, work);
    check(false, "always");
  };
  const Options options = quietly({.strategy = "random", .minimize = std::chrono::seconds(0)});
  Schedule schedule = *explore("always", body, options).failures.at(0).schedule;
  ASSERT_GT(schedule.bound, 0U);
  ASSERT_THAT(schedule.why, IsEmpty());  // as there is no time for it

  const InterruptGuard guard;  // as in a search
  const Exploration exploration{body, options};
  FollowCodes chooser(codes_of(schedule));
  exploration.run(chooser, exploration.execution_options());
  const runtime::Failure failure = runtime::Execution::failure();
  explain_preemptions(exploration, exploration.execution_options(), failure,
      std::chrono::steady_clock::now() + std::chrono::minutes(1), schedule);
  ASSERT_THAT(schedule.why, Not(IsEmpty()));
  EXPECT_LE(schedule.why.size(), 8U);
  for (const auto& [at, why] : schedule.why)
    EXPECT_EQ(why, "Without this preemption it fails in the same way.");
}

TEST(WhyAPreemptionIsNeeded, NamesTheOneThatTakesItsPlace) {
  const Report report = explore(
      "channel", [] { samples::test_channel<samples::ChannelSeed::use_after_free>(); }, quietly("idfs"));
  EXPECT_THAT(reasons(report),
      ContainsRegex(
          "^Without this preemption worker [0-9] is preempted after step [0-9]+, atomic.fetch_sub of "
          "workers left at [^ ]+, which takes its place: it fails in the same way\\.\n$"));
}

TEST(WhyAPreemptionIsNeeded, IsInTheFileAndToldByAReplay) {
  const Folder folder;
  Options options{.schedule_dir = folder.path().string(), .try_saved = false};
  const Report report = report_of(options, [] { lose_an_update(); });
  ASSERT_THAT(reasons(report), HasSubstr("Without this preemption"));
  options.replay = report.failures.at(0).schedule_file;
  EXPECT_EQ(read_schedule(options.replay).why, report.failures.at(0).schedule->why);
  const Report again = report_of(options, [] { lose_an_update(); });
  EXPECT_EQ(reasons(again), reasons(report));
  EXPECT_THAT(to_text(again), HasSubstr(reasons(report)));
}

TEST(WhyAPreemptionIsNeeded, HasRowsForTheStepsThatItCites) {
  const auto body = [] {
    atomic<int> counter{0};
    atomic<int> noise{0};
    name(counter, "counter");
    const auto make_noise = [&] {
      for (int n = 0; n < 100; ++n) noise.fetch_add(1);
    };
    const auto work = [&] {
      make_noise();
      const int read = counter.load();
      make_noise();
      counter.store(read + 1);
      make_noise();
    };
    in_parallel(work, work);
    check(counter.load() == 2, "an update was lost");
  };
  const Report report = explore("lost update", body, quietly());
  const std::string why = reasons(report);
  const std::string table = render(*report.failures.at(0).schedule, {.max_rows = 60, .width = 80});
  EXPECT_THAT(table, HasSubstr("… the same step"));
  const std::regex step("step ([0-9]+), atomic.(load|store)");
  unsigned cited = 0;
  for (std::sregex_iterator found(why.begin(), why.end(), step); found != std::sregex_iterator(); ++found) {
    EXPECT_THAT(table, ContainsRegex("\n +" + (*found)[1].str() + "  .*" + (*found)[2].str() + " counter"));
    ++cited;
  }
  EXPECT_EQ(cited, 2U) << why;
}

TEST(WhyAPreemptionIsNeeded, IsFoundInTimeInALongSchedule) {
  constexpr int kRounds = 12'000;
  const std::function<void()> body = [] {
    atomic<int> counter{0};
    name(counter, "counter");
    const auto work = [&] {
      atomic<int> noise{0};
      const int read = counter.load();
      for (int n = 0; n < kRounds; ++n) noise.fetch_add(1);
      counter.store(read + 1);
    };
    in_parallel(work, work);
    check(counter.load() == 2, "an update was lost");
  };
  const Options options = quietly({.max_steps = 3 * kRounds});
  const Report report = explore("lost update", body, options);
  EXPECT_THAT(reasons(report), HasSubstr("passes: step"));

  Schedule schedule = *report.failures.at(0).schedule;
  ASSERT_GT(schedule.choices.size(), 2U * kRounds);
  schedule.why.clear();
  const InterruptGuard guard;  // as in a search
  const Exploration exploration{body, options};
  FollowCodes chooser(codes_of(schedule));
  exploration.run(chooser, exploration.execution_options());
  const runtime::Failure failure = runtime::Execution::failure();
  const auto begin = std::chrono::steady_clock::now();
  explain_preemptions(exploration, exploration.execution_options(), failure,
      std::chrono::steady_clock::now() + std::chrono::minutes(1), schedule);
  // Where each step of one thread was compared with each of the other, this took many times as long.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_THAT(schedule.why, SizeIs(1));
}

}  // namespace

}  // namespace hocket::test
