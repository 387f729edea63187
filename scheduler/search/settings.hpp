// What the environment and the command line say about every search of this process.
#pragma once

#include <string>

#include "../api/options.hpp"
#include "../api/report.hpp"

namespace hocket {

/// Takes the flags --hocket_… out of the command line, GoogleTest's way: `argc` and `argv` are left with the
/// others. A flag wins over the environment variable of the same name (HOCKET_STRATEGY for
/// --hocket_strategy), and either over what the code says. Prints one sentence and ends the process with
/// status 2 for a flag or value that makes no sense; prints a list of them for --help and returns.
void initialize(int* argc, char** argv);

/// What initialize() and the environment ask for, in addition to Options.
struct Settings {
  std::string report_file;  ///< where to write a JSON report of all searches, or empty
  std::string replay;       ///< the schedule file of HOCKET_REPLAY, or empty
  std::string test;         ///< HOCKET_TEST: a pattern with * and ? for the searches to make, or empty
  std::string replay_test;  ///< the test that it belongs to
};
const Settings& settings();

/// `options` with what the environment and the command line say instead. Throws std::invalid_argument.
Options with_settings(Options options);

/// What a search of this process has ended with, for replay_status().
void note_verdict(Verdict verdict);

/// The exit status of a replay that this process made: 1 the failure came again, 0 it ran clean, 2 it
/// diverged.
int replay_status();

}  // namespace hocket
