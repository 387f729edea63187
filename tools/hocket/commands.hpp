// The commands of `hocket`: what each was asked for, and how it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "scheduler/search/option_table.hpp"

namespace hocket::tool {

/// Statuses that the process can end with.
inline constexpr int kPassed = 0;  ///< of a replay: it ran clean
inline constexpr int kFailed = 1;  ///< a failure was found, or came again, or the body is nondeterministic
inline constexpr int kBad =
    2;  ///< bad usage, a bad file, a program that cannot be run; a replay that diverged
inline constexpr int kStopped = 3;  ///< a limit or Ctrl-C ended a search before it was through

/// Something that the user has to put right. what() is one sentence without a full stop.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option as it was given on the command line.
struct GivenOption {
  const OptionInfo* option;
  std::string text;  ///< its value; "true" for a switch
};

/// `hocket run`. What is not given is left to the test program and to the environment.
struct RunCommand {
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
  std::string test;                    ///< empty: all
  std::vector<GivenOption> options;
};

/// `hocket replay`
struct ReplayCommand {
  std::string file;
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
  std::vector<GivenOption> options;
};

/// `hocket show`
struct ShowCommand {
  std::string file;
  bool all = false;
  std::optional<std::size_t> width;  ///< columns; none: those of the terminal
  std::string color = "auto";        ///< "auto", "always" or "never"
};

/// Puts `options` into the environment, where every test program linked with Hocket finds them, and returns
/// what they are in a program that asks for nothing else. Throws std::invalid_argument for a value that makes
/// no sense.
Options pass_on(const std::vector<GivenOption>& options);

/// Each carries out its command, prints what there is to say and returns the exit status. Throws UsageError,
/// ScheduleError, or std::invalid_argument for a value that the search refuses.
int run(const RunCommand& command);
int replay(const ReplayCommand& command);
int show(const ShowCommand& command);

}  // namespace hocket::tool
