// The report that the test program writes about its searches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/report/last_line.hpp"

#include "temporary_folder.hpp"

namespace hocket::tool {

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

}  // namespace hocket::tool
