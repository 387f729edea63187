// The data that the parts of one search share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "../api/model.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../states/flaws.hpp"
#include "conclusion.hpp"
#include "limits.hpp"
#include "model_calls.hpp"
#include "path.hpp"
#include "successors.hpp"
#include "symmetry.hpp"

namespace hocket::model {

template <Model M>
struct Exploration {
  Exploration(
      std::string_view name, const M& checked, const Options& settings, const Flaws& flaws_wanted = {})
      : model(checked), options(settings), flaws(flaws_wanted), limits(name, settings) {
    report.model = name;
    report.strategy = settings.strategy;
  }

  const M& model;
  const Options& options;
  const Flaws flaws;
  Report report{};
  Limits limits;
  ProcessNumbers processes{};  ///< those that have taken steps

  /// Adds a violation with the path by which the search came to it. Returns whether the search goes on.
  bool violated(ViolationKind kind, std::span<const std::uint32_t> choices, unsigned preemptions,
      std::size_t cycle_begin = 0) {
    if constexpr (HasSymmetry<M>) {
      if (ends_in_cycle(kind)) {
        const PathChoices path = SymmetricPath<M>(model).convert(choices, cycle_begin);
        return add_violation(kind, path.choices, preemptions, path.cycle_begin);
      }
    }
    return add_violation(kind, choices, preemptions, cycle_begin);
  }

  /// The same for a path through states of the model that need not be canonical.
  bool add_violation(ViolationKind kind, std::span<const std::uint32_t> choices, unsigned preemptions,
      std::size_t cycle_begin = 0) {
    Violation violation;
    violation.kind = kind;
    violation.preemptions = preemptions;
    violation.cycle_begin = cycle_begin;
    describe(model, choices, violation);
    report.violations.push_back(std::move(violation));
    return wants_more();
  }

  /// Whether the search goes on after the failures that are reported so far.
  [[nodiscard]] bool wants_more() const {
    return report.violations.empty() || (options.keep_going && report.violations.size() < kMostViolations);
  }

  // If a call of the model fails, that is a failure of the state; describe() finds out which.
  [[nodiscard]] bool holds(const StateOf<M>& state) const {
    if constexpr (HasInvariant<M>) {
      bool result = false;
      return calls_model([&] { result = model.holds(state); }) && result;
    } else {
      return true;
    }
  }
  [[nodiscard]] bool is_deadlock(const StateOf<M>& state) const {
    if constexpr (HasEnds<M>) {
      bool may_end = false;
      return !calls_model([&] { may_end = model.may_end(state); }) || !may_end;
    } else {
      return false;
    }
  }
};

}  // namespace hocket::model
