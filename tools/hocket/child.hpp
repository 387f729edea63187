// Running the test program.
#pragma once

#include <string>
#include <vector>

namespace hocket::tool {

/// How the test program ended.
struct ChildEnd {
  int status = 0;  ///< its exit status, if no signal ended it
  int signal = 0;  ///< the signal that ended it, or 0
};

/// Makes the test program ignore GoogleTest's sharding (GTEST_TOTAL_SHARDS), so that a test given by name
/// runs whichever shard it belongs to.
void run_every_share();

/// Where what the test program prints goes.
enum class Output : bool { shown, dropped };

/// Runs `binary`, a path, with these arguments and this process's environment, and waits for its end.
/// The program handles Ctrl-C; a SIGTERM or SIGHUP to this process is forwarded to it. Throws UsageError if
/// the program cannot be run.
ChildEnd run_child(
    const std::string& binary, const std::vector<std::string>& arguments, Output output = Output::shown);

}  // namespace hocket::tool
