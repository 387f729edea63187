// Code in which no thread is preempted, or in which alone threads are: --hocket_seal and --hocket_open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "scheduler/schedules/schedule_file.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

[[gnu::noinline]] void add_in_two_steps(atomic<int>& sum) {
  const int before = sum.load();
  sum.store(before + 1);
}

[[gnu::noinline]] void look_at_twice(atomic<int>& sum) {
  static_cast<void>(sum.load());
  static_cast<void>(sum.load());
}

/// Calls the operation through the standard library.
[[gnu::noinline]] void lock_two(mutex& one, mutex& other) {
  const std::lock_guard outer(one);
  const std::lock_guard inner(other);
}

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void lose_an_addition() {
  atomic<int> sum{0};
  in_parallel(
      [&] { add_in_two_steps(sum), look_at_twice(sum); }, [&] { add_in_two_steps(sum), look_at_twice(sum); });
  check(sum.load() == 2, "an addition is lost");
}

void lock_in_both_orders() {
  mutex one;
  mutex other;
  in_parallel([&] { lock_two(one, other); }, [&] { lock_two(other, one); });
}

Options sealing(const std::string& patterns, Options options = exhaustively()) {
  options.seal = patterns;
  return options;
}

Options opening(const std::string& patterns, Options options = exhaustively()) {
  options.open = patterns;
  return options;
}

std::string complaint_about(const Options& options) {
  try {
    explore("additions", &lose_an_addition, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(ASeal, KeepsThreadsFromBeingPreemptedInAFunction) {
  EXPECT_TRUE(explore("additions", &lose_an_addition, exhaustively()).failed());
  const Report sealed = explore("additions", &lose_an_addition, sealing("add_in_two_steps"));
  EXPECT_EQ(sealed.verdict, Verdict::passed_within_bound) << sealed;
  EXPECT_EQ(sealed.sealed, "in add_in_two_steps");
  EXPECT_THAT(to_text(sealed), AllOf(HasSubstr("preemptions, without preemptions in add_in_two_steps: "),
                                   Not(HasSubstr("every schedule there is"))));
}

TEST(ASeal, LeavesThePreemptionsOfOtherFunctions) {
  const Report report = explore("additions", &lose_an_addition, sealing("look_at_twice"));
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures[0].bound, 1U);
  const std::uint64_t sealed = explore("additions", &lose_an_addition, sealing("add_in_two")).executions;
  EXPECT_GT(sealed, explore("additions", &lose_an_addition, sealing("*")).executions);
}

TEST(ASeal, MayBeOnAFile) {
  const Report report = explore("additions", &lose_an_addition, sealing("scheduler/seals_test.cpp$"));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_EQ(report.executions, 2U);  // who begins
}

TEST(ASeal, IsOnTheUsersFunctionWhereTheStandardLibraryCallsTheOperation) {
  EXPECT_TRUE(explore("locks", &lock_in_both_orders, exhaustively()).failed());
  EXPECT_TRUE(explore("locks", &lock_in_both_orders, sealing("std::lock_guard")).failed());
  EXPECT_FALSE(explore("locks", &lock_in_both_orders, sealing("lock_two")).failed());
}

TEST(ASeal, LeavesSwitchesWhereThreadsBlockOrYield) {
  const Report report = report_of(sealing("*", quietly()), [] {
    mutex m;
    condition_variable changed;
    atomic<bool> is_seen{false};
    bool is_ready = false;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          changed.wait(lock, [&] { return is_ready; });
          is_seen = true;
        },
        [&] {
          {
            const std::lock_guard lock(m);
            is_ready = true;
          }
          changed.notify_one();
          while (!is_seen) yield();
        });
  });
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_GE(report.executions, 2U);
}

TEST(AnOpening, LeavesThePreemptionsOfItsCodeAlone) {
  EXPECT_TRUE(explore("additions", &lose_an_addition, opening("add_in_two_steps")).failed());
  const Report report = explore("additions", &lose_an_addition, opening("^look_at_*$"));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_THAT(to_text(report), HasSubstr(", without preemptions outside ^look_at_*$: "));
}

TEST(AnOpening, MayHaveSealsInIt) {
  Options options = opening("seals_test.cpp,nothing");
  options.seal = "add_in_two_steps";
  const Report report = explore("additions", &lose_an_addition, options);
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_EQ(report.sealed, "in add_in_two_steps and outside seals_test.cpp or nothing");
  EXPECT_EQ(report.executions, explore("additions", &lose_an_addition, sealing("add_in_two")).executions);
}

TEST(ASeal, ThatNoStepIsInIsToldAndLeavesNothingOut) {
  const Report report = report_of(sealing("no_such_function"), [] {});
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_THAT(
      report.note, HasSubstr("no step was in code that matches \"no_such_function\", of --hocket_seal"));
  const Report other = explore("additions", &lose_an_addition, sealing("add_in_two_steps"));
  EXPECT_THAT(other.note, IsEmpty());
}

TEST(ASealedSearch, IsRefusedToStrategiesThatWouldMissSchedules) {
  for (const char* const strategy : {"icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
    EXPECT_THAT(complaint_about(sealing("add", with(strategy))),
        HasSubstr(std::string("hocket: ") + strategy + " cannot leave out the preemptions of some code"));
  }
  for (const char* const strategy : {"auto", "icb", "hb-cache", "delay", "best-first", "mix", "dfs", "idfs"})
    EXPECT_EQ(complaint_about(sealing("add_in_two", with(strategy))), "") << strategy;
}

TEST(ASealedSearch, SaysWhatItLeftOutAlsoWithoutABound) {
  EXPECT_THAT(to_text(explore("additions", &lose_an_addition, sealing("add_in_two_steps", with("dfs")))),
      HasSubstr("additions: passed every schedule, without preemptions in add_in_two_steps: "));
}

TEST(APatternOfASeal, IsRefusedIfItIsEmptyOrHasManyAsterisks) {
  EXPECT_THAT(
      complaint_about(sealing("a,,b")), HasSubstr("\"a,,b\" has a pattern that is empty; write parts of"));
  EXPECT_THAT(complaint_about(opening("a,")), HasSubstr("\"a,\" has a pattern that is empty"));
  EXPECT_THAT(complaint_about(opening("a*b*c*d*e*f*g*h*i*j")), HasSubstr("a pattern that is of more than 8"));
}

class AFailureOfASealedSearch : public ::testing::Test {
 protected:
  Options saving() const {
    Options options = opening("add_in_two_steps");
    options.save_schedules = options.try_saved = true;
    options.schedule_dir = folder_.path().string();
    return options;
  }

  const Folder folder_;
};

TEST_F(AFailureOfASealedSearch, IsReplayedByItsFile) {
  const Report report = explore("additions", &lose_an_addition, saving());
  ASSERT_EQ(report.failures.size(), 1U) << report;
  Options options = quietly({.replay = report.failures[0].schedule_file});
  EXPECT_EQ(read_schedule(options.replay).open, "add_in_two_steps");
  options.minimize_file = true;
  const Report replayed = explore("additions", &lose_an_addition, options);
  EXPECT_EQ(replayed.verdict, Verdict::failed) << replayed;
  EXPECT_EQ(read_schedule(options.replay).open, "add_in_two_steps");
}

TEST_F(AFailureOfASealedSearch, IsRefusedIfItsFileHasPatternsThatAreNone) {
  Report report = explore("additions", &lose_an_addition, saving());
  Schedule schedule = read_schedule(report.failures.at(0).schedule_file);
  schedule.open = ",";
  replace(report.failures[0].schedule_file, schedule);
  try {
    explore("additions", &lose_an_addition, quietly({.replay = report.failures[0].schedule_file}));
    ADD_FAILURE() << "the file was followed";
  } catch (const ScheduleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("additions.schedule.json: \",\" has a pattern that is empty"));
  }
}

TEST_F(AFailureOfASealedSearch, IsNotTakenToBeFixedByASearchThatLeavesItOut) {
  ASSERT_TRUE(explore("additions", &lose_an_addition, saving()).failed());
  Options options = saving();
  options.seal = "add_in_two_steps";
  const auto with_another_step = [] {
    atomic<int> other{0};
    other = 1;
    lose_an_addition();
  };
  const Report report = explore("additions", with_another_step, options);
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "additions.schedule.json"));
}

}  // namespace

}  // namespace hocket::test
