// The parts of a search that several processes run, a few at the same time: shards of all searches of a
// program.
//
// Each is this command once more, with --shard, so that whatever ends a test program is told and saved as it
// always is. Their output goes to files.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "scheduler/api/options.hpp"
#include "scheduler/process/program.hpp"

#include "commands.hpp"

namespace hocket::tool {

/// What a process has left that has run a part of every search of a program.
struct PartRun {
  unsigned number = 0;  ///< from 1
  unsigned jobs = 1;    ///< so many ran at the same time
  ProgramEnd end = {};  ///< of the command that ran it
  std::string output = {};
  std::string errors = {};
  nlohmann::ordered_json searches = nlohmann::ordered_json::array();  ///< those that have come to their ends
  bool has_broken_off = false;                                        ///< in the middle of another one

  /// The exit status, as `hocket run` has it.
  [[nodiscard]] int status() const;
  /// Whether only what the process has printed says why it has not passed.
  [[nodiscard]] bool is_to_be_shown() const;
  /// Whether it was run to its end, and not stopped by a signal, or killed.
  [[nodiscard]] bool is_whole() const;
};

/// The parts that are to be run.
struct PartsToRun {
  std::vector<unsigned> numbers;
  unsigned count = 1;            ///< of all parts
  unsigned jobs = 1;             ///< so many run at the same time
  std::filesystem::path folder;  ///< for their files, until each has ended
  std::string launch = {};       ///< words of a shell that run a command, on another machine; empty: none
  /// When the time is over.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

/// Throws UsageError if the words are more than a command with its options.
void check_launch(const std::string& words);

/// Runs them for the program of `command`, and calls `ended` with each. `options`: of a program that sets
/// none itself; a limit of executions is divided among the parts. After a part that the program could not
/// begin, a signal or the end of the time no other is begun. What `ended` throws is thrown on when those that
/// run have been ended.
QueueEnd run_parts(const RunCommand& command, const Options& options, const PartsToRun& parts,
    const std::function<void(PartRun)>& ended);

}  // namespace hocket::tool
