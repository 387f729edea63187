// Random walks from the initial state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../scheduler/strategies/random_bits.hpp"
#include "../states/state_store.hpp"
#include "exploration.hpp"
#include "successors.hpp"

namespace hocket::model {

/// Takes random steps until there is none, or up to Options::max_depth (1 000 if that is 0), and begins
/// again. The walk number n depends on Options::seed and n only.
template <Model M>
class RandomWalks {
 public:
  using State = StateOf<M>;

  RandomWalks(Exploration<M>& exploration, StateStore<State>& store)
      : exploration_(exploration), store_(store), successors_(exploration.model, exploration.options) {}

  Coverage run() {
    constexpr std::uint64_t kUsualWalks = 10'000;
    const Options& options = exploration_.options;
    const bool has_no_limit = options.max_walks == 0 && options.time_limit.count() != 0;
    const std::uint64_t walks = options.max_walks != 0 ? options.max_walks
                                : has_no_limit         ? ~std::uint64_t{0}
                                                       : kUsualWalks;
    Report& report = exploration_.report;
    while (report.walks < walks) {
      if (!walk(RandomBits(options.seed + report.walks))) return {false, false};
      ++report.walks;
    }
    exploration_.processes.add(successors_.processes());
    return {true, false};
  }

 private:
  /// Returns whether the search goes on.
  bool walk(RandomBits random) {
    constexpr std::uint32_t kUsualDepth = 1'000;
    Report& report = exploration_.report;
    const std::uint32_t most =
        exploration_.options.max_depth != 0 ? exploration_.options.max_depth : kUsualDepth;
    State state = exploration_.model.initial();
    choices_.clear();
    if (!arrive(state)) return false;
    while (choices_.size() < most) {
      const auto figures = [&] { return std::pair(report.states, store_.bytes()); };
      if (exploration_.limits.reached(1, figures)) return false;
      ++report.visits;
      steps_.clear();
      successors_.append(state, steps_);
      if (steps_.empty()) {
        ++report.end_states;
        return !exploration_.is_deadlock(state) || violated(ViolationKind::deadlock);
      }
      Step<M>& step = steps_[random.below(static_cast<std::uint32_t>(steps_.size()))];
      ++report.transitions;
      choices_.push_back(step.choice);
      report.depth = std::max(report.depth, static_cast<std::uint32_t>(choices_.size()));
      if (step.fails) return violated(ViolationKind::step);
      state = std::move(step.next);
      if (!arrive(state)) return false;
    }
    return true;
  }

  bool arrive(const State& state) {
    const auto& known_as = representative(exploration_.model, state);
    const Admission visit = store_.visit(fingerprint(exploration_.model, known_as), known_as, Arrival{});
    exploration_.report.states += visit.is_new ? 1 : 0;
    return !visit.is_new || exploration_.holds(state) || violated(ViolationKind::invariant);
  }

  bool violated(ViolationKind kind) { return exploration_.violated(kind, choices_, 0); }

  Exploration<M>& exploration_;
  StateStore<State>& store_;
  Successors<M> successors_;
  std::vector<Step<M>> steps_;
  std::vector<std::uint32_t> choices_;
};

}  // namespace hocket::model
