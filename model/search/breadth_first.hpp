// Breadth-first search, and iterative context bounding: all states that need no
// preemption before those that need one, and so on (Musuvathi and Qadeer,
// Iterative Context Bounding for Systematic Testing of Multithreaded Programs,
// PLDI 2007, with state caching).
//
// A wave consists of the states with a certain number of preemptions, and among
// them those with a certain number of steps: first those with no preemption, by
// the number of their steps, then those with one, and so on. The states of a
// wave are expanded by all workers together. So what is found does not depend
// on the number of workers, and the first failure has the fewest preemptions,
// or, if these do not count, the fewest steps.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../states/state_store.hpp"
#include "depth_order.hpp"
#include "exploration.hpp"
#include "found_failures.hpp"
#include "successors.hpp"
#include "workers.hpp"

namespace hocket::model {

template <Model M>
class BreadthFirst {
 public:
  using State = StateOf<M>;

  BreadthFirst(Exploration<M>& exploration, StateStore<State>& store)
      : exploration_(exploration), store_(store), counts_preemptions_(store.counts_preemptions()) {
    workers_.reserve(exploration.options.jobs);
    for (unsigned n = 0; n < exploration.options.jobs; ++n) workers_.emplace_back(exploration, n);
  }

  /// Visits every state within the bound, unless a violation or a limit ends
  /// the search.
  Coverage run() {
    arrive(workers_.front(), exploration_.model.initial(), {}, kRoot, 0, 0);
    settle_all(workers_.front());
    bool goes_on = report_found(0);
    while (goes_on) {
      std::vector<Pending> wave = next_wave();
      if (wave.empty()) {
        goes_on = report_found(kAnyLength);
        if (!goes_on || !begin_next_level()) break;
      } else {
        goes_on = run_wave(wave);
      }
    }
    // A limit has ended the search: what it has found by then may not have the
    // fewest preemptions.
    if (must_stop_ && exploration_.wants_more()) report(found_.take(~0U, kAnyLength));
    coverage_.is_complete = goes_on;
    for (const Worker& worker : workers_) {
      worker.add_to(exploration_.report, coverage_);
      exploration_.processes.add(worker.successors.processes());
    }
    exploration_.report.states = store_.size();
    return coverage_;
  }

  /// How many bounds, counted from 0, were searched to their end.
  [[nodiscard]] unsigned bounds_done() const { return bounds_done_; }

 private:
  // A path is a chain of links. A link is the place of the link before, which
  // is a number in a worker's list, and the choice that led on from there. A
  // great choice has several links, each with some of its bits.
  using Link = std::uint64_t;
  static constexpr unsigned kChoiceBits = 16;
  static constexpr std::uint32_t kHasMoreBits = 1U << (kChoiceBits - 1);
  static constexpr unsigned kIndexBits = 40;
  static constexpr unsigned kMostWorkers = 1U << (64U - kChoiceBits - kIndexBits);
  /// It would be the last link of the last worker.
  static constexpr Link kRoot = (Link{1} << (64U - kChoiceBits)) - 1;
  static constexpr std::uint32_t kAnyLength = ~0U;
  static constexpr std::size_t kPortion = 16;   ///< states that a worker takes at once
  static constexpr std::size_t kTogether = 32;  ///< states of one part that a worker visits together

  struct Nothing {};

  struct Pending {
    State state;
    const std::uint32_t* least;   ///< Admission::least
    const std::uint32_t* record;  ///< Admission::on_stack: no other state has the same
    Link link;
    Arrival arrival;
    std::uint32_t depth;
    bool is_unchecked;  ///< holds() was not asked, because the state needs more
                        ///< preemptions than the current wave
  };

  /// A step leads to a state, which waits for its visit until there are more
  /// for the same part of the store.
  struct Arriving : StateStore<State>::Visitor {
    Link before;
    std::uint32_t choice;
    std::uint32_t depth;
    [[no_unique_address]] std::conditional_t<HasSymmetry<M>, State, Nothing>
        itself{};  ///< if it has a representative

    [[nodiscard]] const State& own_state() const {
      if constexpr (HasSymmetry<M>) {
        return itself;
      } else {
        return this->state;
      }
    }
  };

  struct Worker {
    Worker(Exploration<M>& exploration, unsigned place)
        : number(place), successors(exploration.model, exploration.options) {}

    void add_to(Report& report, Coverage& coverage) const {
      report.visits += visits;
      report.transitions += transitions;
      report.end_states += end_states;
      report.depth = std::max(report.depth, depth);
      coverage.is_everything &= !has_left_out;
    }

    unsigned number;
    Successors<M> successors;
    std::vector<Step<M>> steps{};
    std::vector<Link> links{};
    std::vector<std::vector<Arriving>> arriving{};  ///< by part of the store; used by several workers only
    std::vector<typename StateStore<State>::Visitor> visitors{};
    std::vector<Admission> admissions{};
    std::vector<Pending> next_wave{};   ///< with as many preemptions as the current wave
    std::vector<Pending> next_level{};  ///< with one more
    std::uint64_t visits = 0;
    std::uint64_t transitions = 0;
    std::uint64_t end_states = 0;
    std::uint32_t depth = 0;
    bool has_left_out = false;
  };

  const Options& options() const { return exploration_.options; }

  Link add_link(Worker& worker, Link before, std::uint32_t choice) {
    if (choice >= kHasMoreBits) {
      before = add_link(worker, before, choice / kHasMoreBits);
      choice = choice % kHasMoreBits | kHasMoreBits;
    }
    assert(worker.number < kMostWorkers && worker.links.size() < (std::size_t{1} << kIndexBits) - 1);
    worker.links.push_back(before << kChoiceBits | choice);
    return Link{worker.number} << kIndexBits | (worker.links.size() - 1);
  }

  /// A step leads to `state`.
  void arrive(Worker& worker, const State& state, const Arrival& arrival, Link before, std::uint32_t choice,
      std::uint32_t depth) {
    const auto& known_as = representative(exploration_.model, state);
    const Fingerprint found_at = fingerprint(exploration_.model, known_as);
    if (workers_.size() == 1) {
      settle(worker, store_.visit(found_at, known_as, arrival), state, arrival, before, choice, depth);
      return;
    }
    if (worker.arriving.empty()) worker.arriving.resize(store_.parts());
    const std::size_t part = store_.part_of(found_at);
    std::vector<Arriving>& arriving = worker.arriving[part];
    arriving.push_back({{found_at, known_as, arrival}, before, choice, depth});
    if constexpr (HasSymmetry<M>) arriving.back().itself = state;
    if (arriving.size() == kTogether) settle_part(worker, part);
  }

  void settle_all(Worker& worker) {
    for (std::size_t part = 0; part < worker.arriving.size(); ++part) settle_part(worker, part);
  }

  void settle_part(Worker& worker, std::size_t part) {
    std::vector<Arriving>& arriving = worker.arriving[part];
    worker.visitors.assign(arriving.begin(), arriving.end());
    store_.visit_together(part, worker.visitors, worker.admissions);
    for (std::size_t n = 0; n < arriving.size(); ++n) {
      const Arriving& one = arriving[n];
      settle(worker, worker.admissions[n], one.own_state(), one.arrival, one.before, one.choice, one.depth);
    }
    arriving.clear();
  }

  /// `state` was visited.
  void settle(Worker& worker, const Admission& place, const State& state, const Arrival& arrival, Link before,
      std::uint32_t choice, std::uint32_t depth) {
    if (!place.is_admitted) return;
    const Link link = add_link(worker, before, choice);
    if (arrival.preemptions != bound_) {
      worker.next_level.push_back({state, place.least, place.on_stack, link, arrival, depth, place.improves});
      return;
    }
    worker.depth = std::max(worker.depth, depth);
    worker.next_wave.push_back({state, place.least, place.on_stack, link, arrival, depth, false});
    if (place.improves) check(worker.next_wave.back());
  }

  /// Asks holds() for a state, which it does once for each: when the fewest
  /// preemptions are known that lead there.
  void check(const Pending& pending) {
    if (!exploration_.holds(pending.state)) found(ViolationKind::invariant, pending);
  }

  void expand(Worker& worker, const Pending& pending) {
    const unsigned preemptions = pending.arrival.preemptions;
    assert(*pending.least == preemptions || !counts_preemptions_);
    worker.depth = std::max(worker.depth, pending.depth);
    ++worker.visits;
    worker.steps.clear();
    worker.successors.append(pending.state, worker.steps);
    if (worker.steps.empty()) {
      ++worker.end_states;
      if (exploration_.is_deadlock(pending.state)) found(ViolationKind::deadlock, pending);
      return;
    }
    if (options().max_depth != 0 && pending.depth >= options().max_depth) {
      worker.has_left_out = true;
      return;
    }
    const Process last = pending.arrival.last;
    const auto is_own = [last](const Step<M>& step) { return step.process == last; };
    const bool can_continue =
        counts_preemptions_ && std::any_of(worker.steps.begin(), worker.steps.end(), is_own);
    const unsigned price = can_continue ? 1 : 0;
    for (const Step<M>& step : worker.steps) {
      ++worker.transitions;
      const Arrival arrival{preemptions + (step.process != last ? price : 0), step.process};
      if (counts_preemptions_ && arrival.preemptions > options().max_preemptions) {
        worker.has_left_out = true;
      } else if (step.fails) {
        found_step(pending, step.choice, arrival.preemptions, add_link(worker, pending.link, step.choice));
      } else {
        arrive(worker, step.next, arrival, pending.link, step.choice, pending.depth + 1);
      }
    }
  }

  /// The states with as many preemptions as the last wave and the fewest steps
  /// of those that are pending.
  std::vector<Pending> next_wave() {
    std::vector<Pending> wave = take(&Worker::next_wave);
    if (wave.empty() && order_.empty()) return wave;
    depth_ = wave.empty() ? level_[order_.back()].depth : wave.front().depth;
    for (; !order_.empty() && level_[order_.back()].depth == depth_; order_.pop_back())
      wave.push_back(std::move(level_[order_.back()]));
    return wave;
  }

  /// Goes on with the states that need one more preemption. Returns whether
  /// there are any.
  bool begin_next_level() {
    bounds_done_ = ++bound_;
    level_ = take(&Worker::next_level);
    // What is found must not depend on the order in which the workers came to these states. So a state that
    // was reached with fewer preemptions meanwhile makes no wave, and the failures of states come before
    // longer ones of their steps.
    std::erase_if(level_, [this](const Pending& pending) { return *pending.least < bound_; });
    for (const Pending& pending : level_) {
      if (pending.is_unchecked) check(pending);
    }
    std::vector<std::uint32_t> depths;
    for (const Pending& pending : level_) depths.push_back(pending.depth);
    order_ = deepest_first(depths);
    return !level_.empty() || found_.has_any();
  }

  std::vector<Pending> take(std::vector<Pending> Worker::*list) {
    std::vector<Pending> all = std::exchange(workers_.front().*list, {});
    for (std::size_t n = 1; n < workers_.size(); ++n) {
      std::vector<Pending>& more = workers_[n].*list;
      all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
      more.clear();
    }
    return all;
  }

  /// Expands the states of a wave. Returns whether the search goes on.
  bool run_wave(const std::vector<Pending>& wave) {
    exploration_.report.frontier_peak =
        std::max<std::uint64_t>(exploration_.report.frontier_peak, wave.size() + order_.size());
    next_ = 0;
    must_stop_ = false;
    const std::size_t useful = std::min(workers_.size(), wave.size() / kPortion + 1);
    run_workers(
        static_cast<unsigned>(useful), [&](unsigned number) { run_portions(workers_[number], wave); },
        [this] { must_stop_ = true; });
    return report_found(depth_ + 1) && !must_stop_;
  }

  void run_portions(Worker& worker, const std::vector<Pending>& wave) {
    const auto figures = [&] { return std::pair<std::uint64_t, std::size_t>(store_.size(), bytes(wave)); };
    while (!must_stop_) {
      const std::size_t begin = next_.fetch_add(kPortion);
      if (begin >= wave.size()) break;
      const std::size_t end = std::min(begin + kPortion, wave.size());
      for (std::size_t n = begin; n < end && !must_stop_; ++n) {
        expand(worker, wave[n]);
        // Only the first worker looks at the limits: it is the calling thread.
        if (worker.number == 0 && exploration_.limits.reached(workers_.size(), figures)) must_stop_ = true;
      }
    }
    settle_all(worker);
  }

  [[nodiscard]] std::size_t bytes(const std::vector<Pending>& wave) const {
    const Worker& worker = workers_.front();  // the others have about as much
    const std::size_t own = worker.links.capacity() * sizeof(Link) +
                            (worker.next_wave.capacity() + worker.next_level.capacity()) * sizeof(Pending);
    return store_.bytes() + own * workers_.size() + (wave.capacity() + level_.capacity()) * sizeof(Pending);
  }

  void found(ViolationKind kind, const Pending& pending) {
    add({pending.arrival.preemptions, pending.depth, kind, identity(pending.state), 0, pending.record,
        pending.link});
  }
  /// A step of `pending` fails, or there is none because successors() does.
  void found_step(const Pending& pending, std::uint32_t choice, unsigned preemptions, Link link) {
    const std::uint32_t length = pending.depth + (choice == kNoStep ? 0 : 1);
    add({preemptions, length, ViolationKind::step, identity(pending.state), choice, pending.record, link});
  }
  void add(const FoundFailure& failure) {
    const std::lock_guard lock(mutex_);
    found_.add(failure);
  }
  /// Puts failures in an order. A hash() of the model's own may be the same for
  /// many states.
  Fingerprint identity(const State& state) const {
    const Fingerprint own = fingerprint(exploration_.model, representative(exploration_.model, state));
    if constexpr (!HasHash<M>) return own;
    const std::string text = print(exploration_.model, state);
    Hasher hasher;
    hasher.add(own.low);
    hasher.add_bytes(text.data(), text.size());
    return hasher.result();
  }

  /// Reports the failures that need as many preemptions as the current wave and
  /// at most `length` steps. Returns whether the search goes on.
  bool report_found(std::uint32_t length) { return report(found_.take(bound_, length)); }

  bool report(const std::vector<FoundFailure>& failures) {
    return std::ranges::all_of(failures, [this](const FoundFailure& failure) {
      return exploration_.violated(failure.kind, choices_to(failure.link), failure.preemptions);
    });
  }

  [[nodiscard]] std::vector<std::uint32_t> choices_to(Link place) const {
    std::vector<std::uint32_t> choices;
    for (;;) {
      std::uint32_t choice = 0;
      Link link = 0;
      for (unsigned bits = 0;; bits += kChoiceBits - 1) {
        link = workers_[place >> kIndexBits].links[place & ((Link{1} << kIndexBits) - 1)];
        place = link >> kChoiceBits;
        choice |= static_cast<std::uint32_t>(link & (kHasMoreBits - 1)) << bits;
        if ((link & kHasMoreBits) == 0) break;
      }
      if (place == kRoot) break;
      choices.push_back(choice);
    }
    std::reverse(choices.begin(), choices.end());
    return choices;
  }

  Exploration<M>& exploration_;
  StateStore<State>& store_;
  const bool counts_preemptions_;
  std::vector<Worker> workers_;
  std::atomic<std::size_t> next_{0};  ///< the first state of the wave that no worker has taken
  std::atomic<bool> must_stop_{false};
  std::mutex mutex_;  ///< for the members below
  FoundFailures found_;
  unsigned bound_ = 0;              ///< preemptions of the states in the current wave
  std::uint32_t depth_ = 0;         ///< their steps
  std::vector<Pending> level_;      ///< with as many preemptions, which the bound before has led to
  std::vector<std::size_t> order_;  ///< those of them that are still pending,
                                    ///< with the fewest steps last
  unsigned bounds_done_ = 0;
  Coverage coverage_;
};

}  // namespace hocket::model
