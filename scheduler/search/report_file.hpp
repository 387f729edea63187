// The report of all searches of a process as JSON (--hocket_report).
//
// It is rewritten before and after each search, so that it is complete at any time. While a search runs, the
// file says that this search did not end. If the process dies in an execution, a signal handler writes the
// file again, with the failure. What the handler must not compose is prepared in advance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "../api/report.hpp"

namespace hocket {

/// Adds a search to the report file, if there is one. If it cannot be written, warns of that if the search
/// has found something, and otherwise throws std::runtime_error.
void add_to_report_file(const Report& report);

/// The same for a search whose entry is composed elsewhere.
void add_to_report_file(Verdict verdict, nlohmann::ordered_json entry);

/// The test has been searched once more. Forgets the search before in the report file and the last line, or,
/// with `the_earlier`, the one that has just ended.
void keep_one_search(const std::string& test, bool the_earlier);

/// How many searches of `test` have come to their ends, by the report file; 0 if there is none.
std::size_t searches_in_report_file(const std::string& test);

/// Takes over the searches in the report file, if there is one: a child process has added to it.
void adopt_report_file();

/// The verdict in an entry of the report file: as to_string(), or the result of a replay.
std::string_view verdict_in_report_file(Verdict verdict, bool is_replay);

/// Records in the report file, if there is one, that a search of `test`, or of a shard of it, has begun and
/// not ended, or, if `test` is empty, that no search is running. Throws std::runtime_error if the file cannot
/// be written.
void announce_in_report_file(const std::string& test, const std::optional<Shard>& shard = {});

/// How the process dies. All text is JSON, with strings in quotes.
struct DeathInReport {
  const char* kind;
  const char* message;
  const char* schedule_file;  ///< without the closing quote
  const char* rest_of_file;   ///< the text that follows schedule_file
  std::uint64_t steps;        ///< of the execution that has not ended
  unsigned preemptions;       ///< in that execution
};

/// `report` is of the search in which the process died before the program began anew. If the file only says
/// that it did not end, because the dying process could not write it, or what its supervisor knew, this says
/// more.
void complete_in_report_file(const Report& report);

/// `text` as a JSON string, in quotes.
std::string as_json(const std::string& text);

/// While an object of this class exists, a dying process can write the report file.
class ReportAtDeath {
 public:
  /// `report` is the report of the current search. It is read when the process dies.
  explicit ReportAtDeath(const Report& report);
  ~ReportAtDeath();
  ReportAtDeath(const ReportAtDeath&) = delete;
  ReportAtDeath& operator=(const ReportAtDeath&) = delete;

  /// To be called when another failure has been found, or a note was added.
  static void refresh();

  /// Whether all text is as it was prepared. Allocates nothing.
  static bool is_whole();

  /// Writes the file, if there is one to write. Allocates nothing. Returns false if it cannot be written;
  /// then it still says that the search did not end.
  static bool write(const DeathInReport& death);
};

}  // namespace hocket
