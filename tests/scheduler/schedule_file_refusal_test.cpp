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
  EXPECT_EQ(complaint_after("\"seed\": 1", "\"seed\": one"),
      with("x.json: line 10, column 11: this is not JSON", kUndo));
  EXPECT_EQ(complaint_about_text("#!/bin/sh\n"), with("x.json: line 1, column 1: this is not JSON", kUndo));
  EXPECT_EQ(complaint_about_text(to_json(sample_schedule()) + "{}"),
      with("x.json: line 33, column 1: this is not JSON", kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", "\"seed\": 1e999"),
      with("x.json: line 10, column 15: this number is too large", kUndo));
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
  EXPECT_EQ(complaint_after("\"queue/two-thieves\"", deep),
      with("x.json: \"test\" must be text, not an array", kUndo));
  EXPECT_EQ(complaint_after("{\"thread\": \"main\"}", deep),
      with("x.json: entry 1 of \"threads\" must be an object, not an array", kUndo));
  EXPECT_EQ(complaint_after("[\"3\"]", deep),
      with("x.json: step 2: \"notes\" must hold text, not an array", kUndo));

  std::string objects;
  for (unsigned n = 0; n < 1'000'000; ++n) objects += R"({"a":)";
  EXPECT_EQ(complaint_after("\"top\"", objects),
      with("x.json: step 2: \"object\" must be text, not an object", kUndo));
}

TEST_F(ScheduleFile, OfANewerHocketIsRefusedBeforeAnythingElse) {
  EXPECT_EQ(complaint_about_text(R"({"hocket_schedule": 4, "seed": {"new": []}})"),
      "x.json: the file is of a newer Hocket: it has format 4, and this one reads formats to 3; use that "
      "Hocket to read it");
}

TEST_F(ScheduleFile, OfTheFirstFormatHasNothingOfTheSecond) {
  EXPECT_EQ(complaint_after("\"seed\": 1,", "\"seed\": 1, \"memory_model\": \"c11\","),
      with("x.json: a schedule file has no field \"memory_model\"", kUndo));
  EXPECT_EQ(complaint_after("\"step\": 2,", "\"step\": 2, \"order\": \"relaxed\","),
      with("x.json: step 2: a step has no field \"order\"", kUndo));
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
  const auto complaint = [](std::string_view format) {
    return complaint_after("chedule\": 1", "chedule\": " + std::string(format));
  };
  EXPECT_EQ(complaint("0"), with("x.json: \"hocket_schedule\" must be from 1 to 3, not 0", kUndo));
  EXPECT_EQ(complaint("-1"), with("x.json: \"hocket_schedule\" must not be negative, but is -1", kUndo));
  EXPECT_EQ(complaint("\"1\""), with("x.json: \"hocket_schedule\" must be a number, not text", kUndo));
  EXPECT_EQ(complaint("[1]"), with("x.json: \"hocket_schedule\" must be from 1 to 3, not an array", kUndo));
  EXPECT_EQ(complaint("1.0"),
      with("x.json: \"hocket_schedule\" must be a number, not a number with a fraction", kUndo));
}

// ---------------------------------------------------------------------------------------------------------------------
// The header

TEST_F(ScheduleFile, WithHalfOfTheScheduleThatWasFoundIsRefused) {
  constexpr std::string_view kBoth =
      R"(x.json: a file has both "found_preemptions" and "found_choices", or neither)";
  EXPECT_EQ(complaint_after("\"seed\": 1", R"("seed": 1, "found_preemptions": 3)"), with(kBoth, kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", R"("seed": 1, "found_choices": [4])"), with(kBoth, kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", R"("seed": 1, "found_preemptions": 3, "found_choices": [])"),
      with(kBoth, kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", R"("seed": 1, "found_preemptions": 3, "found_choices": 4)"),
      with(R"(x.json: "found_choices" must be an array, not a number)", kUndo));
  const auto with_stacks = [&](const std::string& stacks) {
    return complaint_after("\"seed\": 1", "\"seed\": 1, \"stacks\": " + stacks);
  };
  EXPECT_EQ(with_stacks("4"), with(R"(x.json: "stacks" must be an array, not a number)", kUndo));
  EXPECT_EQ(
      with_stacks("[4]"), with(R"(x.json: entry 1 of "stacks" must be an object, not a number)", kUndo));
  EXPECT_EQ(with_stacks(R"([{"stack": "s", "frames": ["f", 4]}])"),
      with(R"(x.json: entry 1 of "stacks": "frames" must hold text, not a number)", kUndo));
  EXPECT_EQ(with_stacks(R"([{"stack": "s", "frames": {}}])"),
      with(R"(x.json: entry 1 of "stacks": "frames" must be an array, not an object)", kUndo));
  EXPECT_EQ(with_stacks(R"([{"frames": []}])"),
      with(R"(x.json: entry 1 of "stacks": the field "stack" is missing)", kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", R"("seed": 1, "found_preemptions": 3, "found_choices": [4, "x"])"),
      with(R"(x.json: entry 2 of "found_choices" must be a number, not text)", kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", R"("seed": 1, "found_preemptions": 3, "found_choices": [12288])"),
      with(R"(x.json: entry 1 of "found_choices" must be from 0 to 12287, not 12288)", kUndo));
}

TEST_F(ScheduleFile, WithAnUnknownFieldIsRefused) {
  EXPECT_EQ(
      complaint_after("\"seed\"", "\"sead\""), with("x.json: a schedule file has no field \"sead\"", kUndo));
  EXPECT_EQ(complaint_after("\"made at\"", "\"made\""),
      with("x.json: entry 2 of \"threads\": a thread has no field \"made\"", kUndo));
  EXPECT_EQ(complaint_after("\"object\"", "\"objekt\""),
      with("x.json: step 1: a step has no field \"objekt\"", kUndo));
}

TEST_F(ScheduleFile, WithHalfOfHowAThreadEndsOrAnUnknownThreadIsRefused) {
  EXPECT_EQ(complaint_after("\"ordinal\": 1,", R"("ordinal": 1, "joined by": "main",)"),
      with(R"(x.json: entry 2 of "threads": a thread has both "joined by" and "joined after", or neither)",
          kUndo));
  EXPECT_EQ(complaint_after("\"ordinal\": 1,", R"("ordinal": 1, "waits on": ["main"],)"),
      with(R"(x.json: entry 2 of "threads": "waits for" is missing)", kUndo));
  EXPECT_EQ(
      complaint_after("\"ordinal\": 1,", R"("ordinal": 1, "waits for": "lock", "waits on": ["nobody"],)"),
      with(R"(x.json: a thread is joined by, or waits on, one that is not there: "nobody")", kUndo));
}

TEST_F(ScheduleFile, WithAFieldTwiceIsRefused) {
  EXPECT_EQ(complaint_after("\"seed\": 1,", "\"seed\": 1, \"seed\": 1,"),
      with("x.json: the field \"seed\" occurs twice", kUndo));
  EXPECT_EQ(complaint_after("\"step\": 2,", "\"step\": 2, \"step\": 2,"),
      with("x.json: step 2: the field \"step\" occurs twice", kUndo));
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
  EXPECT_EQ(complaint_after("\"queue/two-thieves\"", "7"),
      with("x.json: \"test\" must be text, not a number", kUndo));
  EXPECT_EQ(complaint_after("\"queue/two-thieves\"", "null"),
      with("x.json: \"test\" must be text, not null", kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", "\"seed\": \"1\""),
      with("x.json: \"seed\" must be a number, not text", kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", "\"seed\": {}"),
      with("x.json: \"seed\" must be a number, not an object", kUndo));
  EXPECT_EQ(complaint_after("\"seed\": 1", "\"seed\": 1.5"),
      with("x.json: \"seed\" must be a number, not a number with a fraction", kUndo));
  EXPECT_EQ(complaint_after("\"spurious_wakeups\": false", "\"spurious_wakeups\": 0"),
      with("x.json: \"spurious_wakeups\" must be true or false, not a number", kUndo));
  EXPECT_EQ(complaint_after("\"spurious_wakeups\": false", "\"spurious_wakeups\": []"),
      with("x.json: \"spurious_wakeups\" must be true or false, not an array", kUndo));
  EXPECT_EQ(complaint_about_text(R"({"hocket_schedule": 1, "threads": {}})"),
      with("x.json: \"threads\" must be an array, not an object", kUndo));
}

TEST_F(ScheduleFile, WithANumberOutOfRangeIsRefused) {
  const auto complaint = [](std::string_view field, std::string_view from, std::string_view to) {
    const std::string begin = "\"" + std::string(field) + "\": ";
    return complaint_after(begin + std::string(from), begin + std::string(to));
  };
  EXPECT_EQ(complaint("seed", "1", "-1"), with("x.json: \"seed\" must not be negative, but is -1", kUndo));
  EXPECT_EQ(complaint("seed", "1", "18446744073709551616"),
      with("x.json: \"seed\" must be a number, not a number with a fraction", kUndo));
  EXPECT_EQ(complaint("max_steps", "20000", "0"),
      with("x.json: \"max_steps\" must be from 1 to 1048575, not 0", kUndo));
  EXPECT_EQ(complaint("max_steps", "20000", "1048576"),
      with("x.json: \"max_steps\" must be from 1 to 1048575, not 1048576", kUndo));
  EXPECT_EQ(complaint("stack_size", "262144", "1"),
      with("x.json: \"stack_size\" must be from 16384 to 1073741824, not 1", kUndo));
  EXPECT_EQ(complaint("preemptions", "1", "4294967296"),
      with("x.json: \"preemptions\" must be from 0 to 4294967295, not 4294967296", kUndo));
  EXPECT_EQ(complaint_after("\"where\"", "\"signal\": 65, \"where\""),
      with("x.json: \"signal\" must be from 0 to 64, not 65", kUndo));
}

TEST_F(ScheduleFile, WithAnUnknownKindOfFailureIsRefused) {
  EXPECT_EQ(complaint_after("\"check\"", "\"chekc\""),
      with("x.json: \"failure\" names no kind of failure: \"chekc\"", kUndo));
}

TEST_F(ScheduleFile, HasEitherStepsOrCodes) {
  const std::string either =
      with(R"(x.json: a file has either "choices" or "threads" and "schedule")", kUndo);
  EXPECT_EQ(complaint_after("\"seed\"", "\"choices\": [1], \"seed\""), either);
  EXPECT_EQ(complaint_about_text(
                changed(to_json(incomplete_schedule()), "\"choices\"", "\"threads\": [], \"choices\"")),
      either);
  EXPECT_EQ(complaint_after("\"seed\"", "\"complete\": false, \"seed\""),
      with("x.json: the field \"choices\" is missing", kUndo));
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
  const auto complaint = [](std::string_view from, std::string_view to) { return complaint_after(from, to); };
  EXPECT_EQ(complaint("{\"thread\": \"main\"}", "\"main\""),
      with("x.json: entry 1 of \"threads\" must be an object, not text", kUndo));
  EXPECT_EQ(complaint("{\"thread\": \"main\"}", "{}"),
      with("x.json: entry 1 of \"threads\": the field \"thread\" is missing", kUndo));
  EXPECT_EQ(complaint("{\"thread\": \"main\"}", "{\"thread\": 0}"),
      with("x.json: entry 1 of \"threads\": \"thread\" must be text, not a number", kUndo));
  EXPECT_EQ(complaint("{\"thread\": \"main\"}", "{\"thread\": \"main\", \"creator\": \"main\"}"),
      with("x.json: entry 1 of \"threads\": the first thread has no \"creator\" and no \"ordinal\"", kUndo));
  EXPECT_EQ(complaint("{\"thread\": \"thread 2\"", "{\"thread\": \"owner\""),
      with("x.json: entry 3 of \"threads\": \"thread\" is \"owner\", like that of a thread above", kUndo));
  EXPECT_EQ(complaint("\"creator\": \"main\"", "\"creator\": \"thread 2\""),
      with("x.json: entry 2 of \"threads\": \"creator\" names no thread above it: \"thread 2\"", kUndo));
  EXPECT_EQ(complaint("\"creator\": \"main\"", "\"creator\": \"owner\""),
      with("x.json: entry 2 of \"threads\": \"creator\" names no thread above it: \"owner\"", kUndo));
  EXPECT_EQ(complaint("\"creator\": \"main\", ", ""),
      with("x.json: entry 2 of \"threads\": the field \"creator\" is missing", kUndo));
  EXPECT_EQ(complaint("\"ordinal\": 2", "\"ordinal\": 3"),
      with("x.json: entry 3 of \"threads\": \"ordinal\" is 3, but this is thread number 2 of its creator",
          kUndo));
  EXPECT_EQ(complaint("\"ordinal\": 2", "\"ordinal\": 0"),
      with("x.json: entry 3 of \"threads\": \"ordinal\" must be from 1 to 256, not 0", kUndo));
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
  const auto complaint = [](std::string_view from, std::string_view to) { return complaint_after(from, to); };
  EXPECT_EQ(complaint("\"step\": 4", "\"step\": 5"),
      with("x.json: step 4: \"step\" is 5 where 4 comes next", kUndo));
  EXPECT_EQ(complaint("\"step\": 4, ", ""), with("x.json: step 4: the field \"step\" is missing", kUndo));
  EXPECT_EQ(complaint("\"thread\": \"thread 2\", \"does\"", "\"thread\": \"thread 9\", \"does\""),
      with("x.json: step 3: \"thread\" names none of \"threads\": \"thread 9\"", kUndo));
  EXPECT_EQ(complaint("mutex.lock", "mutex.lok"),
      with("x.json: step 1: \"does\" names no operation: \"mutex.lok\"", kUndo));
  EXPECT_EQ(
      complaint("mutex.lock", "none"), with("x.json: step 1: \"does\" names no operation: \"none\"", kUndo));
  EXPECT_EQ(complaint("\"for\": \"condition.notify_one\"", "\"for\": \"luck\""),
      with("x.json: step 6: \"for\" names no operation: \"luck\"", kUndo));
  EXPECT_EQ(complaint("\"does\": \"mutex.lock\", ", ""),
      with("x.json: step 1: a step has either \"does\" or \"chooses\"", kUndo));
  EXPECT_EQ(complaint("\"chooses\": 1", "\"chooses\": 1, \"does\": \"choose\""),
      with("x.json: step 6: a step has either \"does\" or \"chooses\"", kUndo));
  EXPECT_EQ(complaint("\"does\": \"mutex.lock\"", "\"does\": \"mutex.lock\", \"of\": 2"),
      with("x.json: step 1: the field \"of\" belongs to \"chooses\", not to \"does\"", kUndo));
  EXPECT_EQ(complaint("\"chooses\": 1", "\"chooses\": 1, \"how\": \"expired\""),
      with("x.json: step 6: the field \"how\" belongs to \"does\", not to \"chooses\"", kUndo));
  EXPECT_EQ(complaint("expired", "exspired"),
      with("x.json: step 8: \"how\" must be \"expired\", \"spuriously\" or \"timeless\", not \"exspired\"",
          kUndo));
  EXPECT_EQ(complaint("\"chooses\": 1", "\"chooses\": 2"),
      with("x.json: step 6: \"chooses\" must be from 0 to 1, not 2", kUndo));
  EXPECT_EQ(complaint("\"chooses\": 1", "\"chooses\": -1"),
      with("x.json: step 6: \"chooses\" must be from 0 to 1, not -1", kUndo));
  EXPECT_EQ(complaint("\"of\": 2", "\"of\": 4097"),
      with("x.json: step 6: \"of\" must be from 2 to 4096, not 4097", kUndo));
  EXPECT_EQ(complaint("\"of\": 2", "\"of\": 1"),
      with("x.json: step 6: \"of\" must be from 2 to 4096, not 1", kUndo));
  EXPECT_EQ(complaint("\"preempts\": 1", "\"preempts\": 65536"),
      with("x.json: step 3: \"preempts\" must be from 0 to 65535, not 65536", kUndo));
  EXPECT_EQ(
      complaint("[\"3\"]", "\"3\""), with("x.json: step 2: \"notes\" must be an array, not text", kUndo));
  EXPECT_EQ(
      complaint("[\"3\"]", "[3]"), with("x.json: step 2: \"notes\" must hold text, not a number", kUndo));
  EXPECT_EQ(complaint("\"top\"", "{\"name\": \"top\"}"),
      with("x.json: step 2: \"object\" must be text, not an object", kUndo));
  EXPECT_EQ(complaint("\"schedule\": [", "\"schedule\": [0, "),
      with("x.json: entry 1 of \"schedule\" must be an object, not a number", kUndo));
  EXPECT_EQ(complaint("\"schedule\": [", "\"schedule\": [[], "),
      with("x.json: entry 1 of \"schedule\" must be an object, not an array", kUndo));
}

TEST_F(ScheduleFile, WithALongOrCunningNameComplainsOnOneShortLine) {
  EXPECT_EQ(complaint_after("mutex.lock", "\\u001b[31m\\n" + std::string(1000, 'x')),
      with("x.json: step 1: \"does\" names no operation: \"\\x1b[31m\\n" + std::string(49, 'x') + "…\"",
          kUndo));
}

}  // namespace

}  // namespace hocket::tests
