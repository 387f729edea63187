// Schedule files that cannot be read: each is refused in one sentence.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "scheduler/schedules/whole_file.hpp"

#include "tests/support/sample_schedule.hpp"
#include "tests/support/schedule_files.hpp"

namespace hocket::tests {

namespace {

namespace fs = std::filesystem;

TEST_F(ScheduleFile, ThatIsMissingIsRefused) {
  EXPECT_EQ(complaint_about(file("x.json")), "FOLDER/x.json: there is no such file; check the path");
}

TEST_F(ScheduleFile, ThatIsAFolderIsRefused) {
  EXPECT_EQ(complaint_about(folder_), "FOLDER: this is a folder; name a schedule file in it");
}

TEST_F(ScheduleFile, ThatIsAPipeIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(
      complaint_about(file("pipe")), "FOLDER/pipe: this is not a regular file; copy the schedule into one");
}

TEST_F(ScheduleFile, UnderAFileIsRefused) {
  write("x.json", "");
  EXPECT_EQ(complaint_about(file("x.json/y.json")),
      "FOLDER/x.json/y.json: the file cannot be opened (Not a directory); check the path and its "
      "permissions");
}

TEST_F(ScheduleFile, ThatIsEmptyIsRefused) {
  EXPECT_EQ(complaint_about(write("x.json", "")), with("FOLDER/x.json: the file is empty", kGetAnother));
}

TEST_F(ScheduleFile, ThatIsHugeIsRefusedWithoutReadingIt) {
  write("x.json", "{");
  fs::resize_file(file("x.json"), std::uintmax_t{1} << 40U);  // with a hole: it takes no room
  EXPECT_EQ(complaint_about(file("x.json")),
      "FOLDER/x.json: the file has 1099511627776 bytes, and a schedule file has at most 268435456; check the "
      "path");
}

TEST_F(ScheduleFile, ThatIsNamedBadlyIsRefusedOnOneLine) {
  EXPECT_EQ(complaint_about("no\nsuch\x1b[31m"), "no\\nsuch\\x1b[31m: there is no such file; check the path");
}

TEST_F(ScheduleFile, CutOffAnywhereIsRefused) {
  const std::string text = to_json(sample_schedule());
  const std::string whole = text.substr(0, text.rfind('}'));
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    const std::string complaint = complaint_about_text(text.substr(0, size));
    EXPECT_TRUE(complaint.find(": the file ends in the middle; ") != std::string::npos)
        << size << ": " << complaint;
  }
  EXPECT_EQ(complaint_about_text(text.substr(0, text.find("\"owner\", \"creator\""))),
      with("x.json: line 19: the file ends in the middle", kGetAnother));
}

TEST_F(ScheduleFile, OfACrashCutOffAnywhereIsRefused) {
  const std::string text = to_json(incomplete_schedule());
  for (std::size_t size = 1; size < text.size() - 1; ++size) {
    EXPECT_NE(complaint_about_text(text.substr(0, size)), "") << size;
  }
}

TEST_F(ScheduleFile, ThatIsNotUtf8IsRefused) {
  EXPECT_EQ(
      complaint_after("taken", "t\xe4ken"), with("x.json: line 5: this is not UTF-8 text", kGetAnother));
  EXPECT_EQ(
      complaint_after("taken", "\xed\xa0\x80"), with("x.json: line 5: this is not UTF-8 text", kGetAnother));
  EXPECT_EQ(complaint_about_text("\xff\xfe{\0"), with("x.json: line 1: this is not UTF-8 text", kGetAnother));
}

TEST_F(ScheduleFile, ThatIsNotJsonIsRefused) {
  expect_refused({{R"("seed": 1)", R"("seed": one)", "line 10, column 11: this is not JSON"}});
  EXPECT_EQ(complaint_about_text("#!/bin/sh\n"), with("x.json: line 1, column 1: this is not JSON", kUndo));
  EXPECT_EQ(complaint_about_text(to_json(sample_schedule()) + "{}"),
      with("x.json: line 33, column 1: this is not JSON", kUndo));
  expect_refused({{R"("seed": 1)", R"("seed": 1e999)", "line 10, column 15: this number is too large"}});
}

TEST_F(ScheduleFile, ThatIsSomeOtherJsonIsRefused) {
  constexpr std::string_view kStranger =
      "x.json: this is not a Hocket schedule file, which would begin with the field \"hocket_schedule\"; "
      "check the path";
  for (const std::string_view text : {"{}", "[]", "[1, 2]", "1", "null", "\"hocket_schedule\"",
           R"({"name": "x"})", R"({"test": "queue", "hocket_schedule": 1})", R"([{"hocket_schedule": 1}])"}) {
    EXPECT_EQ(complaint_about_text(text), kStranger) << text;
  }
}

TEST_F(ScheduleFile, ThatIsNestedDeeplyIsRefusedAtOnce) {
  const std::string deep(10'000'000, '[');  // NOLINT(bugprone-string-constructor)
  EXPECT_EQ(complaint_about_text(deep),
      "x.json: this is not a Hocket schedule file, which would begin with the field \"hocket_schedule\"; "
      "check the path");
  expect_refused({
      {R"("queue/two-thieves")", deep, R"("test" must be text, not an array)"},
      {R"({"thread": "main"})", deep, R"(entry 1 of "threads" must be an object, not an array)"},
      {R"(["3"])", deep, R"(step 2: "notes" must hold text, not an array)"},
  });

  std::string objects;
  for (unsigned n = 0; n < 1'000'000; ++n) objects += R"({"a":)";
  expect_refused({{R"("top")", objects, R"(step 2: "object" must be text, not an object)"}});
}

TEST_F(ScheduleFile, OfANewerHocketIsRefusedBeforeAnythingElse) {
  EXPECT_EQ(complaint_about_text(R"({"hocket_schedule": 4, "seed": {"new": []}})"),
      "x.json: the file is of a newer Hocket: it has format 4, and this one reads formats to 3; use that "
      "Hocket to read it");
}

TEST_F(ScheduleFile, OfTheFirstFormatHasNothingOfTheSecond) {
  expect_refused({
      {R"("seed": 1,)", R"("seed": 1, "memory_model": "c11",)",
          R"(a schedule file has no field "memory_model")"},
      {R"("step": 2,)", R"("step": 2, "order": "relaxed",)", R"(step 2: a step has no field "order")"},
  });
}

TEST_F(ScheduleFile, NamesNoOtherMemoryModel) {
  const std::string second = changed(to_json(sample_schedule()), "chedule\": 1", "chedule\": 2");
  const auto complaint = [&](const std::string& model) {
    return complaint_about_text(
        changed(second, "\"seed\": 1,", "\"seed\": 1, \"memory_model\": " + model + ","));
  };
  EXPECT_EQ(complaint("\"c11\""), "");
  EXPECT_EQ(
      complaint_about_text(second), with("x.json: a file of version 2 has \"memory_model\": \"c11\"", kUndo));
  EXPECT_EQ(complaint("\"tso\""), with(R"(x.json: "memory_model" must be "c11", not "tso")", kUndo));
  EXPECT_EQ(complaint("true"), with("x.json: \"memory_model\" must be text, not true or false", kUndo));
}

TEST_F(ScheduleFile, OfNoFormatThatThereIsIsRefused) {
  expect_refused({
      {R"(chedule": 1)", R"(chedule": 0)", R"("hocket_schedule" must be from 1 to 3, not 0)"},
      {R"(chedule": 1)", R"(chedule": -1)", R"("hocket_schedule" must not be negative, but is -1)"},
      {R"(chedule": 1)", R"(chedule": "1")", R"("hocket_schedule" must be a number, not text)"},
      {R"(chedule": 1)", R"(chedule": [1])", R"("hocket_schedule" must be from 1 to 3, not an array)"},
      {R"(chedule": 1)", R"(chedule": 1.0)",
          R"("hocket_schedule" must be a number, not a number with a fraction)"},
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// The header

TEST_F(ScheduleFile, WithHalfOfTheScheduleThatWasFoundIsRefused) {
  expect_refused({
      {R"("seed": 1)", R"("seed": 1, "found_preemptions": 3)",
          R"(a file has both "found_preemptions" and "found_choices", or neither)"},
      {R"("seed": 1)", R"("seed": 1, "found_choices": [4])",
          R"(a file has both "found_preemptions" and "found_choices", or neither)"},
      {R"("seed": 1)", R"("seed": 1, "found_preemptions": 3, "found_choices": [])",
          R"(a file has both "found_preemptions" and "found_choices", or neither)"},
      {R"("seed": 1)", R"("seed": 1, "found_preemptions": 3, "found_choices": 4)",
          R"("found_choices" must be an array, not a number)"},
      {R"("seed": 1)", R"("seed": 1, "stacks": 4)", R"("stacks" must be an array, not a number)"},
      {R"("seed": 1)", R"("seed": 1, "stacks": [4])",
          R"(entry 1 of "stacks" must be an object, not a number)"},
      {R"("seed": 1)", R"("seed": 1, "stacks": [{"stack": "s", "frames": ["f", 4]}])",
          R"(entry 1 of "stacks": "frames" must hold text, not a number)"},
      {R"("seed": 1)", R"("seed": 1, "stacks": [{"stack": "s", "frames": {}}])",
          R"(entry 1 of "stacks": "frames" must be an array, not an object)"},
      {R"("seed": 1)", R"("seed": 1, "stacks": [{"frames": []}])",
          R"(entry 1 of "stacks": the field "stack" is missing)"},
      {R"("seed": 1)", R"("seed": 1, "found_preemptions": 3, "found_choices": [4, "x"])",
          R"(entry 2 of "found_choices" must be a number, not text)"},
      {R"("seed": 1)", R"("seed": 1, "found_preemptions": 3, "found_choices": [12288])",
          R"(entry 1 of "found_choices" must be from 0 to 12287, not 12288)"},
  });
}

TEST_F(ScheduleFile, WithAnUnknownFieldIsRefused) {
  expect_refused({
      {R"("seed")", R"("sead")", R"(a schedule file has no field "sead")"},
      {R"("made at")", R"("made")", R"(entry 2 of "threads": a thread has no field "made")"},
      {R"("object")", R"("objekt")", R"(step 1: a step has no field "objekt")"},
  });
}

TEST_F(ScheduleFile, WithHalfOfHowAThreadEndsOrAnUnknownThreadIsRefused) {
  expect_refused({
      {R"("ordinal": 1,)", R"("ordinal": 1, "joined by": "main",)",
          R"(entry 2 of "threads": a thread has both "joined by" and "joined after", or neither)"},
      {R"("ordinal": 1,)", R"("ordinal": 1, "waits on": ["main"],)",
          R"(entry 2 of "threads": "waits for" is missing)"},
      {R"("ordinal": 1,)", R"("ordinal": 1, "waits for": "lock", "waits on": ["nobody"],)",
          R"(a thread is joined by, or waits on, one that is not there: "nobody")"},
  });
}

TEST_F(ScheduleFile, WithAFieldTwiceIsRefused) {
  expect_refused({
      {R"("seed": 1,)", R"("seed": 1, "seed": 1,)", R"(the field "seed" occurs twice)"},
      {R"("step": 2,)", R"("step": 2, "step": 2,)", R"(step 2: the field "step" occurs twice)"},
  });
}

TEST_F(ScheduleFile, WithoutARequiredFieldIsRefused) {
  const auto all = nlohmann::ordered_json::parse(to_json(sample_schedule()));
  for (const auto& [name, value] : all.items()) {
    auto rest = all;
    rest.erase(name);
    const std::string complaint = complaint_about_text(rest.dump());
    if (name == "hocket_schedule") {
      EXPECT_NE(complaint.find("is not a Hocket schedule file"), std::string::npos);
    } else if (name == "threads") {
      EXPECT_EQ(complaint, with("x.json: \"schedule\" must come after \"threads\"", kUndo));
    } else if (name == "where" || name == "binary" || name == "build_id") {
      EXPECT_EQ(complaint, "");
    } else {
      EXPECT_EQ(complaint, with("x.json: the field \"" + name + "\" is missing", kUndo));
    }
  }
}

TEST_F(ScheduleFile, WithAFieldOfAnotherTypeIsRefused) {
  expect_refused({
      {R"("queue/two-thieves")", "7", R"("test" must be text, not a number)"},
      {R"("queue/two-thieves")", "null", R"("test" must be text, not null)"},
      {R"("seed": 1)", R"("seed": "1")", R"("seed" must be a number, not text)"},
      {R"("seed": 1)", R"("seed": {})", R"("seed" must be a number, not an object)"},
      {R"("seed": 1)", R"("seed": 1.5)", R"("seed" must be a number, not a number with a fraction)"},
      {R"("spurious_wakeups": false)", R"("spurious_wakeups": 0)",
          R"("spurious_wakeups" must be true or false, not a number)"},
      {R"("spurious_wakeups": false)", R"("spurious_wakeups": [])",
          R"("spurious_wakeups" must be true or false, not an array)"},
  });
  EXPECT_EQ(complaint_about_text(R"({"hocket_schedule": 1, "threads": {}})"),
      with("x.json: \"threads\" must be an array, not an object", kUndo));
}

TEST_F(ScheduleFile, WithANumberOutOfRangeIsRefused) {
  expect_refused({
      {R"("seed": 1)", R"("seed": -1)", R"("seed" must not be negative, but is -1)"},
      {R"("seed": 1)", R"("seed": 18446744073709551616)",
          R"("seed" must be a number, not a number with a fraction)"},
      {R"("max_steps": 20000)", R"("max_steps": 0)", R"("max_steps" must be from 1 to 1048575, not 0)"},
      {R"("max_steps": 20000)", R"("max_steps": 1048576)",
          R"("max_steps" must be from 1 to 1048575, not 1048576)"},
      {R"("stack_size": 262144)", R"("stack_size": 1)",
          R"("stack_size" must be from 16384 to 1073741824, not 1)"},
      {R"("preemptions": 1)", R"("preemptions": 4294967296)",
          R"("preemptions" must be from 0 to 4294967295, not 4294967296)"},
      {R"("where")", R"("signal": 65, "where")", R"("signal" must be from 0 to 64, not 65)"},
  });
}

TEST_F(ScheduleFile, WithAnUnknownKindOfFailureIsRefused) {
  expect_refused({{R"("check")", R"("chekc")", R"("failure" names no kind of failure: "chekc")"}});
}

TEST_F(ScheduleFile, HasEitherStepsOrCodes) {
  const std::string either =
      with(R"(x.json: a file has either "choices" or "threads" and "schedule")", kUndo);
  EXPECT_EQ(complaint_after("\"seed\"", "\"choices\": [1], \"seed\""), either);
  EXPECT_EQ(complaint_about_text(
                changed(to_json(incomplete_schedule()), "\"choices\"", "\"threads\": [], \"choices\"")),
      either);
  expect_refused({{R"("seed")", R"("complete": false, "seed")", R"(the field "choices" is missing)"}});
  EXPECT_EQ(complaint_about_text(
                changed(to_json(incomplete_schedule()), "\"complete\": false,", "\"preemptions\": 0,")),
      with("x.json: the field \"threads\" is missing", kUndo));
  EXPECT_EQ(
      complaint_about_text(changed(to_json(incomplete_schedule()), "\"choices\": [4, 4, 8, 8, 8, 1, 4, 5]",
          "\"preemptions\": 0, \"threads\": [], \"schedule\": []")),
      with("x.json: the field \"choices\" is missing", kUndo));
  EXPECT_EQ(complaint_about_text(changed(to_json(incomplete_schedule()),
                "\"complete\": false,\n  \"choices\": [4, 4, 8, 8, 8, 1, 4, 5]",
                "\"preemptions\": 0, \"threads\": [], \"schedule\": []")),
      with("x.json: \"threads\" must name at least one thread", kUndo));
}

TEST_F(ScheduleFile, WithACodeOutOfRangeIsRefused) {
  const auto complaint = [](std::string_view codes) {
    return complaint_about_text(changed(to_json(incomplete_schedule()), "4, 4, 8", codes));
  };
  EXPECT_EQ(complaint("4, 12288"),
      with("x.json: entry 2 of \"choices\" must be from 0 to 12287, not 12288", kUndo));
  EXPECT_EQ(
      complaint("4, -4"), with("x.json: entry 2 of \"choices\" must be from 0 to 12287, not -4", kUndo));
  EXPECT_EQ(complaint("4, \"4\""), with("x.json: entry 2 of \"choices\" must be a number, not text", kUndo));
  EXPECT_EQ(
      complaint("4, [4]"), with("x.json: entry 2 of \"choices\" must be a number, not an array", kUndo));
  std::string many = "0";
  for (unsigned n = 0; n < runtime::kMaxPositions; ++n) many += ",0";
  EXPECT_EQ(complaint(many), with("x.json: an execution has at most 1048575 steps", kUndo));
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads and steps

TEST_F(ScheduleFile, WithABadThreadIsRefused) {
  expect_refused({
      {R"({"thread": "main"})", R"("main")", R"(entry 1 of "threads" must be an object, not text)"},
      {R"({"thread": "main"})", "{}", R"(entry 1 of "threads": the field "thread" is missing)"},
      {R"({"thread": "main"})", R"({"thread": 0})",
          R"(entry 1 of "threads": "thread" must be text, not a number)"},
      {R"({"thread": "main"})", R"({"thread": "main", "creator": "main"})",
          R"(entry 1 of "threads": the first thread has no "creator" and no "ordinal")"},
      {R"({"thread": "thread 2")", R"({"thread": "owner")",
          R"(entry 3 of "threads": "thread" is "owner", like that of a thread above)"},
      {R"("creator": "main")", R"("creator": "thread 2")",
          R"(entry 2 of "threads": "creator" names no thread above it: "thread 2")"},
      {R"("creator": "main")", R"("creator": "owner")",
          R"(entry 2 of "threads": "creator" names no thread above it: "owner")"},
      {R"("creator": "main", )", "", R"(entry 2 of "threads": the field "creator" is missing)"},
      {R"("ordinal": 2)", R"("ordinal": 3)",
          R"(entry 3 of "threads": "ordinal" is 3, but this is thread number 2 of its creator)"},
      {R"("ordinal": 2)", R"("ordinal": 0)",
          R"(entry 3 of "threads": "ordinal" must be from 1 to 256, not 0)"},
  });
}

TEST_F(ScheduleFile, WithTooManyThreadsIsRefused) {
  Schedule schedule = sample_schedule();
  schedule.choices.clear();
  for (unsigned n = 3; n <= runtime::kMaxThreads; ++n)
    schedule.threads.push_back({std::to_string(n), 0, n, ""});
  EXPECT_EQ(complaint_about_text(to_json(schedule)),
      with("x.json: entry 257 of \"threads\": an execution has at most 256 threads", kUndo));
  schedule.threads.pop_back();
  EXPECT_EQ(complaint_about_text(to_json(schedule)), "");
}

TEST_F(ScheduleFile, WithABadStepIsRefused) {
  expect_refused({
      {R"("step": 4)", R"("step": 5)", R"(step 4: "step" is 5 where 4 comes next)"},
      {R"("step": 4, )", "", R"(step 4: the field "step" is missing)"},
      {R"("thread": "thread 2", "does")", R"("thread": "thread 9", "does")",
          R"(step 3: "thread" names none of "threads": "thread 9")"},
      {"mutex.lock", "mutex.lok", R"(step 1: "does" names no operation: "mutex.lok")"},
      {"mutex.lock", "none", R"(step 1: "does" names no operation: "none")"},
      {R"("for": "condition.notify_one")", R"("for": "luck")", R"(step 6: "for" names no operation: "luck")"},
      {R"("does": "mutex.lock", )", "", R"(step 1: a step has either "does" or "chooses")"},
      {R"("chooses": 1)", R"("chooses": 1, "does": "choose")",
          R"(step 6: a step has either "does" or "chooses")"},
      {R"("does": "mutex.lock")", R"("does": "mutex.lock", "of": 2)",
          R"(step 1: the field "of" belongs to "chooses", not to "does")"},
      {R"("chooses": 1)", R"("chooses": 1, "how": "expired")",
          R"(step 6: the field "how" belongs to "does", not to "chooses")"},
      {"expired", "exspired",
          R"(step 8: "how" must be "expired", "spuriously" or "timeless", not "exspired")"},
      {R"("chooses": 1)", R"("chooses": 2)", R"(step 6: "chooses" must be from 0 to 1, not 2)"},
      {R"("chooses": 1)", R"("chooses": -1)", R"(step 6: "chooses" must be from 0 to 1, not -1)"},
      {R"("of": 2)", R"("of": 4097)", R"(step 6: "of" must be from 2 to 4096, not 4097)"},
      {R"("of": 2)", R"("of": 1)", R"(step 6: "of" must be from 2 to 4096, not 1)"},
      {R"("preempts": 1)", R"("preempts": 65536)",
          R"(step 3: "preempts" must be from 0 to 65535, not 65536)"},
      {R"(["3"])", R"("3")", R"(step 2: "notes" must be an array, not text)"},
      {R"(["3"])", "[3]", R"(step 2: "notes" must hold text, not a number)"},
      {R"("top")", R"({"name": "top"})", R"(step 2: "object" must be text, not an object)"},
      {R"("schedule": [)", R"("schedule": [0, )", R"(entry 1 of "schedule" must be an object, not a number)"},
      {R"("schedule": [)", R"("schedule": [[], )",
          R"(entry 1 of "schedule" must be an object, not an array)"},
  });
}

TEST_F(ScheduleFile, WithALongOrCunningNameComplainsOnOneShortLine) {
  EXPECT_EQ(complaint_after("mutex.lock", "\\u001b[31m\\n" + std::string(1000, 'x')),
      with("x.json: step 1: \"does\" names no operation: \"\\x1b[31m\\n" + std::string(49, 'x') + "…\"",
          kUndo));
}

}  // namespace

}  // namespace hocket::tests
