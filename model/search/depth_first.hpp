// Depth-first search, with or without a bound on preemptions, with or without a reduction.
//
// The bounded search is that of Holzmann and Florian, Model Checking with Bounded Context Switching (Formal
// Aspects of Computing, 2011), Figures 3 and 5. A state is visited again when it is reached with fewer
// preemptions than before, or with as many by a process that has not reached it so yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../states/records.hpp"
#include "../states/stores.hpp"
#include "exploration.hpp"
#include "successors.hpp"

namespace hocket::model {

template <Model M, typename RecordType>
class DepthFirst {
 public:
  using State = StateOf<M>;

  DepthFirst(Exploration<M>& exploration)
      : exploration_(exploration), successors_(exploration.model, exploration.options) {}

  /// Visits every state within the bound, unless a violation or a limit ends the search.
  template <typename Store>
  Coverage run(Store& store) {
    search(store);
    exploration_.processes.add(successors_.processes());
    return coverage_;
  }

 private:
  template <typename Store>
  void search(Store& store) {
    const State initial = exploration_.model.initial();
    if (!arrive(store, initial, 0, {})) return;
    while (!frames_.empty()) {
      const auto figures = [&] { return std::pair(report().states, store.bytes() + stack_bytes()); };
      if (limits().reached(1, figures)) {
        coverage_.is_complete = false;
        break;
      }
      Frame& frame = frames_.back();
      if (frame.next == frame.own_end && !frame.is_switching) begin_switching(frame);
      if (frame.next == frame.end) {
        leave(store);
        continue;
      }
      const std::size_t at = frame.next++;
      const Step<M>& step = steps_[at];
      ++report().transitions;
      const Arrival arrival{
          frame.arrival.preemptions + (frame.is_switching ? frame.price : 0), step.process, frame.is_reduced};
      if (RecordType::kCountsPreemptions && arrival.preemptions > options().max_preemptions) {
        coverage_.is_everything = false;
        continue;
      }
      if (step.fails) {
        if (!violated(ViolationKind::step, arrival.preemptions, &step.choice)) return;
        continue;
      }
      // Copied because steps_ grows on the way.
      const State next = step.next;
      if (!arrive(store, next, step.choice, arrival)) return;
    }
  }

  struct Frame {
    State state;
    Fingerprint fingerprint;
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
  template <typename Store>
  bool arrive(Store& store, const State& state, std::uint32_t choice, const Arrival& arrival) {
    const auto& known_as = representative(exploration_.model, state);
    const Fingerprint found = fingerprint(exploration_.model, known_as);
    const auto visit = store.visit(found, known_as, arrival);
    report().states += visit.is_new ? 1 : 0;
    if (!frames_.empty()) frames_.back().leaves_stack |= !visit.was_on_stack;
    if (!visit.is_admitted) return true;
    frames_.push_back({state, found, arrival, choice, steps_.size(), 0, 0, 0});
    report().depth = std::max(report().depth, static_cast<std::uint32_t>(frames_.size() - 1));
    if (visit.is_new && !exploration_.holds(state) &&
        !violated(ViolationKind::invariant, arrival.preemptions, nullptr))
      return false;
    store.push(found, known_as);
    expand(store, frames_.back());
    const Frame& frame = frames_.back();
    if (frame.begin == frame.end) {
      ++report().end_states;
      if (visit.is_new && exploration_.is_deadlock(state))
        return violated(ViolationKind::deadlock, arrival.preemptions, nullptr);
    }
    return true;
  }

  template <typename Store>
  void expand(Store& store, Frame& frame) {
    ++report().visits;
    successors_.append(frame.state, steps_);
    frame.end = steps_.size();
    const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(frame.begin);
    if (options().reduce && frame.arrival.last != kNoProcess && reduce(store, frame)) return;
    frame.next = frame.begin;
    const Process last = frame.arrival.last;
    const auto own_end = std::stable_partition(
        first, steps_.end(), [last](const Step<M>& step) { return step.process == last; });
    frame.own_end = static_cast<std::size_t>(own_end - steps_.begin());
  }

  /// Keeps only the steps of one process if all of them are local and none leads back to the stack.
  template <typename Store>
  bool reduce(Store& store, Frame& frame) {
    if (RecordType::kCountsPreemptions && frame.arrival.preemptions >= options().max_preemptions)
      return false;
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
        return store.is_on_stack(fingerprint(exploration_.model, known_as), known_as);
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
    if (!RecordType::kCountsPreemptions || frame.is_reduced) return;
    const Process last = frame.arrival.last;
    const bool can_continue = frame.own_end != frame.begin;
    const bool is_free = last == kNoProcess || !can_continue || frame.arrival.by_reduction ||
                         frame.closes_cycle || (options().free_cycles && !frame.leaves_stack);
    frame.price = is_free ? 0 : 1;
  }

  template <typename Store>
  void leave(Store& store) {
    Frame& frame = frames_.back();
    store.pop(frame.fingerprint, representative(exploration_.model, frame.state));
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(frame.begin), steps_.end());
    frames_.pop_back();
  }

  bool violated(ViolationKind kind, unsigned preemptions, const std::uint32_t* last_choice) {
    std::vector<std::uint32_t> choices;
    for (std::size_t n = 1; n < frames_.size(); ++n) choices.push_back(frames_[n].choice);
    if (last_choice != nullptr) choices.push_back(*last_choice);
    const bool goes_on = exploration_.violated(kind, choices, preemptions);
    coverage_.is_complete &= goes_on;
    return goes_on;
  }

  Exploration<M>& exploration_;
  Successors<M> successors_;
  std::vector<Frame> frames_;
  std::vector<Step<M>> steps_;  ///< of all frames, one after the other
  Coverage coverage_;
};

struct Visit {
  bool is_new;
  bool is_admitted;
  bool was_on_stack;
};

/// States or fingerprints with records.
template <typename State, typename Record>
class RecordedStates {
 public:
  using Set = StateSet<State, Record>;

  explicit RecordedStates(Keeps keeps) : keeps_(keeps), set_(keeps) {}

  Visit visit(const Fingerprint& fingerprint, const State& state, const Arrival& arrival) {
    const auto place = set_.insert(fingerprint, state);
    Record& record = *place.record;
    const bool was_on_stack = record.on_stack != 0;
    return {place.is_new, record.admit(arrival, place.is_new), was_on_stack};
  }
  void push(const Fingerprint& fingerprint, const State& state) { ++record(fingerprint, state).on_stack; }
  void pop(const Fingerprint& fingerprint, const State& state) { --record(fingerprint, state).on_stack; }
  bool is_on_stack(const Fingerprint& fingerprint, const State& state) {
    const Record* const record = set_.find(fingerprint, state);
    return record != nullptr && record->on_stack != 0;
  }
  [[nodiscard]] std::size_t bytes() const { return set_.bytes_after_insert(); }
  [[nodiscard]] const Set& set() const { return set_; }
  void conclude(Report& report) const {
    report.store_bytes = set_.bytes();
    report.omission_probability = Set::omission_probability(keeps_, set_.size());
    count_bounds(set_, report);
  }

 private:
  Record& record(const Fingerprint& fingerprint, const State& state) {
    return *set_.find(fingerprint, state);
  }

  Keeps keeps_;
  Set set_;
};

/// Bits. A state that is reached with some number of preemptions is stored for that number and for all
/// greater ones, because nothing else can be stored with it (Holzmann and Florian, section 3.2).
template <typename State, typename Record>
class BitStates {
 public:
  explicit BitStates(const Options& options)
      : bits_(options.bitstate_log2, options.bitstate_hashes),
        most_(Record::kCountsPreemptions ? options.max_preemptions : 0),
        knows_stack_(options.reduce || options.free_cycles) {}

  Visit visit(const Fingerprint& fingerprint, const State& state, const Arrival& arrival) {
    const bool was_on_stack = is_on_stack(fingerprint, state);
    bool is_admitted = false;
    bool is_new = false;
    for (unsigned n = arrival.preemptions; n <= most_; ++n) {
      const bool is_added = bits_.insert(fingerprint, n);
      if (n == arrival.preemptions) is_admitted = is_added;
      is_new = is_added && n == most_;
      if (!is_added) break;
    }
    return {is_new, is_admitted, was_on_stack};
  }
  void push(const Fingerprint& fingerprint, const State& /*state*/) {
    if (knows_stack_) ++stack_[fingerprint.low];
  }
  void pop(const Fingerprint& fingerprint, const State& /*state*/) {
    if (!knows_stack_) return;
    const auto at = stack_.find(fingerprint.low);
    if (--at->second == 0) stack_.erase(at);
  }
  bool is_on_stack(const Fingerprint& fingerprint, const State& /*state*/) const {
    return knows_stack_ && stack_.contains(fingerprint.low);
  }
  [[nodiscard]] std::size_t bytes() const { return bits_.bytes(); }
  void conclude(Report& report) const {
    report.store_bytes = bits_.bytes();
    report.omission_probability = bits_.next_omission_probability();
  }

 private:
  BitArray bits_;
  unsigned most_;
  bool knows_stack_;
  std::unordered_map<std::uint64_t, std::uint32_t> stack_;
};

}  // namespace hocket::model
