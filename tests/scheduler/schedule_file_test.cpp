// What a schedule file looks like, and that it comes back as it was.
#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "scheduler/schedules/rule_fields.hpp"

#include "tests/support/effort.hpp"
#include "tests/support/sample_schedule.hpp"
#include "tests/support/schedule_files.hpp"

namespace hocket::tests {

namespace {

using runtime::FailureKind;
using runtime::Mode;
using runtime::Operation;

TEST_F(ScheduleFile, ReadsAsAList) {
  EXPECT_EQ(to_json(sample_schedule()), R"({
  "hocket_schedule": 1,
  "test": "queue/two-thieves",
  "failure": "check",
  "message": "an item was taken twice",
  "where": "queue_test.cpp:57",
  "preemptions": 1,
  "executions": 119,
  "strategy": "auto",
  "seed": 1,
  "max_steps": 20000,
  "stack_size": 262144,
  "spurious_wakeups": false,
  "spurious_failures": false,
  "binary": "/home/user/build/queue_test",
  "build_id": "3f86c1a0",
  "threads": [
    {"thread": "main"},
    {"thread": "owner", "creator": "main", "ordinal": 1, "made at": "queue_test.cpp:40"},
    {"thread": "thread 2", "creator": "main", "ordinal": 2, "made at": "queue_test.cpp:44"}
  ],
  "schedule": [
    {"step": 1, "thread": "owner", "does": "mutex.lock", "object": "queue lock", "at": "queue.hpp:21", "check": "0a247d"},
    {"step": 2, "thread": "owner", "does": "atomic.load", "object": "top", "at": "queue.hpp:22", "notes": ["3"], "check": "62116c"},
    {"step": 3, "thread": "thread 2", "does": "atomic.load", "object": "top", "at": "queue.hpp:35", "preempts": 1, "notes": ["3"], "check": "21baab"},
    {"step": 4, "thread": "thread 2", "does": "atomic.store", "object": "top", "at": "queue.hpp:36", "notes": ["4", "writes item = 7  queue.hpp:37"], "check": "e56cd9"},
    {"step": 5, "thread": "thread 2", "does": "condition.notify_one", "object": "not full", "at": "queue.hpp:38", "check": "d495f4"},
    {"step": 6, "thread": "thread 2", "chooses": 1, "of": 2, "for": "condition.notify_one", "at": "queue.hpp:38", "check": "d1f609"},
    {"step": 7, "thread": "owner", "does": "mutex.unlock", "object": "queue lock", "at": "queue.hpp:25", "check": "a069c4"},
    {"step": 8, "thread": "owner", "does": "mutex.try_lock_for", "object": "queue lock", "how": "expired", "at": "queue.hpp:27", "notes": ["FAILS: an item was taken twice"], "check": "5faf12"}
  ]
}
)");
}

/// The sample, in which the second thread reads an older value of `top`.
Schedule schedule_with_an_older_value() {
  Schedule schedule = sample_schedule();
  schedule.keeps_stores = true;
  schedule.stale_limit = 2;
  runtime::RecordedChoice& load = schedule.choices[1];
  load.order = "acquire";
  runtime::RecordedChoice older = value(load.thread, Operation::atomic_load, 1, 2, "queue.hpp:22", 1);
  older.chooses_store = true;
  older.seen = {0, "3"};
  older.newest = {1, "4"};
  schedule.choices.insert(schedule.choices.begin() + 2, older);
  return schedule;
}

TEST_F(ScheduleFile, HasAnotherFormatWhereOlderValuesCouldBeRead) {
  const Schedule schedule = schedule_with_an_older_value();
  const std::string text = to_json(schedule);
  EXPECT_TRUE(text.starts_with("{\n  \"hocket_schedule\": 2,\n")) << text;
  EXPECT_NE(text.find("\"memory_model\": \"c11\",\n  \"stale_limit\": 2,\n"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("does": "atomic.load", "object": "top", "order": "acquire", )"), std::string::npos);
  EXPECT_NE(text.find(R"("for": "atomic.load", "reads": "3", "of step": 0, "newest": "4", )"
                      R"("newest step": 1, "at": "queue.hpp:22", "costs": 1, )"),
      std::string::npos)
      << text;
  const Schedule again = schedule_from_json(text, "x.json");
  expect_equal(again, schedule);
  EXPECT_EQ(again.choices[2].newest, schedule.choices[2].newest);
  EXPECT_EQ(again.choices[2].price, 1U);
}

TEST_F(ScheduleFile, HasTheNewestFormatWhereTheLastReleaseWouldNotReadIt) {
  const auto format_after = [](auto change) {
    Schedule schedule = sample_schedule();
    change(schedule);
    const std::string text = to_json(schedule);
    expect_equal(schedule_from_json(text, "x.json"), schedule);
    return text.substr(text.find(": ") + 2, 1);
  };
  EXPECT_EQ(format_after([](Schedule& /*the same*/) {}), "1");
  EXPECT_EQ(format_after([](Schedule& s) { s.late_from = 5; }), "1");
  EXPECT_EQ(format_after([](Schedule& s) { s.keeps_stores = true; }), "2");
  EXPECT_EQ(format_after([](Schedule& s) { s.choices[1].operation = Operation::futex_wake; }), "3");
  EXPECT_EQ(format_after([](Schedule& s) { s.choices[0].lock = "door"; }), "3");
  EXPECT_EQ(format_after([](Schedule& s) { s.schedules_tried = 7; }), "3");
  EXPECT_EQ(format_after([](Schedule& s) { s.names_from_debug_info = true; }), "3");
  EXPECT_EQ(format_after([](Schedule& s) { s.detect = s.detect.with(runtime::Detector::spins); }), "3");
  EXPECT_EQ(
      format_after([](Schedule& s) { s.detect = s.detect.without(runtime::Detector::atomicity); }), "3");
  EXPECT_EQ(format_after([](Schedule& s) { s.kind = runtime::FailureKind::atomicity; }), "3");
  EXPECT_EQ(format_after([](Schedule& s) { s.threads[1].made_after = 1; }), "3");
  EXPECT_EQ(format_after([](Schedule& s) { s.seal = "Cache::get"; }), "3");
  EXPECT_EQ(format_after([](Schedule& s) { s.open = "log.cpp"; }), "3");
  EXPECT_EQ(format_after([](Schedule& s) {
    s.keeps_stores = true;
    s.watches_lives = true;
  }),
      "3");
}

TEST_F(ScheduleFile, OfACrashHoldsTheCodes) {
  EXPECT_EQ(to_json(incomplete_schedule()), R"({
  "hocket_schedule": 1,
  "test": "queue/two-thieves",
  "failure": "signal",
  "message": "SIGSEGV",
  "where": "queue_test.cpp:57",
  "signal": 11,
  "executions": 119,
  "strategy": "auto",
  "seed": 1,
  "max_steps": 20000,
  "stack_size": 262144,
  "spurious_wakeups": false,
  "spurious_failures": false,
  "binary": "/home/user/build/queue_test",
  "build_id": "3f86c1a0",
  "complete": false,
  "choices": [4, 4, 8, 8, 8, 1, 4, 5]
}
)");
}

TEST_F(ScheduleFile, ComesBackAsItWas) {
  expect_equal(schedule_from_json(to_json(sample_schedule()), "x.json"), sample_schedule());
  expect_equal(schedule_from_json(to_json(incomplete_schedule()), "x.json"), incomplete_schedule());
}

TEST_F(ScheduleFile, ComesBackWithHowThreadsBeganAndEnded) {
  Schedule schedule = sample_schedule();
  schedule.threads[1].made_after = 3;
  schedule.threads[1].joiner = 2;  // which is listed below it
  schedule.threads[1].joined_after = 0;
  schedule.threads[0].waiting = {"lock", "queue lock", {1, 2}, "queue.hpp:28"};
  schedule.threads[0].access = {"frees", "the queue", "queue.hpp:9", 7, 2};
  schedule.threads[1].access = {"reads", "the queue", "", 0, 1};
  schedule.threads[2].waiting = {"change", "", {}};
  schedule.choices[4].operation = Operation::condition_wait;
  schedule.choices[4].lock = "queue lock";
  expect_equal(schedule_from_json(to_json(schedule), "x.json"), schedule);
}

/// Gives a rule another value than its default.
void change(runtime::ExecutionRules& rules, const RuleField& field) {
  const auto change_it = [&](auto member) {
    using Value = std::remove_reference_t<decltype(rules.*member)>;
    if constexpr (std::is_same_v<Value, bool>) {
      rules.*member = true;
    } else if constexpr (std::is_same_v<Value, runtime::Detectors>) {
      rules.*member = runtime::Detectors().with(runtime::Detector::leaked_memory);
    } else {
      rules.*member = static_cast<Value>(field.most);
    }
  };
  std::visit(change_it, field.member);
}

TEST_F(ScheduleFile, ComesBackWithEveryKindOfOperationAndFailureAndText) {
  Schedule schedule = sample_schedule();
  schedule.message = "a \"quoted\" \\ line\nand another,\twith \x1b[31mred\x7f and \u00a0 … 漢字";
  schedule.seed = ~std::uint64_t{0};
  schedule.executions = ~std::uint64_t{0};
  for (const RuleField& field : rule_fields()) change(schedule.rules(), field);
  schedule.where.clear();
  schedule.build_id.clear();
  schedule.binary.clear();
  schedule.threads.push_back({"", 1, 1, ""});
  for (auto n = static_cast<unsigned>(Operation::none) + 1; n <= static_cast<unsigned>(Operation::destroy);
       ++n) {
    for (const Mode mode : {Mode::run, Mode::expire, Mode::spurious, Mode::timeless}) {
      schedule.choices.push_back(
          step(3, static_cast<Operation>(n), n % 2 != 0 ? "x" : "", "", {"", "→ 1"}, 2, mode));
    }
    schedule.choices.push_back(value(3, static_cast<Operation>(n), n, 4096, "a.cpp:1", 1));
  }
  for (unsigned n = 0; n <= static_cast<unsigned>(FailureKind::stack_overflow); ++n) {
    schedule.kind = static_cast<FailureKind>(n);
    expect_equal(schedule_from_json(to_json(schedule), "x.json"), schedule);
  }
}

TEST_F(ScheduleFile, IsTextThatCannotCommandATerminal) {
  Schedule schedule = sample_schedule();
  schedule.message = "\x1b[31m\x9b \u009b\x7f";
  const std::string text = to_json(schedule);
  EXPECT_NE(text.find(R"("message": "\u001b[31m\\x9b \u009b\u007f")"), std::string::npos) << text;
}

TEST_F(ScheduleFile, TellsThreadsApartWhoseNamesDifferInBytesThatAreNoText) {
  Schedule schedule = sample_schedule();
  schedule.threads[1].label = "\xff";
  schedule.threads[2].label = "\\xff";
  const Schedule back = schedule_from_json(to_json(schedule), "x.json");
  EXPECT_EQ(back.threads[1].label, "\\xff");
  EXPECT_EQ(back.threads[2].label, "\\xff #2");
  EXPECT_EQ(back.choices[2].thread, 2U);
}

TEST_F(ScheduleFile, MayHaveNoStepAtAll) {
  Schedule schedule = sample_schedule();
  schedule.choices.clear();
  schedule.threads.resize(1);
  expect_equal(schedule_from_json(to_json(schedule), "x.json"), schedule);
}

TEST_F(ScheduleFile, HoldsBothTheScheduleThatWasFoundAndTheShorterOne) {
  Schedule schedule = sample_schedule();
  schedule.found_bound = 3;
  schedule.found_choices = {4, 8, 4, 0, 4095};
  EXPECT_NE(to_json(schedule).find("\"found_preemptions\": 3,\n  \"found_choices\": [4, 8, 4, 0, 4095],\n"),
      std::string::npos);
  expect_equal(schedule_from_json(to_json(schedule), "x.json"), schedule);
}

TEST_F(ScheduleFile, HoldsWhyItsPreemptionsAreNeeded) {
  Schedule schedule = sample_schedule();
  schedule.why = {{1, "Without it \"all\" is well."}, {2, "…"}};
  schedule.sources = {{1, "head_.store(1);"}};
  const Schedule read = schedule_from_json(to_json(schedule), "x.json");
  EXPECT_EQ(read.why, schedule.why);
  EXPECT_EQ(read.sources, schedule.sources);
}

TEST_F(ScheduleFile, HoldsTheStacksThatExplainTheFailure) {
  Schedule schedule = sample_schedule();
  schedule.stacks = {
      {"The read by owner", "++hits_;  // \"here\"", {"Cache::get  cache.cpp:23", "std::sort"}},
      {"owner waits", "", {}}};
  const Schedule read = schedule_from_json(to_json(schedule), "x.json");
  ASSERT_EQ(read.stacks.size(), 2U);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(read.stacks[n].title, schedule.stacks[n].title);
    EXPECT_EQ(read.stacks[n].source, schedule.stacks[n].source);
    EXPECT_EQ(read.stacks[n].frames, schedule.stacks[n].frames);
  }
}

Schedule schedule_of_a_model() {
  Schedule schedule = sample_schedule();
  schedule.threads = {{"process 0", -1, 0, {}}, {"process 1", 0, 1, {}}};
  schedule.choices.clear();
  for (const unsigned process : {1U, 0U}) {
    runtime::RecordedChoice choice;
    choice.thread = process;
    choice.operation = Operation::model_step;
    choice.object = "take";
    choice.code = runtime::thread_code(process, runtime::Mode::run);
    schedule.choices.push_back(std::move(choice));
  }
  schedule.model.members = {"at", "is_taken"};
  schedule.model.states = {{"[0, 0]", "false"}, {"[0, 1]", "true"}, {}};
  schedule.model.path = {1, 2};
  schedule.model.transitions = {{0, "process 1", "take", 1}, {1, "process 0", "\"take\"", {}}};
  return schedule;
}

TEST_F(ScheduleFile, HoldsTheStatesOfAModel) {
  const Schedule schedule = schedule_of_a_model();
  const Schedule read = schedule_from_json(to_json(schedule), "x.json");
  EXPECT_EQ(read.model.members, schedule.model.members);
  EXPECT_EQ(read.model.states, schedule.model.states);
  EXPECT_EQ(read.model.path, schedule.model.path);
  ASSERT_EQ(read.model.transitions.size(), 2U);
  EXPECT_EQ(read.model.transitions[0].from, 0U);
  EXPECT_EQ(read.model.transitions[0].process, "process 1");
  EXPECT_EQ(read.model.transitions[0].to, 1U);
  EXPECT_EQ(read.model.transitions[1].action, "\"take\"");
  EXPECT_FALSE(read.model.transitions[1].to.has_value());
}

TEST_F(ScheduleFile, WithStatesThatDoNotFitItsStepsIsRefused) {
  const std::string text = to_json(schedule_of_a_model());
  const auto complaint = [&](std::string_view from, std::string_view to) {
    return complaint_about_text(changed(text, from, to));
  };
  EXPECT_EQ(
      complaint("\"leads to\": 2", "\"leads to\": 3"), with(R"(x.json: "states" has no state 3)", kUndo));
  EXPECT_EQ(complaint("\"to\": 1", "\"to\": 7"), with(R"(x.json: "states" has no state 7)", kUndo));
  EXPECT_EQ(complaint(", \"leads to\": 2", ""),
      with(R"(x.json: a file has "states" if each step has "leads to", or neither)", kUndo));
  EXPECT_EQ(complaint(", \"leads to\": 1", ""),
      with(R"(x.json: step 2: "leads to" belongs to each step of a model, or to none)", kUndo));
  EXPECT_EQ(complaint(R"(["[0, 0]", "false"])", "7"),
      with(R"(x.json: entry 1 of "states": "state" must be an array, not a number)", kUndo));
  EXPECT_EQ(complaint("\"from\": 0", "\"from\": []"),
      with(R"(x.json: entry 1 of "transitions": "from" must be a number, not an array)", kUndo));
  EXPECT_EQ(complaint("\"does\": \"take\", \"to\"", "\"to\""),
      with(R"(x.json: entry 1 of "transitions": the field "does" is missing)", kUndo));
  std::string many = "[\"\"";
  for (std::size_t n = 1; n <= ModelStates::kMostParts; ++n) many += ", \"\"";
  EXPECT_EQ(complaint(R"(["[0, 0]", "false"])", many + "]"),
      with(R"(x.json: entry 1 of "states": a state has at most 1000 parts)", kUndo));
  EXPECT_EQ(complaint(R"(["at", "is_taken"])", "true"),
      with(R"(x.json: "members" must be an array, not true or false)", kUndo));
}

TEST_F(ScheduleFile, HoldsAsManyChoicesAsAnExecutionCanHave) {
  Schedule schedule = incomplete_schedule();
  schedule.choices.assign(runtime::kMaxPositions, schedule.choices[1]);
  schedule.found_choices.assign(runtime::kMaxPositions, 4095);
  const std::string text = to_json(schedule);
  const Schedule back = schedule_from_json(text, "x.json");
  EXPECT_EQ(back.choices.size(), runtime::kMaxPositions);
  EXPECT_EQ(back.found_choices.size(), runtime::kMaxPositions);
  const std::size_t end = text.rfind(']');
  EXPECT_EQ(complaint_about_text(text.substr(0, end) + ", 4" + text.substr(end)),
      with("x.json: an execution has at most 1048575 steps", kUndo));
}

TEST_F(ScheduleFile, HoldsAsManyStepsAsAnExecutionCanHave) {
  if (!test::kRunsAllTests || test::kIsSlow)
    GTEST_SKIP() << "the test above meets the same limit in a hundredth of the time";
  Schedule schedule = sample_schedule();
  schedule.choices.assign(runtime::kMaxPositions, schedule.choices[1]);
  EXPECT_LT(to_json(schedule).size(), kMostScheduleBytes);
  schedule.choices.assign(
      runtime::kMaxPositions, step(0, Operation::thread_yield, "", "", {}, 0));  // quicker to read
  const std::string text = to_json(schedule);
  EXPECT_EQ(schedule_from_json(text, "x.json").choices.size(), runtime::kMaxPositions);

  const std::size_t end = text.rfind("\n  ]");
  const std::string one_more = text.substr(0, end) + ",\n    {\"step\": 1048576}" + text.substr(end);
  EXPECT_EQ(complaint_about_text(one_more),
      with("x.json: step 1048576: an execution has at most 1048575 steps", kUndo));
}

}  // namespace

}  // namespace hocket::tests
