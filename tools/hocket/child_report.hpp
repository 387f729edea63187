// The report that the test program leaves of its searches.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::tool {

/// One search, as the report tells of it.
struct ReportedSearch {
  std::string test;
  std::string verdict;  ///< for example "passed within the bound" or "replay ran clean"
};

/// A place for one report of the test program's, which HOCKET_REPORT names while it runs. A file that the
/// user wants it in is written at the end, so that one from an earlier run is never mistaken for this one's.
class ChildReport {
 public:
  /// HOCKET_REPORT names the user's file, if there is to be one. Throws UsageError where that cannot be
  /// written.
  ChildReport();
  ChildReport(const ChildReport&) = delete;
  ChildReport& operator=(const ChildReport&) = delete;
  ~ChildReport();

  /// After the program's end: the searches that it reported, in order; none if there is no report. Writes the
  /// user's file, if there is one and a report. Throws UsageError where that fails.
  std::vector<ReportedSearch> searches();

 private:
  std::string wanted_;
  std::filesystem::path folder_;
};

}  // namespace hocket::tool
