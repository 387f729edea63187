// The main function of hocket::gtest_main: GoogleTest's main function that also accepts Hocket's flags.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../runtime/terms/utf8.hpp"
#include "../../scheduler/options/settings.hpp"
#include "../../scheduler/report/last_line.hpp"
#include "../../scheduler/schedules/schedule_file.hpp"
#include "../include/hocket/gtest.hpp"

namespace {

/// Whether the program has a test with this name, "Suite.Name". The name comes from a file, and it is no
/// pattern.
bool has_test(const std::string& name) {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      if (name == std::string(suite.name()) + "." + suite.GetTestInfo(t)->name()) return true;
    }
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  hocket::initialize(&argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  const hocket::Settings& settings = hocket::settings();
  if (settings.replay.empty()) {
    constexpr int kInterrupted = 3;  // the status with which `hocket run` ends after Ctrl-C
    const int status = RUN_ALL_TESTS();
    return status == 0 && hocket::testing::was_interrupted() ? kInterrupted : status;
  }

  // A replay runs only the test of its file, and its exit status is that of `hocket replay`.
  if (!has_test(settings.replay_test)) {
    std::fprintf(stderr, "hocket: %s is a schedule of the test \"%s\", which this program does not have\n",
        hocket::name_in_sentences(settings.replay).c_str(),
        hocket::utf8::printable(settings.replay_test).c_str());
    return 2;
  }
  ::testing::GTEST_FLAG(filter) = settings.replay_test;
  // Otherwise the test might belong to the share of another process.
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) ::unsetenv(variable);
  const int status = RUN_ALL_TESTS();
  if (status == 0 && hocket::outcomes_so_far().empty()) {
    std::fprintf(stderr, "hocket: the test \"%s\" of %s searches nothing, so nothing was replayed\n",
        hocket::utf8::printable(settings.replay_test).c_str(),
        hocket::name_in_sentences(settings.replay).c_str());
    return 2;
  }
  return status == 0 ? 0 : hocket::replay_status();
}
