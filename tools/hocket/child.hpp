// Running the test program.
#pragma once

#include <string>
#include <vector>

namespace hocket::tool {

/// How the test program ended.
struct ChildEnd {
  int status = 0;  ///< its exit status, if no signal ended it
  int signal = 0;  ///< that ended it, or 0
};

/// A test that is named is run, whatever share of the tests the environment gives to this process
/// (GTEST_TOTAL_SHARDS).
void run_every_share();

/// Runs `binary`, a path, with these arguments and this process's environment, and waits for its end.
/// Ctrl-C is the program's to handle; a SIGTERM or SIGHUP to this process is passed on. Throws UsageError
/// when it cannot be run.
ChildEnd run_child(const std::string& binary, const std::vector<std::string>& arguments);

}  // namespace hocket::tool
