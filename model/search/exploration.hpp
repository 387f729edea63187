// The data that the parts of one search share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "../api/model.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"
#include "conclusion.hpp"
#include "limits.hpp"
#include "path.hpp"
#include "symmetry.hpp"

namespace hocket::model {

inline constexpr std::size_t kMostViolations = 10;

template <Model M>
struct Exploration {
  Exploration(std::string_view name, const M& checked, const Options& settings)
      : model(checked), options(settings), limits(name, settings) {
    report.model = name;
    report.strategy = settings.strategy;
  }

  const M& model;
  const Options& options;
  Report report{};
  Limits limits;
  Process processes = 0;  ///< one more than the greatest number of a process that the search has seen

  /// Adds a violation with the path by which the search came to it. Returns whether the search goes on.
  bool violated(ViolationKind kind, std::span<const std::uint32_t> choices, unsigned preemptions,
      std::size_t cycle_begin = 0) {
    if constexpr (HasSymmetry<M>) {
      const PathChoices path = SymmetricPath<M>(model).convert(choices, ends_in_cycle(kind), cycle_begin);
      return add_violation(kind, path.choices, preemptions, path.cycle_begin);
    } else {
      return add_violation(kind, choices, preemptions, cycle_begin);
    }
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
    return options.keep_going && report.violations.size() < kMostViolations;
  }

  [[nodiscard]] bool holds(const StateOf<M>& state) const {
    if constexpr (HasInvariant<M>) {
      return model.holds(state);
    } else {
      return true;
    }
  }
  [[nodiscard]] bool is_deadlock(const StateOf<M>& state) const {
    if constexpr (HasEnds<M>) {
      return !model.may_end(state);
    } else {
      return false;
    }
  }
};

}  // namespace hocket::model
