// The commands of `hocket`: what each was asked for, and how it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

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

/// `hocket run`. What is empty or false is left to the test program and to the environment.
struct RunCommand {
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
  std::string test;
  std::string strategy;
  std::string preemptions;
  std::optional<std::uint64_t> executions;
  std::string time;
  std::optional<std::uint64_t> seed;
  std::optional<unsigned> pct_depth;
  std::optional<std::uint32_t> pct_length;
  std::string out;
  std::string report;
  std::string memory;
  std::optional<std::uint32_t> steps;
  std::string stack;
  bool keep_going = false;
  std::string restore;
  std::string detect;
  bool fair = false;
  bool plain_steps = false;
  std::string watchdog;
  bool spurious_wakeups = false;
  bool spurious_failures = false;
  bool show_output = false;
  bool require_bound = false;
  bool no_saved = false;
};

/// `hocket replay`
struct ReplayCommand {
  std::string file;
  std::string binary;
  std::vector<std::string> arguments;  ///< of the program
  std::string report;
  bool break_at_failure = false;
  bool show_output = false;
};

/// `hocket show`
struct ShowCommand {
  std::string file;
  bool all = false;
  std::optional<std::size_t> width;  ///< columns; none: those of the terminal
  std::string color = "auto";        ///< "auto", "always" or "never"
};

/// Each carries out its command, prints what there is to say and returns the exit status. Throws UsageError,
/// ScheduleError, or std::invalid_argument for a value that the search refuses.
int run(const RunCommand& command);
int replay(const ReplayCommand& command);
int show(const ShowCommand& command);

}  // namespace hocket::tool
