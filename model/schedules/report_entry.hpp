// Reports of models in the report file (--hocket_report).
#pragma once

#include "../api/report.hpp"

namespace hocket::model {

/// Whether there is a report file.
bool has_report_file();

/// While a check runs, the report file, if there is one, says that it did not end.
class ReportEntry {
 public:
  /// Throws std::runtime_error if the report file cannot be written.
  explicit ReportEntry(const Report& report);
  /// If the check has thrown, no search is running any more.
  ~ReportEntry();
  ReportEntry(const ReportEntry&) = delete;
  ReportEntry& operator=(const ReportEntry&) = delete;

  /// Adds the report. Throws std::runtime_error if the report file cannot be written.
  void add(const Report& report);

 private:
  bool is_added_ = false;
};

}  // namespace hocket::model
