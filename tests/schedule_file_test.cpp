#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <hocket/runtime/platform/build_id.hpp>
#include <hocket/scheduler/schedule_file.hpp>
#include <hocket/scheduler/whole_file.hpp>

#include "tests/sample_schedule.hpp"

namespace hocket::tests {
namespace {

namespace fs = std::filesystem;
using runtime::FailureKind;
using runtime::Mode;
using runtime::Operation;
using runtime::Trace;

/// A folder of its own for each test, gone at its end.
class ScheduleFile : public testing::Test {
 protected:
  ScheduleFile() {
    std::string pattern = (fs::temp_directory_path() / "hocket-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ScheduleFile() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file(std::string_view name) const { return folder_ / name; }
  fs::path write(std::string_view name, std::string_view text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  /// What `action` complains about, with the folder's name replaced by "FOLDER"; empty if it does not.
  template <class Action>
  std::string complaint(Action action) const {
    try {
      action();
    } catch (const ScheduleError& e) {
      std::string text = e.what();
      for (std::size_t at; (at = text.find(folder_.string())) != std::string::npos;) {
        text.replace(at, folder_.string().size(), "FOLDER");
      }
      return text;
    }
    return {};
  }
  [[nodiscard]] std::string complaint_about(const fs::path& path) const {
    return complaint([&] { static_cast<void>(read_schedule(path)); });
  }

  fs::path folder_;
};

/// What reading `text` complains about; empty if it does not.
std::string complaint_about_text(std::string_view text) {
  try {
    static_cast<void>(schedule_from_json(text, "x.json"));
  } catch (const ScheduleError& e) {
    return e.what();
  }
  return {};
}

/// `text` with the first `from` replaced by `to`; there must be one.
std::string changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The sample's file with `from` replaced by `to`, and what reading that complains about.
std::string complaint_after(std::string_view from, std::string_view to) {
  return complaint_about_text(changed(to_json(sample_schedule()), from, to));
}

Schedule incomplete_schedule() {
  Schedule schedule = sample_schedule();
  schedule.complete = false;
  schedule.kind = FailureKind::signal;
  schedule.message = "SIGSEGV";
  schedule.signal = SIGSEGV;
  schedule.bound = 0;
  schedule.threads.clear();
  for (Trace::Choice& choice : schedule.choices) {
    Trace::Choice bare;
    bare.code = choice.code;
    choice = bare;
  }
  return schedule;
}

constexpr std::string_view kUndo = "; undo what was changed in the file, or get another copy of it";
constexpr std::string_view kGetAnother = "; get another copy of it, or run the search again";

std::string with(std::string_view sentence, std::string_view remedy) {
  return std::string(sentence) + std::string(remedy);
}

// ---------------------------------------------------------------------------------------------------------------------
// The text

TEST_F(ScheduleFile, ReadsAsAList) {
  EXPECT_EQ(to_json(sample_schedule()), R"({
  "hocket_schedule": 1,
  "test": "queue/two-thieves",
  "failure": "check",
  "message": "an item was taken twice",
  "where": "queue_test.cpp:57",
  "preemptions": 1,
  "executions": 119,
  "strategy": "icb",
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

TEST_F(ScheduleFile, OfACrashHoldsTheCodes) {
  EXPECT_EQ(to_json(incomplete_schedule()), R"({
  "hocket_schedule": 1,
  "test": "queue/two-thieves",
  "failure": "signal",
  "message": "SIGSEGV",
  "where": "queue_test.cpp:57",
  "signal": 11,
  "executions": 119,
  "strategy": "icb",
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

void expect_equal(const Schedule& a, const Schedule& b) {
  EXPECT_EQ(a.test, b.test);
  EXPECT_EQ(a.binary, b.binary);
  EXPECT_EQ(a.build_id, b.build_id);
  EXPECT_EQ(a.strategy, b.strategy);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.max_steps, b.max_steps);
  EXPECT_EQ(a.stack_size, b.stack_size);
  EXPECT_EQ(a.spurious_wakeups, b.spurious_wakeups);
  EXPECT_EQ(a.spurious_failures, b.spurious_failures);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.where, b.where);
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.executions, b.executions);
  EXPECT_EQ(a.complete, b.complete);
  ASSERT_EQ(a.threads.size(), b.threads.size());
  for (std::size_t n = 0; n < a.threads.size(); ++n) {
    EXPECT_EQ(a.threads[n].label, b.threads[n].label);
    EXPECT_EQ(a.threads[n].creator, b.threads[n].creator);
    EXPECT_EQ(a.threads[n].ordinal, b.threads[n].ordinal);
    EXPECT_EQ(a.threads[n].made_at, b.threads[n].made_at);
  }
  ASSERT_EQ(a.choices.size(), b.choices.size());
  for (std::size_t n = 0; n < a.choices.size(); ++n) {
    SCOPED_TRACE("step " + std::to_string(n + 1));
    EXPECT_EQ(a.choices[n].is_value, b.choices[n].is_value);
    EXPECT_EQ(a.choices[n].thread, b.choices[n].thread);
    EXPECT_EQ(a.choices[n].operation, b.choices[n].operation);
    EXPECT_EQ(a.choices[n].object, b.choices[n].object);
    EXPECT_EQ(a.choices[n].mode, b.choices[n].mode);
    EXPECT_EQ(a.choices[n].code, b.choices[n].code);
    EXPECT_EQ(a.choices[n].count, b.choices[n].count);
    EXPECT_EQ(a.choices[n].price, b.choices[n].price);
    EXPECT_EQ(a.choices[n].where, b.choices[n].where);
    EXPECT_EQ(a.choices[n].notes, b.choices[n].notes);
  }
}

TEST_F(ScheduleFile, ComesBackAsItWas) {
  expect_equal(schedule_from_json(to_json(sample_schedule()), "x.json"), sample_schedule());
  expect_equal(schedule_from_json(to_json(incomplete_schedule()), "x.json"), incomplete_schedule());
}

TEST_F(ScheduleFile, ComesBackWithEveryKindOfOperationAndFailureAndText) {
  Schedule schedule = sample_schedule();
  schedule.message = "a \"quoted\" \\ line\nand another,\twith \x1b[31mred\x7f and \u00a0 … 漢字";
  schedule.seed = ~std::uint64_t{0};
  schedule.executions = ~std::uint64_t{0};
  schedule.max_steps = runtime::kMaxPositions;
  schedule.spurious_wakeups = true;
  schedule.spurious_failures = true;
  schedule.where.clear();
  schedule.build_id.clear();
  schedule.binary.clear();
  schedule.threads.push_back({"", 1, 1, ""});
  for (auto n = static_cast<unsigned>(Operation::none) + 1; n <= static_cast<unsigned>(Operation::destroy);
       ++n) {
    for (const Mode mode : {Mode::run, Mode::expire, Mode::spurious}) {
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

TEST_F(ScheduleFile, HoldsAsManyStepsAsAnExecutionCanHave) {
  Schedule schedule = sample_schedule();
  schedule.choices.assign(runtime::kMaxPositions, schedule.choices[1]);
  const std::string text = to_json(schedule);
  EXPECT_LT(text.size(), kMostScheduleBytes);
  EXPECT_EQ(schedule_from_json(text, "x.json").choices.size(), runtime::kMaxPositions);

  const std::size_t end = text.rfind("\n  ]");
  const std::string one_more = text.substr(0, end) + ",\n    {\"step\": 1048576}" + text.substr(end);
  EXPECT_EQ(complaint_about_text(one_more),
      with("x.json: step 1048576: an execution has at most 1048575 steps", kUndo));
}

// ---------------------------------------------------------------------------------------------------------------------
// Files that cannot be read

TEST_F(ScheduleFile, ThatIsMissingIsRefused) {
  EXPECT_EQ(complaint_about(file("x.json")), "FOLDER/x.json: there is no such file; check the path");
}

TEST_F(ScheduleFile, ThatIsAFolderIsRefused) {
  EXPECT_EQ(complaint_about(folder_), "FOLDER: this is a folder; name a schedule file in it");
}

TEST_F(ScheduleFile, ThatIsAPipeIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(
      complaint_about(file("pipe")), "FOLDER/pipe: this is no regular file; copy the schedule into one");
}

TEST_F(ScheduleFile, UnderAFileIsRefused) {
  write("x.json", "");
  EXPECT_EQ(complaint_about(file("x.json/y.json")),
      "FOLDER/x.json/y.json: the file cannot be opened (Not a directory); check the path and who may read "
      "it");
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
  EXPECT_EQ(complaint_about_text(R"({"hocket_schedule": 2, "seed": {"new": []}})"),
      "x.json: the file was written by a newer Hocket, in format 2; use that Hocket to read it");
}

TEST_F(ScheduleFile, OfNoFormatThatThereIsIsRefused) {
  const auto complaint = [](std::string_view format) {
    return complaint_after("chedule\": 1", "chedule\": " + std::string(format));
  };
  EXPECT_EQ(complaint("0"), with("x.json: \"hocket_schedule\" must be 1, not 0", kUndo));
  EXPECT_EQ(complaint("-1"), with("x.json: \"hocket_schedule\" must not be negative, but is -1", kUndo));
  EXPECT_EQ(complaint("\"1\""), with("x.json: \"hocket_schedule\" must be a number, not text", kUndo));
  EXPECT_EQ(complaint("[1]"), with("x.json: \"hocket_schedule\" must be 1, not an array", kUndo));
  EXPECT_EQ(complaint("1.0"),
      with("x.json: \"hocket_schedule\" must be a number, not a number with a fraction", kUndo));
}

// ---------------------------------------------------------------------------------------------------------------------
// The header

TEST_F(ScheduleFile, WithAnUnknownFieldIsRefused) {
  EXPECT_EQ(
      complaint_after("\"seed\"", "\"sead\""), with("x.json: a schedule file has no field \"sead\"", kUndo));
  EXPECT_EQ(complaint_after("\"made at\"", "\"made\""),
      with("x.json: entry 2 of \"threads\": a thread has no field \"made\"", kUndo));
  EXPECT_EQ(complaint_after("\"object\"", "\"objekt\""),
      with("x.json: step 1: a step has no field \"objekt\"", kUndo));
}

TEST_F(ScheduleFile, WithAFieldTwiceIsRefused) {
  EXPECT_EQ(complaint_after("\"seed\": 1,", "\"seed\": 1, \"seed\": 1,"),
      with("x.json: the field \"seed\" comes twice", kUndo));
  EXPECT_EQ(complaint_after("\"step\": 2,", "\"step\": 2, \"step\": 2,"),
      with("x.json: step 2: the field \"step\" comes twice", kUndo));
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
  EXPECT_EQ(
      complaint("4, 4096"), with("x.json: entry 2 of \"choices\" must be from 0 to 4095, not 4096", kUndo));
  EXPECT_EQ(complaint("4, -4"), with("x.json: entry 2 of \"choices\" must be from 0 to 4095, not -4", kUndo));
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
      with("x.json: step 8: \"how\" must be \"expired\" or \"spuriously\", not \"exspired\"", kUndo));
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

// Whatever a file holds, it is either a schedule or refused: no crash, no hang, no other exception.
TEST_F(ScheduleFile, ChangedAtRandomIsReadOrRefused) {
  const std::string original = to_json(sample_schedule());
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  unsigned refused = 0;
  for (unsigned round = 0; round < 20'000; ++round) {
    std::string text = original;
    for (std::size_t changes = 1 + below(3); changes-- > 0;) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(at, original.substr(below(original.size()), 1 + below(40)));
      }
    }
    try {
      const Schedule schedule = schedule_from_json(text, "x.json");
      static_cast<void>(schedule_from_json(to_json(schedule), "x.json"));
    } catch (const ScheduleError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10'000U);
}

// ---------------------------------------------------------------------------------------------------------------------
// Saving

TEST_F(ScheduleFile, IsSavedUnderTheNameOfItsTest) {
  const fs::path path = save_new(sample_schedule(), folder_);
  EXPECT_EQ(path, file("queue_two-thieves.schedule.json"));
  EXPECT_EQ(text_of(path), to_json(sample_schedule()));
  expect_equal(read_schedule(path), sample_schedule());
  EXPECT_EQ(names(), std::vector<std::string>{"queue_two-thieves.schedule.json"});
}

TEST_F(ScheduleFile, NeverTakesThePlaceOfAnother) {
  write("queue_two-thieves.schedule.json", "mine");
  write("queue_two-thieves-3.schedule.json", "mine too");
  EXPECT_EQ(save_new(sample_schedule(), folder_), file("queue_two-thieves-2.schedule.json"));
  EXPECT_EQ(save_new(sample_schedule(), folder_), file("queue_two-thieves-4.schedule.json"));
  EXPECT_EQ(text_of(file("queue_two-thieves.schedule.json")), "mine");
  EXPECT_EQ(text_of(file("queue_two-thieves-3.schedule.json")), "mine too");
}

TEST_F(ScheduleFile, NeverTakesThePlaceOfADanglingLinkOrAFolder) {
  fs::create_symlink("nowhere", file("queue_two-thieves.schedule.json"));
  fs::create_directory(file("queue_two-thieves-2.schedule.json"));
  EXPECT_EQ(save_new(sample_schedule(), folder_), file("queue_two-thieves-3.schedule.json"));
  EXPECT_FALSE(fs::exists(file("nowhere")));
}

TEST_F(ScheduleFile, IsSavedInAFolderThatIsMadeForIt) {
  EXPECT_EQ(save_new(sample_schedule(), file("a/b/")), file("a/b/queue_two-thieves.schedule.json"));
}

TEST_F(ScheduleFile, CannotBeSavedUnderAFile) {
  write("a", "");
  EXPECT_EQ(complaint([&] { save_new(sample_schedule(), file("a")); }),
      "the schedule cannot be saved in FOLDER/a (Not a directory); choose another folder: a part of this "
      "path is a file");
  EXPECT_EQ(complaint([&] { save_new(sample_schedule(), file("a/b")); }),
      "the schedule cannot be saved in FOLDER/a/b (Not a directory); choose another folder: a part of this "
      "path is a file");
}

/// While it lives, a superuser has the rights of a user without any.
class NotTheSuperuser {
 public:
  NotTheSuperuser() {
    constexpr uid_t kNobody = 65534;
    if (is_superuser_) {
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
  }
  ~NotTheSuperuser() {
    if (is_superuser_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
  NotTheSuperuser(const NotTheSuperuser&) = delete;
  NotTheSuperuser& operator=(const NotTheSuperuser&) = delete;

 private:
  bool is_superuser_ = ::geteuid() == 0;
};

TEST_F(ScheduleFile, CannotBeSavedWhereNothingMayBeWritten) {
  // Not even the superuser may make files here.
  EXPECT_EQ(complaint([&] { save_new(sample_schedule(), "/proc/self"); }).substr(0, 46),
      "the schedule cannot be saved in /proc/self (No");
  constexpr fs::perms kNoWriting =
      fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec;
  fs::permissions(folder_, kNoWriting);
  {
    const NotTheSuperuser guard;  // who may write everywhere else
    EXPECT_EQ(complaint([&] { save_new(sample_schedule(), folder_); }),
        "the schedule cannot be saved in FOLDER (Permission denied); choose a folder that can be written to");
  }
  fs::permissions(folder_, fs::perms::owner_all);
}

/// While it lives, files cannot grow beyond some bytes, as on a disk that is nearly full.
class LittleRoom {
 public:
  explicit LittleRoom(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  LittleRoom(const LittleRoom&) = delete;
  LittleRoom& operator=(const LittleRoom&) = delete;
  ~LittleRoom() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(ScheduleFile, LeavesNothingBehindWhereThereIsNoRoom) {
  std::string first;
  std::string second;
  write("old.schedule.json", "old");
  {
    const LittleRoom room(1000);
    first = complaint([&] { save_new(sample_schedule(), folder_); });
    second = complaint([&] { replace(file("old.schedule.json"), sample_schedule()); });
  }
  EXPECT_EQ(first,
      "the schedule cannot be saved in FOLDER (File too large); make room there, or choose another folder");
  EXPECT_EQ(second,
      "the schedule cannot be saved in FOLDER/old.schedule.json (File too large); make room there, or choose "
      "another "
      "folder");
  EXPECT_EQ(names(), std::vector<std::string>{"old.schedule.json"});
  EXPECT_EQ(text_of(file("old.schedule.json")), "old");
}

TEST_F(ScheduleFile, IsCompletedInItsPlace) {
  const fs::path path = save_new(incomplete_schedule(), folder_);
  EXPECT_FALSE(read_schedule(path).complete);
  fs::create_symlink(path.filename(), file("link"));
  replace(file("link"), sample_schedule());
  EXPECT_TRUE(fs::is_symlink(file("link")));
  expect_equal(read_schedule(path), sample_schedule());
  EXPECT_EQ(names(), (std::vector<std::string>{"link", "queue_two-thieves.schedule.json"}));
}

TEST_F(ScheduleFile, IsNotChangedByReading) {
  for (const std::string& text :
      {to_json(sample_schedule()), to_json(incomplete_schedule()), std::string("{")}) {
    const fs::path path = write("x.json", text);
    const auto time = fs::last_write_time(path);
    static_cast<void>(complaint_about(path));
    EXPECT_EQ(text_of(path), text);
    EXPECT_EQ(fs::last_write_time(path), time);
    EXPECT_EQ(names(), std::vector<std::string>{"x.json"});
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

TEST_F(ScheduleFile, IsFoundByTheNameOfItsTest) {
  for (const char* name : {"q.schedule.json", "q-10.schedule.json", "q-2.schedule.json", "q-1.schedule.json",
           "q-02.schedule.json", "q-x.schedule.json", "q-.schedule.json", "q-2x.schedule.json",
           "qq.schedule.json", "q.json", "q-99999999999.schedule.json", ".schedule.json",
           "q.schedule.json.tmp"}) {
    write(name, "not read");
  }
  EXPECT_EQ(saved_schedules(folder_, "q"), (std::vector<fs::path>{file("q.schedule.json"),
                                               file("q-2.schedule.json"), file("q-10.schedule.json")}));
  EXPECT_EQ(saved_schedules(folder_, "r"), std::vector<fs::path>{});
  EXPECT_EQ(saved_schedules(file("no such folder"), "q"), std::vector<fs::path>{});
  EXPECT_EQ(saved_schedules(file("q.json"), "q"), std::vector<fs::path>{});
}

TEST_F(ScheduleFile, HasANameThatAnyFileSystemTakes) {
  EXPECT_EQ(schedule_file_stem("WorkStealingQueue.OwnerAndThief"), "WorkStealingQueue.OwnerAndThief");
  EXPECT_EQ(schedule_file_stem("queue/two thieves"), "queue_two_thieves");
  EXPECT_EQ(schedule_file_stem("../../etc/passwd"), "_._.._etc_passwd");
  EXPECT_EQ(schedule_file_stem("-rf"), "_rf");
  EXPECT_EQ(schedule_file_stem(""), "unnamed");
  EXPECT_EQ(schedule_file_stem("größe/漢字"), "größe_漢字");
  EXPECT_EQ(schedule_file_stem("a\xff\n\u0085"
                               "b"),
      "a___b");
  EXPECT_EQ(schedule_file_name("q", 1), "q.schedule.json");
  EXPECT_EQ(schedule_file_name("q", 12), "q-12.schedule.json");
}

TEST_F(ScheduleFile, OfATestWithALongNameHasAShorterOneThatIsStillItsOwn) {
  const std::string name(1000, 'x');
  EXPECT_LT(schedule_file_name(name + "a", 1'000'000).size(), 255U);
  EXPECT_NE(schedule_file_stem(name + "a"), schedule_file_stem(name + "b"));
  Schedule schedule = sample_schedule();
  schedule.test = name;
  const fs::path path = save_new(schedule, folder_);
  EXPECT_EQ(saved_schedules(folder_, name), std::vector<fs::path>{path});
}

TEST(ThisProgram, HasAPathAndABuildId) {
  EXPECT_EQ(runtime::platform::path_of_this_program(), fs::canonical("/proc/self/exe").string());
  const std::string id = runtime::platform::build_id_of_this_program();
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(id.size() % 2, 0U);
  EXPECT_EQ(id, runtime::platform::build_id_of_this_program());
}

}  // namespace
}  // namespace hocket::tests
