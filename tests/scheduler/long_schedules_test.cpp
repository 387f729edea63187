// Schedules of very many steps: a file has a few thousand of them in full, and of the others what a replay
// needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <hocket/hocket.hpp>
#include "scheduler/schedules/schedule_text.hpp"

#include "tests/support/sample_schedule.hpp"
#include "tests/support/schedule_files.hpp"

namespace hocket::tests {

namespace {

using runtime::Operation;
using runtime::RecordedChoice;

constexpr std::size_t kVeryMany = 60'000;

/// In its middle, far from both ends, a thread is preempted and a value is chosen.
Schedule long_schedule() {
  Schedule schedule = sample_schedule();
  schedule.choices.clear();
  while (schedule.choices.size() < kVeryMany)
    schedule.choices.push_back(step(1, Operation::atomic_fetch_add, "hits", "queue.hpp:9", {"1"}));
  schedule.choices[kVeryMany / 2] = step(2, Operation::mutex_lock, "queue lock", "queue.hpp:21", {}, 1);
  schedule.choices[kVeryMany / 3] = value(1, Operation::choose, 5, 7, "queue.hpp:9");
  schedule.choices.back().notes = {"FAILS: an item was taken twice"};
  return schedule;
}

class LongSchedule : public ScheduleFile {};

TEST_F(LongSchedule, IsWrittenWithItsEndsAndWhatAReaderIsShownInFull) {
  const Schedule schedule = long_schedule();
  const std::string text = to_json(schedule);
  EXPECT_LT(text.size(), kVeryMany * 15);
  const Schedule again = schedule_from_json(text, "x.json");
  ASSERT_EQ(again.choices.size(), kVeryMany);
  for (const std::size_t n :
      {std::size_t{0}, std::size_t{1999}, kVeryMany / 2 - 1, kVeryMany / 2, kVeryMany - 1}) {
    EXPECT_FALSE(again.choices[n].is_left_out) << n;
    EXPECT_EQ(again.choices[n].object, schedule.choices[n].object) << n;
  }
  const auto left_out = std::count_if(again.choices.begin(), again.choices.end(),
      [](const RecordedChoice& choice) { return choice.is_left_out; });
  EXPECT_GT(left_out, 50'000);
  for (std::size_t n = 0; n < kVeryMany; ++n) {
    ASSERT_EQ(again.choices[n].code, schedule.choices[n].code) << n;
    ASSERT_EQ(again.choices[n].thread, schedule.choices[n].thread) << n;
    ASSERT_EQ(again.choices[n].is_value, schedule.choices[n].is_value) << n;
  }
  EXPECT_TRUE(again.choices[kVeryMany / 3].is_left_out);
}

TEST_F(LongSchedule, StaysTheSameWhenItIsWrittenAgain) {
  const std::string text = to_json(long_schedule());
  EXPECT_EQ(to_json(schedule_from_json(text, "x.json")), text);
}

TEST_F(LongSchedule, OfFewerStepsIsWrittenInFull) {
  Schedule schedule = long_schedule();
  schedule.choices.resize(kVeryMany / 2);
  EXPECT_EQ(to_json(schedule).find("\"choices\""), std::string::npos);
}

TEST_F(LongSchedule, IsShownWithAFoldForWhatTheFileLeavesOut) {
  const Schedule again = schedule_from_json(to_json(long_schedule()), "x.json");
  const std::string text = render(again, {.max_rows = 0, .width = 110, .color = false});
  EXPECT_NE(text.find(" steps of owner (only their order is in the file)"), std::string::npos);
  EXPECT_NE(text.find("— preempted —"), std::string::npos);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 10'000);
}

std::string with_steps(std::string_view steps) {
  std::string text = to_json(sample_schedule());
  const std::string_view begin = "\"schedule\": [";
  text.erase(text.find(begin) + begin.size());
  return text + std::string(steps) + "]}";
}

TEST_F(LongSchedule, ThatIsDamagedIsRefused) {
  EXPECT_EQ(complaint_about_text(with_steps(R"({"step": 1, "choices": [4, 8, 8195]})")), "");
  EXPECT_EQ(complaint_about_text(with_steps(R"({"step": 1, "choices": [4, 12]})")),
      hocket::tests::with(
          "x.json: step 1: \"choices\" has a step of thread number 4, but \"threads\" has 3", kUndo));
  EXPECT_EQ(complaint_about_text(with_steps(R"({"step": 1, "choices": []})")),
      hocket::tests::with("x.json: step 1: \"choices\" must have at least one", kUndo));
  EXPECT_EQ(complaint_about_text(with_steps(R"({"step": 1, "choices": [4], "thread": "main"})")),
      hocket::tests::with(
          R"(x.json: step 1: an entry with "choices" has "step" and "check", and nothing else)", kUndo));
  EXPECT_EQ(complaint_about_text(with_steps(R"({"step": 2, "choices": [4]})")),
      hocket::tests::with("x.json: step 1: \"step\" is 2 where 1 comes next", kUndo));
  EXPECT_EQ(complaint_about_text(with_steps(R"({"step": 1, "choices": [4, "x"]})")),
      hocket::tests::with("x.json: entry 2 of \"choices\" must be a number, not text", kUndo));
  EXPECT_EQ(complaint_about_text(with_steps(R"({"step": 1, "choices": 4})")),
      hocket::tests::with("x.json: step 1: \"choices\" must be an array, not a number", kUndo));
}

TEST_F(LongSchedule, ThatWasChangedIsRefused) {
  std::string text = to_json(long_schedule());
  const std::size_t middle = text.find("\"choices\": [4,") + std::string_view("\"choices\": [").size();
  text[middle] = '8';
  EXPECT_NE(complaint_about_text(text).find("it does not match its \"check\""), std::string::npos);
}

std::size_t steps_of_main = kVeryMany;

void lost_update_after_many_steps() {
  hocket::atomic<int> x{0};
  for (std::size_t n = 0; n < steps_of_main; ++n) x.fetch_add(1);
  x.store(0);
  const auto increment = [&] { x.store(x.load() + 1); };
  hocket::thread a(increment);
  hocket::thread b(increment);
  a.join();
  b.join();
  hocket::check(x.load() == 2, "an increment was lost");
}

TEST_F(LongSchedule, IsReplayed) {
  Options options{.max_steps = 2 * kVeryMany, .schedule_dir = folder_.string(), .minimize = {}};
  const Report report = hocket::explore("long", &lost_update_after_many_steps, options);
  ASSERT_EQ(report.verdict, Verdict::failed);
  options.replay = report.failures.at(0).schedule_file;
  EXPECT_LT(std::filesystem::file_size(options.replay), std::uintmax_t{kVeryMany} * 15);
  const Report again = hocket::explore("long", &lost_update_after_many_steps, options);
  ASSERT_EQ(again.verdict, Verdict::failed) << again;
  EXPECT_EQ(again.failures.at(0).message, "an increment was lost");
  EXPECT_TRUE(again.failures.at(0).differs_from_file.empty());
}

TEST_F(LongSchedule, ThatTheBodyDoesNotTakeAnyMoreDivergesAtAStepThatTheFileLeavesOut) {
  Options options{.max_steps = 2 * kVeryMany, .schedule_dir = folder_.string(), .minimize = {}};
  const Report report = hocket::explore("long", &lost_update_after_many_steps, options);
  options.replay = report.failures.at(0).schedule_file;
  steps_of_main = kVeryMany / 2;
  const Report again = hocket::explore("long", &lost_update_after_many_steps, options);
  steps_of_main = kVeryMany;
  EXPECT_EQ(again.verdict, Verdict::nondeterministic);
  EXPECT_NE(
      again.explanation.find("the file says \"main: a step that the file leaves out\""), std::string::npos)
      << again.explanation;
}

}  // namespace

}  // namespace hocket::tests
