// Settings from the environment and the command line, for every search of this process.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../api/options.hpp"
#include "../api/report.hpp"

namespace hocket {

/// Removes the flags --hocket_… from the command line, as GoogleTest does: `argc` and `argv` keep the other
/// arguments. A flag overrides the environment variable of the same name (HOCKET_STRATEGY for
/// --hocket_strategy), and both override the code. For an invalid flag or value, prints one sentence and ends
/// the process with status 2. For --help, prints a list of the flags and returns. Splits the process (see
/// supervise()): what follows runs in a child. So call it first, before threads, locks on files and timers.
void initialize(int* argc, char** argv);

/// Whether an argument is to be one of the flags, perhaps with a dash in place of an underscore or with one
/// dash before it.
bool is_flag_of_hocket(std::string_view argument);

/// How much searches say of what they do, on standard error.
enum class LogLevel : std::uint8_t {
  off,
  info,  ///< what is decided and why, where a search begins anew, what each bound took, files
  debug  ///< also how state is restored, and how the default strategy changes its ways
};

/// Settings from the flags and the environment that are not in Options.
struct Settings {
  std::string report_file;  ///< where to write a JSON report of all searches, or empty
  std::string html_folder;  ///< where to have pages of failures written, or empty
  std::string replay;       ///< the schedule file of HOCKET_REPLAY, or empty
  std::string test;         ///< HOCKET_TEST: a pattern with * and ? for the searches to make, or empty
  std::string replay_test;  ///< the test to which that schedule belongs
  bool replays_whole_test = false;  ///< and whether it is one that makes no search itself
  bool all_steps = false;           ///< whether reports show the steps that they would fold
  std::optional<bool> supervise;    ///< whether a process outside is to watch this one; nothing: if it can
  LogLevel log = LogLevel::off;
  bool coverage = false;                              ///< whether searches note where threads meet
  std::optional<std::chrono::nanoseconds> all_tests;  ///< the time for the search of all tests, if asked for
};
const Settings& settings();
/// As if --hocket_all_tests were given, unless something is said about it.
void search_all_tests();

/// `options`, overridden by the environment and the command line. Throws std::invalid_argument.
Options with_settings(Options options);

/// Whether the bound of the search rises for as long as there is time: a time was asked for, and no bound.
bool rises_with_time(const Options& options);

/// Why a search is not made: a signal has ended an earlier one, or HOCKET_REPLAY or HOCKET_TEST asks for
/// another test.
struct ReasonNotToSearch {
  std::string asked_by;  ///< the signal, or the variable
  std::string explanation;
};
/// The reason, if there is one, for a search of `test`, whose options have the schedule file `replay`, if
/// any.
std::optional<ReasonNotToSearch> reason_not_to_search(const std::string& test, const std::string& replay);

/// Records the verdict of a search of this process, for replay_status().
void note_verdict(Verdict verdict);

/// The exit status of a replay by this process: 1 if the failure occurred again, 0 if it ran clean, 2 if it
/// diverged.
int replay_status();

}  // namespace hocket
