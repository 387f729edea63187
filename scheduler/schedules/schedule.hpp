// A schedule as it is saved, read, replayed and shown: every choice of one failing execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/diagnosis/recorded_steps.hpp"
#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/terms/failure.hpp"

namespace hocket {

/// The states of a model (hocket::model) to which a failing path leads, and those around it.
struct ModelStates {
  using Number = std::uint32_t;                    ///< index in `states`
  static constexpr std::size_t kMostParts = 1000;  ///< of a state, in a file

  /// A step that a process can take.
  struct Transition {
    Number from = 0;
    std::string process;  ///< its name
    std::string action;
    std::optional<Number> to;  ///< none: the step is an error
  };

  /// What the parts of a state are called; empty if that is not known.
  std::vector<std::string> members;
  /// Each as text, in parts. The first one is where paths begin.
  std::vector<std::vector<std::string>> states;
  /// For each choice of the schedule the state to which it leads. Empty if the states are not known.
  std::vector<Number> path;
  /// All steps of all states. Empty if these are too many: then `states` has those of the path only.
  std::vector<Transition> transitions;
};

/// A call stack that explains the failure.
struct ShownStack {
  static constexpr std::size_t kMostFrames = 64;

  std::string title;                ///< "The write by thread 1, in step 3"
  std::string source;               ///< the line of source of the innermost function; empty if not known
  std::vector<std::string> frames;  ///< "Cache::get  cache.cpp:23", or "… 3 frames of std::for_each"
};

/// The inherited rules are those under which the execution ran: own_process means Restore::fork, keeps_memory
/// means Restore::nothing.
struct Schedule : runtime::ExecutionRules {
  /// The version of the format of a file that Hocket 0.2.0 reads, of one in which operations could read older
  /// values, and of one with anything else that is newer than 0.2.0. The next thing that is new, after a
  /// release, gets the next number.
  static constexpr unsigned kFormat = 1;
  static constexpr unsigned kFormatWithStores = 2;
  static constexpr unsigned kNewestFormat = 3;

  std::string test;      ///< the name given to explore(), or "Suite.Name"
  std::string binary;    ///< path of the program that wrote it: a hint to print, never something to run
  std::string build_id;  ///< build ID of that program, in hexadecimal; empty if it has none

  /// The body is the whole of a test that makes no search itself: see --hocket_all_tests.
  bool whole_test = false;

  /// Objects have their names from debug information, which may not be at hand where the file is read.
  bool names_from_debug_info = false;
  /// The program was built without debug information, so that objects have numbers.
  bool lacks_debug_info = false;

  // Where threads were not preempted: Options::seal and Options::open.
  std::string seal;
  std::string open;

  // What found it.
  std::string strategy = "auto";
  std::uint64_t seed = 1;

  // What went wrong.
  runtime::FailureKind kind = runtime::FailureKind::check;
  std::string message;
  std::string where;             ///< "file.cpp:12", or empty
  int signal = 0;                ///< the signal number, for FailureKind::signal and stack_overflow
  unsigned bound = 0;            ///< preemptions in this execution
  std::uint64_t executions = 0;  ///< executions run before this one

  static constexpr std::size_t kMostStacks = 64;
  std::vector<ShownStack> stacks;  ///< call stacks that explain the failure

  /// The schedule as the search found it, if `choices` are a shorter one that fails in the same way. Empty if
  /// they are what it found.
  std::vector<runtime::Code> found_choices;
  unsigned found_bound = 0;  ///< preemptions in found_choices

  /// How many schedules were tried, this one among them, if all fail in this way; 0 if one did not, or if
  /// nobody has tried. The failure is then hardly one of the order of threads.
  unsigned schedules_tried = 0;

  /// False for a file that a crash handler wrote: then `choices` contain only their codes, `threads` is
  /// empty, and the first replay completes the file.
  bool complete = true;

  std::vector<runtime::RecordedThread> threads;
  std::vector<runtime::RecordedChoice> choices;
  ModelStates model;  ///< of a path of a model; otherwise empty
  /// What happens without the preemption at a choice, or without the early end of a sleep, by the choice's
  /// index: see explain_preemptions() and early_sleeps().
  std::map<std::size_t, std::string> why;
  /// The line of source of the step after which a thread is preempted, by the index of the choice that
  /// preempts it. Left out where it is not known.
  std::map<std::size_t, std::string> sources;
  /// With which memory orders the body passes up to the bound of this failure: see orders_that_forbid().
  /// Empty if that is not known.
  std::string remedy;
  /// Which processors can do what it does, if it reads older values: a sentence without its end. Empty if
  /// that is not known.
  std::string hardware;
  std::vector<runtime::RecordedFence> fences;  ///< of an execution that was recorded; not saved

  [[nodiscard]] const runtime::ExecutionRules& rules() const { return *this; }
  [[nodiscard]] runtime::ExecutionRules& rules() { return *this; }
};

}  // namespace hocket
