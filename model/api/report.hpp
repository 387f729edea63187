// The result of a search through the states of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "../../scheduler/api/report.hpp"
#include "model.hpp"

namespace hocket::model {

/// One step of a path.
struct PathStep {
  Process process = 0;
  std::string action;
  std::uint32_t choice = 0;  ///< which of the steps that successors() emitted, counted from 0
  std::string state;         ///< the state to which it led, as text
  std::string process_name;  ///< "process 1", or what the model calls it
  bool preempts = false;     ///< the process of the step before could have gone on
};

enum class ViolationKind : std::uint8_t {
  invariant,         ///< holds() was false
  step,              ///< Emit::fails()
  deadlock,          ///< no successor, and may_end() was false
  exception,         ///< successors(), holds() or may_end() has thrown or called abort(), as assert() does
  exit,              ///< one of them has ended the process
  acceptance_cycle,  ///< a cycle with an accepting state
  progress_cycle,    ///< a cycle without a progress state
  accepted_path      ///< an infinite path that the model's automaton accepts
};
/// Whether its path leads into a cycle.
constexpr bool ends_in_cycle(ViolationKind kind) {
  return kind >= ViolationKind::acceptance_cycle;
}

/// A search reports at most so many failures.
inline constexpr std::size_t kMostViolations = 10;

/// A model has a StateGraph if it has at most so many states, and at most ten times as many steps.
inline constexpr std::size_t kMostDrawnStates = 200;

/// How the model fails: a path from its initial state.
struct Violation {
  ViolationKind kind = ViolationKind::invariant;
  std::string message;
  unsigned preemptions = 0;  ///< of the path, as the search counts them; 0 for strategies without bounds
  std::string initial;       ///< the initial state, as text
  std::vector<PathStep> path;
  std::size_t cycle_begin = 0;      ///< for cycles and accepted paths: the number of steps before the cycle
  bool from_saved = false;          ///< found by following a path that was saved earlier
  std::string schedule_file;        ///< empty if not saved
  std::string not_saved_because{};  ///< why it was not saved, if it should have been
};

/// The states of a model and the steps between them.
struct StateGraph {
  struct Step {
    std::uint32_t from = 0;  ///< index in `states`
    Process process = 0;
    std::string process_name;
    std::string action;
    std::optional<std::uint32_t> to;  ///< index in `states`; none: the step is an error
  };
  std::vector<std::string> states;  ///< as text; the first one is the initial state
  std::vector<Step> steps;          ///< by the state from which they lead; in the order of successors() there
};

/// The states whose least number of preemptions is exactly this.
struct BoundReport {
  std::uint64_t states = 0;
  bool complete = false;
};

struct Report {
  std::string model;
  std::string strategy;
  Verdict verdict = Verdict::stopped;
  std::uint64_t states = 0;         ///< different states met
  std::uint64_t visits = 0;         ///< states whose successors were computed, revisits included
  std::uint64_t transitions = 0;    ///< steps explored, those to known states included
  std::uint64_t end_states = 0;     ///< visits of states without a successor
  std::uint32_t depth = 0;          ///< steps of the longest path that was explored
  std::vector<BoundReport> bounds;  ///< for icb and bcs, by number of preemptions
  std::vector<Violation> violations;
  std::vector<std::string> members;  ///< of a state, if they are known and its text consists of them
  StateGraph
      graph;  ///< empty if there are more than kMostDrawnStates, or neither a file nor a report wants it
  std::string stopped_by;            ///< what ended a stopped search: "the time limit", …
  std::string note;                  ///< any reservation about a pass
  std::string explanation;           ///< what is wrong with the model if the verdict is nondeterministic
  double omission_probability = 0;   ///< an estimate that a state was taken for another one and left out
  std::uint64_t walks = 0;           ///< for random and swarm
  std::uint64_t frontier_peak = 0;   ///< most states pending at once, or for depth most frontier states
  std::size_t frontier_bytes = 0;    ///< for depth: memory of the frontier at its largest
  std::uint32_t complete_depth = 0;  ///< for depth, bcs: within so many steps all was visited
  std::uint64_t replayed_steps = 0;  ///< for depth: steps taken again to rebuild frontier states
  std::uint64_t product_states = 0;  ///< of the model and its automaton, if it has one
  std::uint64_t product_transitions = 0;
  std::size_t store_bytes = 0;
  double seconds = 0;
  bool is_replay = false;  ///< a schedule file was followed; `verdict` is then failed (again), passed_sample
                           ///< (its path does not fail any more) or nondeterministic (there is no such path)

  [[nodiscard]] bool failed() const {
    return verdict == Verdict::failed || verdict == Verdict::nondeterministic;
  }
  /// The states with at most this many preemptions.
  [[nodiscard]] std::uint64_t states_within(std::size_t preemptions) const {
    std::uint64_t sum = 0;
    for (std::size_t n = 0; n < bounds.size() && n <= preemptions; ++n) sum += bounds[n].states;
    return sum;
  }
};

/// The report in readable form: the verdict, what was covered, and each failure with its path.
std::string to_text(const Report& report, bool color = false, unsigned width = 110);
std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace hocket::model
