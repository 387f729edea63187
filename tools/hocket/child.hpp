// Running the test program, and what it reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/process/program.hpp"
#include "scheduler/report/last_line.hpp"

#include "temporary_folder.hpp"

namespace hocket::tool {

/// Makes the test program ignore GoogleTest's sharding (GTEST_TOTAL_SHARDS), so that a test given by name
/// runs whichever shard it belongs to.
void run_every_share();

/// Throws UsageError: the program cannot be run.
[[noreturn]] void refuse_program(const std::string& binary, int error);

/// As run_program(), for `binary`, a path, with these arguments. Throws UsageError if it cannot be run.
ProgramEnd run_child(
    const std::string& binary, const std::vector<std::string>& arguments, Output output = Output::shown);

/// One search of the report.
using ReportedSearch = SearchOutcome;

/// A temporary file for one report of the test program; HOCKET_REPORT names it while the program runs. If the
/// user wants the report in a file, that file is written at the end, so that a report from an earlier run is
/// never mistaken for this one.
class ChildReport {
 public:
  /// Before this, HOCKET_REPORT names the user's file, if any. Throws UsageError if it cannot be written.
  ChildReport();

  /// To be called after the program has ended. Returns the searches that it reported, in order; none if there
  /// is no report. Writes the report to the user's file, if there are both. Throws UsageError if that fails.
  std::vector<ReportedSearch> searches();

  /// Where the test program writes it, or who joins what several have written.
  [[nodiscard]] const std::string& file() const { return written_; }

 private:
  std::string wanted_;
  std::string written_;
  TemporaryFolder folder_;
};

/// How many jobs `text` asks for: a number, or "auto" or "0" for the cores that this process may use. Throws
/// UsageError.
unsigned count_of_jobs(const std::string& text);

}  // namespace hocket::tool
