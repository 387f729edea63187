// The report of all searches of a process as JSON (--hocket_report).
//
// It is written anew before and after each search, so that it is whole at any time. While a search runs it
// says that this one did not end. When the process dies in an execution, a signal's handler writes it once
// more, with the failure: all that it may not compose then has been made ready.
#pragma once

#include <cstdint>
#include <string>

#include "../api/report.hpp"

namespace hocket {

/// Adds a search to the report file, if there is one. Throws std::runtime_error when it cannot be written.
void add_to_report_file(const Report& report);

/// Says in the report file, if there is one, that a search of `test` has begun and not ended; empty: that
/// none has. Throws std::runtime_error when it cannot be written.
void announce_in_report_file(const std::string& test);

/// What the process dies of. All of it is JSON text, strings in their quotes.
struct DeathInReport {
  const char* kind;
  const char* message;
  const char* schedule_file;  ///< but for the closing quote
  const char* rest_of_file;   ///< which follows it
  std::uint64_t steps;        ///< of the execution that has not ended
  unsigned preemptions;       ///< in it
};

/// As a string of JSON, in quotes.
std::string as_json(const std::string& text);

/// While one lives, the file can be written by a process that dies.
class ReportAtDeath {
 public:
  /// `report` is that of the search that runs, and is read when the process dies.
  explicit ReportAtDeath(const Report& report);
  ~ReportAtDeath();
  ReportAtDeath(const ReportAtDeath&) = delete;
  ReportAtDeath& operator=(const ReportAtDeath&) = delete;

  /// Another failure has been found meanwhile, or there is a note.
  static void refresh();

  /// Writes the file, if there is one to write: calls clock_gettime, open, write, close and rename only.
  static void write(const DeathInReport& death);
};

}  // namespace hocket
