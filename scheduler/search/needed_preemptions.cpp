#include "needed_preemptions.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "../process/interrupt.hpp"
#include "../schedules/shown_steps.hpp"
#include "plan.hpp"
#include "replay.hpp"

namespace hocket {

namespace {

using runtime::Effect;
using runtime::Operation;
using runtime::Outcome;
using runtime::Trace;

using Choices = std::vector<Trace::Choice>;
using Threads = std::vector<Trace::ThreadEntry>;

/// Whether the step may change its object.
bool writes(const Trace::Choice& step) {
  switch (runtime::semantics_of(step.operation).effect) {
    case Effect::none:
    case Effect::reads:
      return false;
    case Effect::takes:
    case Effect::exchanges:
      return !step.has_failed;
    default:
      return true;
  }
}

/// Whether the order of two steps may matter to what they do.
bool conflict(const Trace::Choice& one, const Trace::Choice& other) {
  const bool is_same = !one.object.empty() && one.object == other.object;
  return is_same && (writes(one) || writes(other));
}

bool is_of_a_lock(Operation operation) {
  const runtime::Need needs = runtime::semantics_of(operation).needs;
  return needs == runtime::Need::lock || needs == runtime::Need::shared_lock ||
         operation == Operation::mutex_unlock || operation == Operation::mutex_unlock_shared;
}

/// Which step of its thread it is: the thread's label, and how many steps it has made before.
using Name = std::pair<std::string, std::size_t>;

/// The steps of an execution by their names.
std::map<Name, std::size_t> named_steps(const Choices& choices, const Threads& threads) {
  std::map<Name, std::size_t> steps;
  std::vector<std::size_t> made(threads.size());
  for (std::size_t n = 0; n < choices.size(); ++n) {
    if (choices[n].is_value) continue;
    steps[{threads[choices[n].thread].label, made[choices[n].thread]++}] = n;
  }
  return steps;
}

/// The step of `there` that is this one by name, if it does the same.
const Trace::Choice* same_step(const Trace::Choice& step, const Name& name,
    const std::map<Name, std::size_t>& steps, const Choices& there) {
  const auto found = steps.find(name);
  if (found == steps.end()) return nullptr;
  const Trace::Choice& other = there[found->second];
  const bool is_same =
      other.operation == step.operation && other.object == step.object && other.where == step.where;
  return is_same ? &other : nullptr;
}

/// Two steps that change places when a preemption is taken back.
struct Reversed {
  std::size_t number =
      0;                ///< of the preempted thread's step in the failing schedule; 0 if it is not made there
  Trace::Choice later;  ///< the preempted thread's step
  std::size_t other = 0;  ///< of the other thread's step in the failing schedule
};

/// Looks for two steps that conflict, of which the preempted thread's comes after the other one in `failing`,
/// or not at all, and before it in the execution without the preemption before choice `at`.
class Comparison {
 public:
  Comparison(const Schedule& failing, std::size_t at, const Trace& without)
      : failing_(failing),
        at_(at),
        without_(without),
        there_(named_steps(without.choices(), without.threads())),
        here_(named_steps(failing.choices, failing.threads)) {}

  /// The first such steps of anything else than a lock, or else the first ones of a lock.
  [[nodiscard]] std::optional<Reversed> find() const {
    std::size_t before = at_;
    while (before > 1 && failing_.choices[before - 1].is_value) --before;
    const std::string& preempted = failing_.threads[failing_.choices[before - 1].thread].label;
    std::size_t made = 0;
    for (std::size_t n = 0; n < before; ++n) {
      const Trace::Choice& step = failing_.choices[n];
      made += !step.is_value && failing_.threads[step.thread].label == preempted ? 1 : 0;
    }
    std::optional<Reversed> of_a_lock;
    for (; there_.contains({preempted, made}); ++made) {
      const std::optional<Reversed> found = reversed({preempted, made});
      if (!found) continue;
      if (!is_of_a_lock(found->later.operation)) return found;
      if (!of_a_lock) of_a_lock = found;
    }
    return of_a_lock;
  }

 private:
  [[nodiscard]] std::optional<Reversed> reversed(const Name& name) const {
    const std::size_t place = there_.at(name);
    const Trace::Choice& later = without_.choices()[place];
    const Trace::Choice* here = same_step(later, name, here_, failing_.choices);
    const std::size_t end = here != nullptr ? static_cast<std::size_t>(here - failing_.choices.data())
                                            : failing_choice(failing_) + 1;
    std::map<unsigned, std::size_t> made;
    for (std::size_t n = 0; n < end; ++n) {
      const Trace::Choice& step = failing_.choices[n];
      if (step.is_value) continue;
      const Name other{failing_.threads[step.thread].label, made[step.thread]++};
      if (n < at_ || other.first == name.first || !conflict(step, later)) continue;
      const Trace::Choice* there = same_step(step, other, there_, without_.choices());
      const bool comes_later = there == nullptr || std::cmp_greater(there - without_.choices().data(), place);
      if (comes_later) return Reversed{here != nullptr ? end + 1 : 0, later, n + 1};
    }
    return std::nullopt;
  }

  const Schedule& failing_;
  const std::size_t at_;
  const Trace& without_;
  const std::map<Name, std::size_t> there_, here_;
};

/// "step 9, atomic.store of tail by thread 1 at queue.cpp:14, then comes before step 6, atomic.load by thief"
std::string text_of(const Reversed& reversed, const Schedule& failing, const Trace& without) {
  const auto by = [](const Trace::Choice& step, const Threads& threads) {
    return " by " + threads[step.thread].label;
  };
  const Trace::Choice& other = failing.choices[reversed.other - 1];
  std::string text = reversed.number != 0 ? "step " + std::to_string(reversed.number) + ", " : "";
  const bool is_here = reversed.number != 0;
  const Trace::Choice& later = is_here ? failing.choices[reversed.number - 1] : reversed.later;
  text += later.name() + " of " + later.object + by(later, is_here ? failing.threads : without.threads());
  if (!later.where.empty()) text += " at " + later.where;
  text += is_here ? ", then comes before" : " then comes before";
  return text + " step " + std::to_string(reversed.other) + ", " + other.name() + by(other, failing.threads);
}

/// The number of the turn that begins at choice `at`, from 0.
std::size_t turn_of(const Schedule& schedule, std::size_t at) {
  std::size_t turn = 0;
  std::optional<unsigned> running;
  for (std::size_t n = 0; n <= at; ++n) {
    const Trace::Choice& choice = schedule.choices[n];
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
    const runtime::Failure& found = runtime::execution.failure();
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
      text = "Without this preemption it fails in the same way";
    } else if (result.outcome == Outcome::failed) {
      const auto found = runtime::execution.failure().kind;
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
