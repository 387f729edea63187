// Running the test program.
#pragma once

#include <string>
#include <vector>

#include "scheduler/process/program.hpp"

namespace hocket::tool {

/// Makes the test program ignore GoogleTest's sharding (GTEST_TOTAL_SHARDS), so that a test given by name
/// runs whichever shard it belongs to.
void run_every_share();

/// Throws UsageError: the program cannot be run.
[[noreturn]] void refuse_program(const std::string& binary, int error);

/// As run_program(), for `binary`, a path, with these arguments. Throws UsageError if it cannot be run.
ProgramEnd run_child(
    const std::string& binary, const std::vector<std::string>& arguments, Output output = Output::shown);

}  // namespace hocket::tool
