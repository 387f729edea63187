// Running another program for the user, who does not notice that there are two processes.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/platform/ending.hpp"

namespace hocket {

/// Where what the program prints goes.
enum class Output : bool { shown, dropped };

/// How a program ended.
struct ProgramEnd : runtime::platform::Ending {
  int error = 0;                 ///< an error number if the program could not be run
  bool was_told_to_end = false;  ///< before that, as one of a queue: by a signal, or since the time was over
};

/// A program to run. Its environment is that of this process.
struct Program {
  std::string path;
  std::vector<std::string> words;  ///< its arguments, beginning with its name
  std::string output = {};         ///< the file for its standard output; empty: that of this process
  std::string errors = {};         ///< and for its standard error
};

inline constexpr std::size_t kMostPrograms = 1024;  ///< at the same time

/// While an object of this class exists, this process ignores signals from the terminal, which programs get,
/// too, and forwards others to those that run.
class SignalsOfPrograms {
 public:
  SignalsOfPrograms();
  ~SignalsOfPrograms();
  SignalsOfPrograms(const SignalsOfPrograms&) = delete;
  SignalsOfPrograms& operator=(const SignalsOfPrograms&) = delete;

  /// The last one that has come to this process, since the first object was made; 0: none.
  static int last();
  /// The same. The next programs do not get it any more, as they get a signal that came while none ran.
  static int see_last();
  /// Those of which programs are to have no handler.
  [[nodiscard]] const sigset_t& default_in_child() const { return default_in_child_; }

 private:
  static constexpr std::array kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> previous_{};
  sigset_t default_in_child_{};
};

/// Programs that are run one after the other, several at the same time.
struct ProgramQueue {
  std::size_t at_once = 1;  ///< so many at the same time, at most kMostPrograms
  /// The next one; nothing: there is no other.
  std::function<std::optional<Program>()> next;
  /// The n-th program, from 0, has ended.
  std::function<void(std::size_t n, const ProgramEnd& end)> ended;
  /// Called several times a second while programs run.
  std::function<void()> meanwhile = [] {};
  /// When no other is begun, and those that run get SIGTERM.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

/// Why not all programs of a queue were run.
struct QueueEnd {
  int signal = 0;  ///< the last one that this process has got; 0: none
  bool is_out_of_time = false;
};

/// Runs them. Signals are handled as run_program() does, and go to each that runs; after the first one no
/// other program is begun. What the functions throw is thrown on, after those that run have got SIGTERM and
/// have ended.
QueueEnd run_programs(const ProgramQueue& queue);

/// Runs `path` with this process's environment, and waits for its end. `words` are its arguments, beginning
/// with its name. The program handles Ctrl-C and Ctrl-\ of the terminal; a SIGINT, SIGQUIT, SIGTERM or SIGHUP
/// that only this process gets is forwarded to it.
ProgramEnd run_program(
    const std::string& path, std::vector<std::string> words, Output output = Output::shown);

/// Has this program go on in a child of this process, and waits for its end, as run_program() does with
/// another program. In the child this returns nothing, with all signals blocked, and there the objects of
/// SignalsOfPrograms are to be destroyed before a signal is let through.
std::optional<ProgramEnd> go_on_in_child();

}  // namespace hocket
