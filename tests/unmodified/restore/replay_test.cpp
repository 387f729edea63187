// Failures of code that was not written for Hocket come again from their schedule files: in the process that
// has found them, and in others.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <ostream>
#include <string>

#include <sys/wait.h>

#include <hocket/hocket.hpp>

#include "samples/unmodified/bugs.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/row_name.hpp"

namespace samples {

// GoogleTest would print the bytes of the object into the test's name.
static void PrintTo(const Bug& bug, std::ostream* out) {
  *out << bug.name;
}

}  // namespace samples

namespace {

using hocket::Report;
using hocket::Verdict;

class UnmodifiedReplay : public testing::TestWithParam<samples::Bug> {
 protected:
  [[nodiscard]] std::string test() const { return std::string("Bugs.") + GetParam().name; }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / (test() + ".schedule.json"); }

  [[nodiscard]] Report explore(const std::string& replay) const {
    return hocket::explore(test(), GetParam().buggy,
        hocket::Options{.schedule_dir = folder_.path().string(),
            .spurious_wakeups = true,
            .try_saved = false,
            .replay = replay});
  }

  hocket::test::Folder folder_;
};

TEST_P(UnmodifiedReplay, ComesToTheSameFailureInTheSameProcess) {
  const Report found = explore({});
  ASSERT_EQ(found.verdict, Verdict::failed) << found;
  ASSERT_EQ(found.failures.at(0).schedule_file, file().string());
  const Report again = explore(file().string());
  ASSERT_EQ(again.verdict, Verdict::failed) << again;
  EXPECT_TRUE(again.is_replay);
  EXPECT_EQ(again.failures.at(0).kind, found.failures.at(0).kind);
  EXPECT_EQ(again.failures.at(0).message, found.failures.at(0).message);
  EXPECT_EQ(again.failures.at(0).where, found.failures.at(0).where);
}

#ifdef HOCKET_TEST_COMMAND

struct End {
  int status = 0;
  std::string output;
};

/// What a command line prints and ends with.
End shell(const std::string& command) {
  End end;
  std::FILE* const output = popen((command + " 2>&1").c_str(), "r");
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) end.output += static_cast<char>(c);
  const int status = pclose(output);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return end;
}

TEST_P(UnmodifiedReplay, ComesToTheSameFailureByTheCommandInAnotherProcess) {
  const std::string command = HOCKET_TEST_COMMAND;
  const End run = shell("cd '" + folder_.path().string() + "' && " + command + " run " + HOCKET_TEST_BUGS +
                        " --test " + test());
  ASSERT_EQ(run.status, 1) << run.output;
  ASSERT_TRUE(std::filesystem::exists(file())) << run.output;
  const End replay = shell(command + " replay '" + file().string() + "' " + HOCKET_TEST_BUGS);
  EXPECT_EQ(replay.status, 1) << replay.output;
  EXPECT_NE(replay.output.find("replayed, and it failed again"), std::string::npos) << replay.output;
  EXPECT_EQ(replay.output.find("warning"), std::string::npos) << replay.output;
}

#endif

INSTANTIATE_TEST_SUITE_P(Bugs, UnmodifiedReplay, testing::ValuesIn(samples::bugs()), hocket::test::RowName());

}  // namespace
