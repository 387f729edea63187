// Depth-first search, with or without a bound on preemptions, with or without a reduction.
//
// The bounded search is that of Holzmann and Florian, Model Checking with Bounded Context Switching (Formal
// Aspects of Computing, 2011), Figures 3 and 5. A state is visited again when it is reached with fewer
// preemptions than before, or with as many by a process that has not reached it so yet.
//
// With a limit on the steps of a path, too, it is visited again as the record for that says. A search that
// shortens lowers the limit below each failure that it finds, so the last one has the fewest steps, as with
// -DREACH and -i in Spin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "../states/state_store.hpp"
#include "exploration.hpp"
#include "successors.hpp"

namespace hocket::model {

template <Model M>
class DepthFirst {
 public:
  using State = StateOf<M>;

  /// The path to a failure.
  struct Failure {
    ViolationKind kind;
    std::vector<std::uint32_t> choices;
    unsigned preemptions;
  };

  /// `longer`: the failure that is to be shortened.
  DepthFirst(Exploration<M>& exploration, StateStore<State>& store, std::optional<Failure> longer = {})
      : exploration_(exploration),
        store_(store),
        counts_preemptions_(store.counts_preemptions()),
        successors_(exploration.model, exploration.options),
        shortens_(longer.has_value()),
        most_steps_(exploration.options.max_depth != 0 ? exploration.options.max_depth : ~std::uint32_t{0}) {
    if (longer) note(std::move(*longer));
  }

  /// Visits every state within the bound, unless a violation or a limit ends the search.
  Coverage run() {
    search();
    exploration_.processes.add(successors_.processes());
    return coverage_;
  }

  /// The last failure, which has fewer steps than those before.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

 private:
  void search() {
    const State initial = exploration_.model.initial();
    if (!arrive(initial, 0, {})) return;
    while (!frames_.empty()) {
      const auto figures = [&] { return std::pair(report().states, store_.bytes() + stack_bytes()); };
      if (limits().reached(1, figures)) {
        coverage_.is_complete = false;
        break;
      }
      Frame& frame = frames_.back();
      if (frame.next == frame.own_end && !frame.is_switching) begin_switching(frame);
      if (frame.next == frame.end) {
        leave();
        continue;
      }
      const std::size_t at = frame.next++;
      const Step<M>& step = steps_[at];
      ++report().transitions;
      const Arrival arrival{frame.arrival.preemptions + (frame.is_switching ? frame.price : 0), step.process,
          frame.is_reduced, static_cast<std::uint32_t>(frames_.size())};
      const bool is_beyond = counts_preemptions_ && arrival.preemptions > options().max_preemptions;
      if (is_beyond || arrival.depth > most_steps_) {
        coverage_.is_everything = false;
        continue;
      }
      if (step.fails) {
        if (!violated(ViolationKind::step, arrival.preemptions, &step.choice)) return;
        continue;
      }
      // Copied because steps_ grows on the way.
      const State next = step.next;
      if (!arrive(next, step.choice, arrival)) return;
    }
  }

  struct Frame {
    State state;
    Fingerprint fingerprint;
    std::uint32_t* on_stack;  ///< Admission::on_stack
    Arrival arrival;
    std::uint32_t choice;  ///< the step by which the state was reached
    std::size_t begin;     ///< of the state's steps in steps_
    std::size_t next;      ///< the first that is not explored yet
    std::size_t own_end;   ///< end of the steps of the process that took the last step
    std::size_t end;
    unsigned price = 0;         ///< preemptions that a step of another process costs
    bool is_switching = false;  ///< the own steps are done
    bool is_reduced = false;    ///< only local steps of one process are explored
    bool closes_cycle = false;  ///< a reduction was rejected because it led back to the stack
    bool leaves_stack = false;  ///< an own step led to a state that is not on the stack
  };

  Report& report() { return exploration_.report; }
  Limits& limits() { return exploration_.limits; }
  const Options& options() const { return exploration_.options; }
  [[nodiscard]] std::size_t stack_bytes() const {
    return frames_.capacity() * sizeof(Frame) + steps_.capacity() * sizeof(Step<M>);
  }

  /// A step leads to `state`. Returns whether the search goes on.
  bool arrive(const State& state, std::uint32_t choice, const Arrival& arrival) {
    const auto& known_as = representative(exploration_.model, state);
    const Fingerprint found = fingerprint(exploration_.model, known_as);
    const Admission visit = store_.visit(found, known_as, arrival);
    report().states += visit.is_new ? 1 : 0;
    if (!frames_.empty()) frames_.back().leaves_stack |= visit.on_stack == nullptr || *visit.on_stack == 0;
    if (!visit.is_admitted) return true;
    frames_.push_back({state, found, visit.on_stack, arrival, choice, steps_.size(), 0, 0, 0});
    report().depth = std::max(report().depth, static_cast<std::uint32_t>(frames_.size() - 1));
    const bool is_checked = visit.is_new || shortens_;
    if (is_checked && !exploration_.holds(state) &&
        !violated(ViolationKind::invariant, arrival.preemptions, nullptr))
      return false;
    if (visit.on_stack != nullptr) ++*visit.on_stack;
    expand(frames_.back());
    const Frame& frame = frames_.back();
    if (frame.begin == frame.end) {
      ++report().end_states;
      if (is_checked && exploration_.is_deadlock(state))
        return violated(ViolationKind::deadlock, arrival.preemptions, nullptr);
    }
    return true;
  }

  void expand(Frame& frame) {
    ++report().visits;
    successors_.append(frame.state, steps_);
    frame.end = steps_.size();
    const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(frame.begin);
    if (options().reduce && frame.arrival.last != kNoProcess && reduce(frame)) return;
    frame.next = frame.begin;
    const Process last = frame.arrival.last;
    const auto own_end = std::stable_partition(
        first, steps_.end(), [last](const Step<M>& step) { return step.process == last; });
    frame.own_end = static_cast<std::size_t>(own_end - steps_.begin());
  }

  /// Keeps only the steps of one process if all of them are local and none leads back to the stack.
  bool reduce(Frame& frame) {
    if (counts_preemptions_ && frame.arrival.preemptions >= options().max_preemptions) return false;
    const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(frame.begin);
    std::uint64_t tried = 0;
    for (auto step = first; step != steps_.end(); ++step) {
      const Process process = step->process;
      if (process >= kMostProcesses || (tried >> process & 1U) != 0) continue;
      tried |= std::uint64_t{1} << process;
      const auto is_his = [process](const Step<M>& one) { return one.process == process; };
      const auto is_his_and_not_local = [&](const Step<M>& one) {
        return is_his(one) && (!one.is_local || one.fails);
      };
      if (std::any_of(first, steps_.end(), is_his_and_not_local)) continue;
      if (std::all_of(first, steps_.end(), is_his)) return false;  // nothing would be left out
      const bool leads_back = std::any_of(first, steps_.end(), [&](const Step<M>& one) {
        if (!is_his(one)) return false;
        const auto& known_as = representative(exploration_.model, one.next);
        return store_.is_on_stack(fingerprint(exploration_.model, known_as), known_as);
      });
      if (leads_back) {
        frame.closes_cycle = true;
        continue;
      }
      steps_.erase(std::remove_if(first, steps_.end(), [&](const Step<M>& one) { return !is_his(one); }),
          steps_.end());
      frame.end = frame.own_end = steps_.size();
      frame.next = frame.begin;
      frame.is_reduced = true;
      return true;
    }
    return false;
  }

  void begin_switching(Frame& frame) {
    frame.is_switching = true;
    if (!counts_preemptions_ || frame.is_reduced) return;
    const Process last = frame.arrival.last;
    const bool can_continue = frame.own_end != frame.begin;
    const bool is_free = last == kNoProcess || !can_continue || frame.arrival.by_reduction ||
                         frame.closes_cycle || (options().free_cycles && !frame.leaves_stack);
    frame.price = is_free ? 0 : 1;
  }

  void leave() {
    Frame& frame = frames_.back();
    if (frame.on_stack != nullptr && --*frame.on_stack == 0) store_.left_stack(frame.fingerprint);
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(frame.begin), steps_.end());
    frames_.pop_back();
  }

  [[gnu::noinline]] bool violated(
      ViolationKind kind, unsigned preemptions, const std::uint32_t* last_choice) {
    std::vector<std::uint32_t> choices;
    for (std::size_t n = 1; n < frames_.size(); ++n) choices.push_back(frames_[n].choice);
    if (last_choice != nullptr) choices.push_back(*last_choice);
    note({kind, choices, preemptions});
    if (shortens_) return !choices.empty();
    const bool goes_on = exploration_.violated(kind, choices, preemptions) && !options().shorten;
    coverage_.is_complete &= goes_on;
    return goes_on;
  }

  void note(Failure failure) {
    if (shortens_)
      most_steps_ = static_cast<std::uint32_t>(std::max<std::size_t>(failure.choices.size(), 1) - 1);
    failure_ = std::move(failure);
  }

  Exploration<M>& exploration_;
  StateStore<State>& store_;
  const bool counts_preemptions_;
  Successors<M> successors_;
  const bool shortens_;
  std::uint32_t most_steps_;  ///< of a path
  std::optional<Failure> failure_;
  std::vector<Frame> frames_;
  std::vector<Step<M>> steps_;  ///< of all frames, one after the other
  Coverage coverage_;
};

}  // namespace hocket::model
