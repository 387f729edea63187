// A swarm: depth-first searches in different random orders, which share one set of states. A state that one
// worker has met is not visited by the others, so together they visit every state once.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "../../scheduler/strategies/random_bits.hpp"
#include "../states/state_store.hpp"
#include "exploration.hpp"
#include "successors.hpp"
#include "workers.hpp"

namespace hocket::model {

template <Model M>
class Swarm {
 public:
  using State = StateOf<M>;

  Swarm(Exploration<M>& exploration, StateStore<State>& store) : exploration_(exploration), store_(store) {}

  Coverage run() {
    run_workers(
        exploration_.options.jobs, [this](unsigned number) { work(number); }, [this] { must_stop_ = true; });
    exploration_.report.states = store_.size();
    return {!must_stop_, !must_stop_};
  }

 private:
  struct Frame {
    State state;
    std::uint32_t choice;
    std::size_t begin;  ///< of the state's steps; those that are left are at the end
  };

  struct Worker {
    Worker(const Exploration<M>& exploration, unsigned number)
        : successors(exploration.model, exploration.options), random(exploration.options.seed + number) {}

    Successors<M> successors;
    RandomBits random;
    std::vector<Frame> frames{};
    std::vector<Step<M>> steps{};
    std::uint64_t visits = 0;
    std::uint64_t transitions = 0;
    std::uint64_t end_states = 0;
    std::size_t depth = 0;
    std::uint64_t turns = 0;  ///< after the last look at the limits
    std::uint64_t next_look = 1;
    Pace pace{std::chrono::steady_clock::now()};
    std::size_t bytes = 0;  ///< of the stack, at the last look at the limits
  };

  /// Whether the worker must stop. From time to time it looks at the limits, for all of them.
  bool must_stop(Worker& worker) {
    if (++worker.turns >= worker.next_look) {
      worker.next_look = worker.pace.visits_after(std::chrono::steady_clock::now());
      const std::lock_guard lock(mutex_);
      stack_bytes_ -= worker.bytes;
      worker.bytes = worker.frames.capacity() * sizeof(Frame) + worker.steps.capacity() * sizeof(Step<M>);
      stack_bytes_ += worker.bytes;
      const auto figures = [&] {
        return std::pair<std::uint64_t, std::size_t>(store_.size(), store_.bytes() + stack_bytes_);
      };
      if (exploration_.limits.reached(std::exchange(worker.turns, 0), figures)) must_stop_ = true;
    }
    return must_stop_;
  }

  void work(unsigned number) {
    Worker worker(exploration_, number);
    search(worker);
    const std::lock_guard lock(mutex_);
    Report& report = exploration_.report;
    report.visits += worker.visits;
    report.transitions += worker.transitions;
    report.end_states += worker.end_states;
    report.depth = std::max(report.depth, static_cast<std::uint32_t>(worker.depth));
    exploration_.processes.add(worker.successors.processes());
  }

  void search(Worker& worker) {
    // Every worker expands the initial state; only the one that meets it first checks it.
    arrive(worker, exploration_.model.initial(), 0, true);
    while (!worker.frames.empty() && !must_stop(worker)) {
      const Frame& frame = worker.frames.back();
      if (frame.begin == worker.steps.size()) {
        worker.frames.pop_back();
        continue;
      }
      Step<M> step = std::move(worker.steps.back());
      worker.steps.pop_back();
      ++worker.transitions;
      if (step.fails) {
        violated(worker, ViolationKind::step, &step.choice);
      } else {
        arrive(worker, step.next, step.choice, false);
      }
    }
  }

  void arrive(Worker& worker, const State& state, std::uint32_t choice, bool is_initial) {
    const auto& known_as = representative(exploration_.model, state);
    const auto place = store_.visit(fingerprint(exploration_.model, known_as), known_as, Arrival{});
    if (!place.is_new && !is_initial) return;
    worker.frames.push_back({state, choice, worker.steps.size()});
    worker.depth = std::max(worker.depth, worker.frames.size() - 1);
    if (place.is_new && !exploration_.holds(state)) violated(worker, ViolationKind::invariant, nullptr);
    const std::size_t begin = worker.steps.size();
    worker.successors.append(state, worker.steps);
    worker.visits += place.is_new ? 1 : 0;
    if (worker.steps.size() == begin && place.is_new) {
      ++worker.end_states;
      if (exploration_.is_deadlock(state)) violated(worker, ViolationKind::deadlock, nullptr);
    }
    const std::size_t count = worker.steps.size() - begin;
    for (std::size_t n = count; n > 1; --n)
      std::swap(worker.steps[begin + n - 1],
          worker.steps[begin + worker.random.below(static_cast<std::uint32_t>(n))]);
  }

  void violated(Worker& worker, ViolationKind kind, const std::uint32_t* last_choice) {
    std::vector<std::uint32_t> choices;
    for (std::size_t n = 1; n < worker.frames.size(); ++n) choices.push_back(worker.frames[n].choice);
    if (last_choice != nullptr) choices.push_back(*last_choice);
    const std::lock_guard lock(mutex_);
    if (must_stop_) return;
    if (!exploration_.violated(kind, choices, 0)) must_stop_ = true;
  }

  Exploration<M>& exploration_;
  StateStore<State>& store_;
  std::atomic<bool> must_stop_{false};
  std::mutex mutex_;  ///< for the members below, the limits and the report
  std::size_t stack_bytes_ = 0;
};

}  // namespace hocket::model
