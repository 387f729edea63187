// The report of all searches of a process as JSON (--hocket_report).
//
// It is rewritten before and after each search, so that it is complete at any time. While a search runs, the
// file says that this search did not end. If the process dies in an execution, another process writes the
// file again, with the failure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "../api/report.hpp"
#include "../deaths/last_execution.hpp"

namespace hocket {

/// Adds a search to the report file, if there is one. If it cannot be written, warns of that if the search
/// has found something, and otherwise throws std::runtime_error.
void add_to_report_file(const Report& report);

/// The report as an entry of the report file.
nlohmann::ordered_json entry_of(const Report& report);

/// From now on this process writes no report file: another one does.
void leave_report_file();

/// The same as add_to_report_file() for a search whose entry is composed elsewhere.
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

/// Records that a search which runs has found another failure, or has a note, in case the process does not
/// come to its end.
void note_in_report_file(const Report& report);

/// Puts how a search has ended its process in the place of "did not end" in this report file, which another
/// process has written. `before`: counts of the executions until then. `saved_as`: the file of the schedule,
/// or empty. Returns false if the file could not be written; then it still says that the search did not end.
bool put_death_in_report_file(
    const std::string& file, const LastExecution& last, const Coverage& before, const std::string& saved_as);

/// `report` is of the search in which the process died before the program began anew. If the file only says
/// that it did not end, because the dying process could not write it, or what its supervisor knew, this says
/// more.
void complete_in_report_file(const Report& report);

}  // namespace hocket
