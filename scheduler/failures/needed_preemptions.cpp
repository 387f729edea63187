#include "needed_preemptions.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../runtime/diagnosis/step_effects.hpp"
#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "../process/interrupt.hpp"
#include "../replays/plan.hpp"
#include "../replays/replay.hpp"
#include "../schedules/shown_steps.hpp"

namespace hocket {

namespace {

using runtime::Operation;
using runtime::Outcome;
using runtime::RecordedChoice;
using runtime::RecordedThread;
using runtime::Trace;

using Choices = std::vector<RecordedChoice>;
using Threads = std::vector<RecordedThread>;

bool is_of_a_lock(Operation operation) {
  const runtime::Need needs = runtime::semantics_of(operation).needs;
  return needs == runtime::Need::lock || needs == runtime::Need::shared_lock ||
         operation == Operation::mutex_unlock || operation == Operation::mutex_unlock_shared;
}

/// The threads of an execution by their labels, which are the same in another execution of the body.
std::unordered_map<std::string_view, unsigned> by_label(const Threads& threads) {
  std::unordered_map<std::string_view, unsigned> numbers;
  for (unsigned t = 0; t < threads.size(); ++t) numbers.emplace(threads[t].label, t);
  return numbers;
}

/// The steps of each thread of an execution, by their positions in `choices`.
std::vector<std::vector<std::size_t>> steps_by_thread(const Choices& choices, const Threads& threads) {
  std::vector<std::vector<std::size_t>> steps(threads.size());
  for (std::size_t n = 0; n < choices.size(); ++n) {
    if (!choices[n].is_value) steps[choices[n].thread].push_back(n);
  }
  return steps;
}

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

/// For each step of an execution the position in `there` of the step that is the same one: it has as many
/// steps of its thread before it, and does the same. kNowhere if there is none.
std::vector<std::size_t> places_in(
    const Choices& there, const Threads& threads_there, const Choices& here, const Threads& threads_here) {
  const auto threads = by_label(threads_there);
  const auto steps = steps_by_thread(there, threads_there);
  std::vector<std::size_t> places(here.size(), kNowhere);
  std::vector<std::size_t> made(threads_here.size());
  for (std::size_t n = 0; n < here.size(); ++n) {
    const RecordedChoice& step = here[n];
    if (step.is_value) continue;
    const std::size_t before = made[step.thread]++;
    const auto thread = threads.find(threads_here[step.thread].label);
    if (thread == threads.end() || before >= steps[thread->second].size()) continue;
    const std::size_t place = steps[thread->second][before];
    const RecordedChoice& other = there[place];
    if (other.operation == step.operation && other.object == step.object && other.where == step.where)
      places[n] = place;
  }
  return places;
}

/// Two steps that change places when a preemption is taken back.
struct Reversed {
  /// Of the preempted thread's step in the failing schedule; 0 if it is not made there.
  std::size_t number = 0;
  RecordedChoice later;   ///< the preempted thread's step
  std::size_t other = 0;  ///< of the other thread's step in the failing schedule
};

/// Looks for two steps that conflict, of which the preempted thread's comes after the other one in `failing`,
/// or not at all, and before it in the execution without the preemption before choice `at`. Compares only
/// steps on the same object.
class Comparison {
 public:
  Comparison(const Schedule& failing, std::size_t at, const Trace& without)
      : failing_(failing),
        at_(at),
        without_(without),
        here_(places_in(failing.choices, failing.threads, without.choices(), without.threads())),
        there_(places_in(without.choices(), without.threads(), failing.choices, failing.threads)) {}

  /// The first such steps of anything else than a lock, or else the first ones of a lock.
  [[nodiscard]] std::optional<Reversed> find() const {
    std::size_t before = at_;
    while (before > 1 && failing_.choices[before - 1].is_value) --before;
    const unsigned preempted = failing_.choices[before - 1].thread;
    const auto made = static_cast<std::size_t>(std::count_if(failing_.choices.begin(),
        failing_.choices.begin() + static_cast<std::ptrdiff_t>(before),
        [&](const RecordedChoice& step) { return !step.is_value && step.thread == preempted; }));
    const auto threads = by_label(without_.threads());
    const auto thread = threads.find(failing_.threads[preempted].label);
    if (thread == threads.end()) return std::nullopt;
    const std::vector<std::size_t> steps =
        steps_by_thread(without_.choices(), without_.threads())[thread->second];
    Others others = others_after(preempted);
    std::optional<Reversed> of_a_lock;
    for (std::size_t n = made; n < steps.size(); ++n) {
      std::optional<Reversed> found = reversed(steps[n], others);
      if (!found) continue;
      if (!is_of_a_lock(found->later.operation)) return found;
      if (!of_a_lock) of_a_lock = found;
    }
    return of_a_lock;
  }

 private:
  /// Steps of other threads in the failing schedule, in order. Those before `next` are of no use any more.
  struct Steps {
    std::vector<std::size_t> numbers;
    std::size_t next = 0;
  };
  struct OnObject {
    Steps all;
    Steps writing;
  };
  using Others = std::unordered_map<std::string_view, OnObject>;

  /// The steps after the preemption that threads other than `preempted` make, by their objects.
  [[nodiscard]] Others others_after(unsigned preempted) const {
    Others others;
    const std::size_t end = std::min(failing_choice(failing_) + 1, failing_.choices.size());
    for (std::size_t n = at_; n < end; ++n) {
      const RecordedChoice& step = failing_.choices[n];
      if (step.is_value || step.object.empty() || step.thread == preempted) continue;
      OnObject& steps = others[step.object];
      steps.all.numbers.push_back(n);
      if (runtime::writes(step)) steps.writing.numbers.push_back(n);
    }
    return others;
  }

  /// `place`: of the preempted thread's step in the execution without the preemption. It must grow from call
  /// to call.
  [[nodiscard]] std::optional<Reversed> reversed(std::size_t place, Others& others) const {
    const RecordedChoice& later = without_.choices()[place];
    const auto found = others.find(later.object);
    if (found == others.end()) return std::nullopt;
    Steps& steps = runtime::writes(later) ? found->second.all : found->second.writing;
    // What comes before this step there comes before the following ones, too.
    const auto comes_before = [&](std::size_t n) { return there_[n] != kNowhere && there_[n] < place; };
    while (steps.next < steps.numbers.size() && comes_before(steps.numbers[steps.next])) ++steps.next;
    if (steps.next == steps.numbers.size()) return std::nullopt;
    const std::size_t other = steps.numbers[steps.next];
    const std::size_t here = here_[place];
    if (other > here) return std::nullopt;
    return Reversed{here == kNowhere ? 0 : here + 1, later, other + 1};
  }

  const Schedule& failing_;
  const std::size_t at_;
  const Trace& without_;
  const std::vector<std::size_t> here_;   ///< by the steps of `without_`
  const std::vector<std::size_t> there_;  ///< by the steps of `failing_`
};

/// "step 9, atomic.store of tail by thread 1 at queue.cpp:14, then comes before step 6, atomic.load by thief"
std::string text_of(const Reversed& reversed, const Schedule& failing, const Trace& without) {
  const auto by = [](const RecordedChoice& step, const Threads& threads) {
    return " by " + threads[step.thread].label;
  };
  const RecordedChoice& other = failing.choices[reversed.other - 1];
  std::string text = reversed.number != 0 ? "step " + std::to_string(reversed.number) + ", " : "";
  const bool is_here = reversed.number != 0;
  const RecordedChoice& later = is_here ? failing.choices[reversed.number - 1] : reversed.later;
  text += later.name() + " of " + later.object + by(later, is_here ? failing.threads : without.threads());
  if (!later.where.empty()) text += " at " + later.where;
  text += is_here ? ", then comes before" : " then comes before";
  return text + " step " + std::to_string(reversed.other) + ", " + other.name() + by(other, failing.threads);
}

/// "worker 1 is preempted after step 11, atomic.load of tail at queue.cpp:14": the first preemption of an
/// execution that `failing` has not. Empty if there is none.
std::string preemption_in_place(const Schedule& failing, const Trace& without) {
  Schedule other;
  other.choices = without.choices();
  const std::vector<std::size_t> here =
      places_in(failing.choices, failing.threads, other.choices, without.threads());
  for (std::size_t n = 1; n < other.choices.size(); ++n) {
    if (!is_preemption(other, n)) continue;
    const std::size_t before = step_before(other, n);
    const std::size_t same = here[before];
    std::size_t after = same == kNowhere ? failing.choices.size() : same + 1;
    while (after < failing.choices.size() && failing.choices[after].is_value) ++after;
    if (after < failing.choices.size() && is_preemption(failing, after)) continue;
    const RecordedChoice& step = other.choices[before];
    std::string text = without.threads()[step.thread].label + " is preempted after ";
    if (same != kNowhere) text += "step " + std::to_string(same + 1) + ", ";
    text += step.name();
    if (!step.object.empty()) text += " of " + step.object;
    return text + (step.where.empty() ? "" : " at " + step.where);
  }
  return {};
}

/// The number of the turn that begins at choice `at`, from 0.
std::size_t turn_of(const Schedule& schedule, std::size_t at) {
  std::size_t turn = 0;
  std::optional<unsigned> running;
  for (std::size_t n = 0; n <= at; ++n) {
    const RecordedChoice& choice = schedule.choices[n];
    if (choice.is_value || choice.thread == running) continue;
    turn += running.has_value() ? 1 : 0;
    running = choice.thread;
  }
  return turn;
}

}  // namespace

void explain_preemptions(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const runtime::Failure& failure, std::chrono::steady_clock::time_point deadline, Schedule& schedule) {
  constexpr std::size_t kMost = 8;
  const auto is_over = [&] { return std::chrono::steady_clock::now() >= deadline || was_interrupted(); };
  const runtime::FailureKind kind = failure.kind;
  const std::uint64_t signature = failure.signature;
  const auto is_same = [&](const runtime::ExecutionResult& result) {
    const runtime::Failure& found = runtime::Execution::failure();
    return result.outcome == Outcome::failed && found.kind == kind && found.signature == signature;
  };
  std::vector<std::size_t> preemptions;
  const std::size_t last = failing_choice(schedule);  // which goes through all choices
  for (std::size_t n = 0; n <= last && n < schedule.choices.size(); ++n) {
    if (is_preemption(schedule, n)) preemptions.push_back(n);
  }
  if (preemptions.empty() || is_over()) return;
  FollowCodes again(codes_of(schedule));
  const runtime::ExecutionResult as_it_is = exploration.run(again, options);
  if (!is_same(as_it_is)) return;
  const Plan plan = plan_of(as_it_is.log).first;
  for (std::size_t left = preemptions.size(), tried = 0; left > 0 && tried < kMost && !is_over(); ++tried) {
    const std::size_t at = preemptions[--left];
    const std::size_t turn = turn_of(schedule, at);
    if (turn == 0 || turn >= plan.turns.size()) continue;
    const Plan without_it = plan.without_preemption(turn);
    FollowPlan chooser(without_it);
    Trace trace;
    runtime::ExecutionOptions recording = options;
    recording.trace = &trace;
    const runtime::ExecutionResult result = exploration.run(chooser, recording);
    std::string text;
    if (result.outcome == Outcome::completed) {
      text = "Without this preemption the test passes";
    } else if (is_same(result)) {
      const std::string in_place = preemption_in_place(schedule, trace);
      text = in_place.empty() ? "Without this preemption it fails in the same way"
                              : "Without this preemption " + in_place +
                                    ", which takes its place: it fails in the same way";
    } else if (result.outcome == Outcome::failed) {
      const auto found = runtime::Execution::failure().kind;
      text = "Without this preemption it fails in another way (" + std::string(to_string(found)) + ")";
    } else {
      continue;
    }
    const bool has_other_end = !text.ends_with("same way");
    if (const auto reversed = has_other_end ? Comparison(schedule, at, trace).find() : std::nullopt)
      text += ": " + text_of(*reversed, schedule, trace);
    schedule.why[at] = text + ".";
  }
}

}  // namespace hocket
