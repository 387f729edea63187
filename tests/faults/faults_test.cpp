// Every call of the system with which Hocket writes a file fails once, in every way, at every moment at which
// files are written. The table in docs/reliability.md says what must hold then.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "scheduler/schedules/schedule_file.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/folder.hpp"

#include "faulty_system.hpp"

namespace hocket::faults {

namespace {

namespace fs = std::filesystem;
using test::ChildEnd;

constexpr const char* kTest = "queue";

constexpr std::array kErrors{ENOSPC, EROFS, EINTR, EIO, EPERM, EXDEV};

const char* name_of_error(int error) {
  switch (error) {
    case ENOSPC:
      return "ENOSPC";
    case EROFS:
      return "EROFS";
    case EINTR:
      return "EINTR";
    case EIO:
      return "EIO";
    case EPERM:
      return "EPERM";
    case EXDEV:
      return "EXDEV";
    default:
      return "one byte alone";
  }
}

/// One folder for all cases, because a process reads its settings once.
const fs::path& folder() {
  static const test::Folder root;
  static const fs::path inside = root.path() / "case";
  return inside;
}
fs::path report_file() {
  return folder() / "report.json";
}

void empty_folder() {
  fs::remove_all(folder());
  fs::create_directory(folder());
}

void lose_an_update() {
  atomic<int> count{0};
  const auto increment = [&] { count.store(count.load() + 1); };
  test::in_parallel(increment, increment);
  check(count.load() == 2, "an update was lost");
}
void lose_no_update() {
  atomic<int> count{0};
  const auto increment = [&] { count.fetch_add(1); };
  test::in_parallel(increment, increment);
  check(count.load() == 2, "an update was lost");
}
void crash() {
  atomic<int> last{0};
  test::in_parallel([&] { last.store(1); },
      [&] {
        if (last.exchange(2) == 1) std::raise(SIGSEGV);
      });
}

Options options() {
  return {.schedule_dir = (folder() / "found").string()};
}

fs::path saved_file() {
  return fs::path(options().schedule_dir) / schedule_file_name(kTest, 1);
}

/// Makes the search as a test program would. Returns the exit status.
int status_of_search(void (*body)(), const Options& asked) {
  try {
    const Report report = explore(kTest, body, asked);
    std::cout << report << std::flush;
    return report.failed() ? 1 : 0;
  } catch (const std::exception& error) {
    std::cout << error.what() << std::endl;
    return 2;
  }
}

void leave_file_of(void (*body)()) {
  static_cast<void>(test::in_supervised_child([&] { ::_exit(status_of_search(body, options())); }));
  fs::remove(report_file());
  ASSERT_TRUE(fs::exists(saved_file()));
}

struct Moment {
  const char* name;
  void (*prepare)();
  int (*act)();
  int status;             ///< with which the process exits
  const char* last_line;  ///< of what is found; nullptr: nothing is
  bool makes_a_new_file;
};

const std::array kMoments{
    Moment{"AFailureIsFound", [] {}, [] { return status_of_search(lose_an_update, options()); }, 1,
        "an update was lost", true},
    Moment{"TheBodyCrashes", [] {}, [] { return status_of_search(crash, options()); }, 1, "SIGSEGV", true},
    Moment{"ACrashIsReplayed", [] { leave_file_of(crash); },
        [] {
          Options again = options();
          again.replay = saved_file().string();
          return status_of_search(crash, again);
        },
        1, "SIGSEGV", false},
    Moment{"AFileIsMadeShorter",
        [] {
          Options as_found = options();
          as_found.minimize = {};
          static_cast<void>(test::in_child([&] { ::_exit(status_of_search(lose_an_update, as_found)); }));
          fs::remove(report_file());
        },
        [] {
          Options again = options();
          again.replay = saved_file().string();
          again.minimize_file = true;
          return status_of_search(lose_an_update, again);
        },
        1, "an update was lost", false},
    Moment{"AFailureIsGone", [] { leave_file_of(lose_an_update); },
        [] { return status_of_search(lose_no_update, options()); }, 0, nullptr, false},
};

void PrintTo(const Moment& moment, std::ostream* out) {
  *out << moment.name;
}

ChildEnd run(const Moment& moment, const Fault& fault) {
  empty_folder();
  moment.prepare();
  return test::in_child([&] {
    begin_faults(folder().string(), fault);
    Settings settings = hocket::settings();
    settings.supervise = true;
    supervise(settings);
    ::_exit(moment.act());
  });
}

std::vector<fs::path> files() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder())) {
    if (entry.is_regular_file()) found.push_back(entry.path());
  }
  return found;
}

/// The schedule that was printed because it could not be saved.
std::optional<Schedule> printed_schedule(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("{  \"hocket_schedule\"")) return schedule_from_json(line, "what was printed");
  }
  return std::nullopt;
}

void expect_promises_are_kept(const std::string& output) {
  constexpr std::string_view kPromise = "schedule is saved in ";
  for (std::size_t at = output.find(kPromise); at != std::string::npos; at = output.find(kPromise, at + 1)) {
    std::string file = output.substr(at + kPromise.size());
    file = file.substr(0, file.find(".schedule.json") + std::string_view(".schedule.json").size());
    EXPECT_TRUE(fs::exists(file)) << "it is said to be there: " << file;
  }
}

/// No file is there in part, and none under a temporary name unless it could not be removed.
void expect_whole_files(const Fault& fault) {
  for (const fs::path& file : files()) {
    const std::string name = file.filename().string();
    if (name.ends_with(".schedule.json")) {
      EXPECT_NO_THROW(static_cast<void>(read_schedule(file)));
    } else if (name == "report.json") {
      std::ifstream text(file);
      EXPECT_TRUE(nlohmann::json::parse(text, nullptr, false).is_object()) << "the report is not whole";
    } else {
      EXPECT_EQ(fault.call, Call::unlink) << "a file was left: " << file;
    }
  }
}

void expect_evidence(const Moment& moment, const ChildEnd& end) {
  if (moment.last_line == nullptr) return;
  EXPECT_NE(end.output.find(moment.last_line), std::string::npos) << "the failure is not reported";
  const std::optional<Schedule> printed = printed_schedule(end.output);
  const bool is_saved = fs::exists(saved_file());
  if (!is_saved) {
    ASSERT_TRUE(printed.has_value()) << "the schedule is nowhere";
    EXPECT_FALSE(printed->choices.empty());
    EXPECT_EQ(printed->test, kTest);
  }
  if (moment.makes_a_new_file) {
    const bool is_promised = end.output.find("schedule is saved in ") != std::string::npos;
    EXPECT_EQ(is_promised, is_saved);
  }
}

/// Whether it was refused before it began, with a sentence.
bool was_refused(const ChildEnd& end) {
  return end.exited_with(2) && end.output.find(" cannot be ") != std::string::npos &&
         end.output.find("schedule is saved in") == std::string::npos;
}

void expect_what_must_hold(const Moment& moment, const Fault& fault, const ChildEnd& end) {
  expect_whole_files(fault);
  expect_promises_are_kept(end.output);
  if (was_refused(end)) return;
  EXPECT_TRUE(end.exited_with(moment.status)) << "the status of waitpid() is " << end.status;
  expect_evidence(moment, end);
}

/// Sets what a process reads once: where the report goes. Files in memory need not wait for a disk.
class Environment : public ::testing::Environment {
 public:
  void SetUp() override {
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
    ::setenv("HOCKET_REPORT", report_file().c_str(), 1);
    share_counts();
  }
};
const ::testing::Environment* const environment = ::testing::AddGlobalTestEnvironment(new Environment);

class AFault : public ::testing::TestWithParam<Moment> {
 protected:
  /// How often each call is made if none fails.
  static std::array<unsigned, kCalls> count_calls(const Moment& moment) {
    const ChildEnd end = run(moment, {});
    EXPECT_TRUE(end.exited_with(moment.status)) << "without a fault: " << end.status << "\n" << end.output;
    const std::array<unsigned, kCalls> calls = calls_made();
    EXPECT_NE(
        calls[static_cast<std::size_t>(Call::write)] + calls[static_cast<std::size_t>(Call::mkdir)], 0U);
    return calls;
  }
};

/// The errors with which the call fails. All of them are tried in the nightly build alone, and otherwise
/// those after which something else happens, and one of the others in turn.
std::vector<int> errors_of(Call call, unsigned nth) {
  std::vector<int> errors;
  if (test::kRunsAllTests) {
    errors.assign(kErrors.begin(), kErrors.end());
  } else {
    errors = {EINTR, kErrors[(static_cast<unsigned>(call) + nth) % kErrors.size()]};
    if (call == Call::renameat2 || call == Call::link) errors.push_back(EPERM);
  }
  if (call == Call::write) errors.push_back(kShortWrite);
  if (call == Call::renameat2) errors.push_back(EINVAL);  // the system has no such way of renaming
  return errors;
}

/// All faults at a moment at which the calls are made so often.
std::vector<Fault> all_faults(const std::array<unsigned, kCalls>& calls) {
  std::vector<Fault> faults;
  for (std::size_t n = 0; n < kCalls; ++n) {
    const auto call = static_cast<Call>(n);
    for (unsigned nth = 1; nth <= calls[n]; ++nth) {
      for (const int error : errors_of(call, nth)) faults.push_back({call, nth, error, false});
    }
    if (calls[n] != 0) {
      for (const int error : {ENOSPC, EROFS}) faults.push_back({call, 1, error, true});
    }
  }
  return faults;
}

TEST_P(AFault, LeavesTheEvidenceWholeOrPrinted) {
  const Moment& moment = GetParam();
  const std::vector<Fault> faults = all_faults(count_calls(moment));
  bool was_printed = false;
  for (const Fault& fault : faults) {
    SCOPED_TRACE(std::string(kCallNames[static_cast<std::size_t>(fault.call)]) + " number " +
                 std::to_string(fault.nth) +
                 (fault.stays ? " and all that follow fail with " : " fails with ") +
                 name_of_error(fault.error));
    const ChildEnd end = run(moment, fault);
    expect_what_must_hold(moment, fault, end);
    was_printed |= printed_schedule(end.output).has_value();
    if (HasFailure()) FAIL() << end.output;
  }
  RecordProperty("faults", static_cast<int>(faults.size()));
  EXPECT_GT(faults.size(), 15U);
  EXPECT_EQ(was_printed, moment.last_line != nullptr && moment.act != kMoments[2].act)
      << "no fault was in the way";
}

INSTANTIATE_TEST_SUITE_P(Moments, AFault, ::testing::ValuesIn(kMoments),
    [](const auto& row) { return std::string(row.param.name); });

TEST(APrintedSchedule, IsReplayedFromStandardInput) {
  const ChildEnd search = run(kMoments[0], {Call::mkdir, 1, EROFS, true});
  const std::optional<Schedule> printed = printed_schedule(search.output);
  ASSERT_TRUE(printed.has_value()) << search.output;
  const ChildEnd replay = test::in_child([&] {
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(::pipe(pipe_ends.data()), 0);
    const std::string line = essential_line(*printed) + "\n";
    ASSERT_EQ(::write(pipe_ends[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
    ::close(pipe_ends[1]);
    ::dup2(pipe_ends[0], STDIN_FILENO);
    Options again = options();
    again.replay = kStandardInput;
    ::_exit(status_of_search(lose_an_update, again));
  });
  EXPECT_TRUE(replay.exited_with(1)) << replay.output;
  EXPECT_NE(replay.output.find("an update was lost"), std::string::npos) << replay.output;
}

}  // namespace

}  // namespace hocket::faults
