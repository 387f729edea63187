// The main function of hocket::gtest_main: GoogleTest's main function that also accepts Hocket's flags.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../scheduler/search/settings.hpp"
#include "../include/hocket/gtest.hpp"

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
  ::testing::GTEST_FLAG(filter) = settings.replay_test;
  // Otherwise the test might belong to the share of another process.
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) ::unsetenv(variable);
  const int status = RUN_ALL_TESTS();
  if (::testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fprintf(stderr, "hocket: %s is a schedule of the test \"%s\", which this program does not have\n",
        settings.replay.c_str(), settings.replay_test.c_str());
    return 2;
  }
  return status == 0 ? 0 : hocket::replay_status();
}
