// The last line of a test program, and of `hocket run`: what was covered, what was not and why, and what to
// do next.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "../options/replay_command.hpp"

namespace hocket {

/// What the last line needs to know of a search.
struct SearchOutcome {
  std::string test{};
  std::string verdict{};                 ///< as in a report file: "failed", "passed within the bound", …
  std::string stopped_by{};              ///< as Report::stopped_by
  std::string schedule_file{};           ///< of its first failure, or empty
  bool ended_at_race = false;            ///< as Report::ended_at_race
  unsigned bound = 0;                    ///< the last one that was completed
  std::optional<double> seconds_left{};  ///< of a search that was stopped: to the end of its bound, at most
  bool is_sealed = false;                ///< see Coverage::sealed
};

/// The outcome of a search from its entry in a report file. Throws nlohmann::json::exception.
SearchOutcome outcome_of(const nlohmann::json& entry);

/// What is said after searches that a data race has ended.
inline constexpr std::string_view kAfterRace =
    "A data race ends the search of its test: --hocket_keep_going looks for what else is in it.";

/// One sentence, broken into lines of at most `width` columns, with a command, if it has one, in a line of
/// its own, after one on races that have ended searches; empty if there was no search, or only a replay.
/// `again` replays a schedule of the program that made the searches: of this one, if it is left out.
std::string last_line(const std::vector<SearchOutcome>& outcomes, const ReplayCommand& again, unsigned width);
std::string last_line(const std::vector<SearchOutcome>& outcomes, unsigned width);

/// To be called around each test, so that line_on_tests_not_searched() can count those that have started
/// threads and made no search.
void note_test_begins();
void note_test_ends();
/// What is said at the end of a program of instrumented code of which tests have threads and were not
/// searched: a line, or nothing.
std::string line_on_tests_not_searched();

/// The outcomes of the searches of this process, in the order in which they ended.
std::vector<SearchOutcome>& outcomes_so_far();
/// Those from the one with this number on, as text, and adds those that are in such a text: for a program
/// that begins anew.
std::string record_of_outcomes(std::size_t first);
void add_outcomes(const std::string& record);

/// Whether `hocket run` has started this process, and will print the last line.
bool is_run_by_command();

}  // namespace hocket
