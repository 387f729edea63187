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
    for (unsigned n = 0; n < exploration.options.jobs; ++n)
      workers_.emplace_back(exploration, n, store.parts());
  }

  /// Visits every state within the bound, unless a violation or a limit ends
  /// the search.
  Coverage run() {
    arrive(workers_.front(), exploration_.model.initial(), {{}, kRoot, 0, 0});
    settle_all(workers_.front());
    bool goes_on = report_found(0);
    while (goes_on) {
      const Wave wave = next_wave();
      if (wave.size() == 0) {
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

  /// The states of a wave, in the lists of the workers that have come to them.
  class Wave {
   public:
    void add(std::vector<Pending> list) {
      size_ += list.size();
      capacity_ += list.capacity();
      if (!list.empty()) lists_.push_back(std::move(list));
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    [[nodiscard]] const Pending& operator[](std::size_t n) const {
      auto list = lists_.begin();
      for (; n >= list->size(); ++list) n -= list->size();
      return (*list)[n];
    }

   private:
    std::vector<std::vector<Pending>> lists_{};
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
  };

  /// How a step leads to a state.
  struct Way {
    Arrival arrival;
    Link before;
    std::uint32_t choice;
    std::uint32_t depth;
    [[no_unique_address]] std::conditional_t<HasSymmetry<M>, State, Nothing>
        itself{};  ///< the state, if it has a representative
  };
  /// States that wait for their visits until there are more for the same part
  /// of the store.
  struct Arriving {
    std::vector<typename StateStore<State>::Visitor> visitors{};
    std::vector<Way> ways{};
  };

  struct Worker {
    Worker(Exploration<M>& exploration, unsigned place, std::size_t parts)
        : number(place), successors(exploration.model, exploration.options), arriving(parts) {}

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
    std::vector<Arriving> arriving;  ///< by part of the store
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

  void arrive(Worker& worker, State state, Way way) {
    if constexpr (HasSymmetry<M>) {
      way.itself = state;
      state = representative(exploration_.model, way.itself);
    }
    const Fingerprint found_at = fingerprint(exploration_.model, state);
    Arriving& arriving = worker.arriving[store_.part_of(found_at)];
    arriving.visitors.push_back({found_at, std::move(state), way.arrival});
    arriving.ways.push_back(std::move(way));
    if (arriving.ways.size() == kTogether) settle(worker, arriving);
  }

  void settle_all(Worker& worker) {
    for (Arriving& arriving : worker.arriving) settle(worker, arriving);
  }

  void settle(Worker& worker, Arriving& arriving) {
    if (arriving.ways.empty()) return;
    store_.visit_together(arriving.visitors, worker.admissions);
    for (std::size_t n = 0; n < arriving.ways.size(); ++n) {
      if (!worker.admissions[n].is_admitted) continue;
      Way& way = arriving.ways[n];
      if constexpr (HasSymmetry<M>) {
        settle(worker, worker.admissions[n], std::move(way.itself), way);
      } else {
        settle(worker, worker.admissions[n], std::move(arriving.visitors[n].state), way);
      }
    }
    arriving.visitors.clear();
    arriving.ways.clear();
  }

  /// `state` was visited, and is to be expanded.
  void settle(Worker& worker, const Admission& place, State state, const Way& way) {
    const Link link = add_link(worker, way.before, way.choice);
    const bool is_of_wave = way.arrival.preemptions == bound_;
    std::vector<Pending>& list = is_of_wave ? worker.next_wave : worker.next_level;
    list.push_back({std::move(state), place.least, place.on_stack, link, way.arrival, way.depth,
        !is_of_wave && place.improves});
    if (!is_of_wave) return;
    worker.depth = std::max(worker.depth, way.depth);
    if (place.improves) check(list.back());
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
    for (Step<M>& step : worker.steps) {
      ++worker.transitions;
      const Arrival arrival{preemptions + (step.process != last ? price : 0), step.process};
      if (counts_preemptions_ && arrival.preemptions > options().max_preemptions) {
        worker.has_left_out = true;
      } else if (step.fails) {
        found_step(pending, step.choice, arrival.preemptions, add_link(worker, pending.link, step.choice));
      } else {
        arrive(worker, std::move(step.next), {arrival, pending.link, step.choice, pending.depth + 1});
      }
    }
  }

  /// The states with as many preemptions as the last wave and the fewest steps
  /// of those that are pending.
  Wave next_wave() {
    Wave wave;
    for (Worker& worker : workers_) wave.add(std::exchange(worker.next_wave, {}));
    if (wave.size() == 0 && order_.empty()) return wave;
    depth_ = wave.size() == 0 ? level_[order_.back()].depth : wave[0].depth;
    std::vector<Pending> of_level;
    for (; !order_.empty() && level_[order_.back()].depth == depth_; order_.pop_back())
      of_level.push_back(std::move(level_[order_.back()]));
    wave.add(std::move(of_level));
    return wave;
  }

  /// Goes on with the states that need one more preemption. Returns whether
  /// there are any.
  bool begin_next_level() {
    bounds_done_ = ++bound_;
    level_ = std::exchange(workers_.front().next_level, {});
    for (std::size_t n = 1; n < workers_.size(); ++n) {
      std::vector<Pending>& more = workers_[n].next_level;
      level_.insert(level_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
      more.clear();
    }
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

  /// Expands the states of a wave. Returns whether the search goes on.
  bool run_wave(const Wave& wave) {
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

  void run_portions(Worker& worker, const Wave& wave) {
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

  [[nodiscard]] std::size_t bytes(const Wave& wave) const {
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
