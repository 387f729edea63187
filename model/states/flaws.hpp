// Ways in which published searches lose states or paths. Tests and tools compare with them; no public
// function takes them, and a search that has one never ends in a pass.
#pragma once

#include <cstdint>

namespace hocket::model {

/// Reductions of the product with an automaton that are unsound unless the automaton is in stutter normal
/// form (Siegel, What's Wrong with On-the-Fly Partial Order Reduction, CAV 2019).
enum class FlawedReduction : std::uint8_t {
  none,
  v0,  ///< the one that was published first, with a cycle proviso for the state after the automaton's step
  v1   ///< the same with a cycle proviso for the state before it
};

struct Flaws {
  FlawedReduction reduction = FlawedReduction::none;  ///< for models with an automaton
  bool forgets_processes = false;                     ///< for bcs: stores as little as Spin 6.5.2 does
  /// For depth: a state that is reached again by a shorter path is not visited again.
  bool never_revisits = false;
};

}  // namespace hocket::model
