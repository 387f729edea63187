// What a step costs in preemptions. The runtime prices candidates by this rule, and happens-before graphs
// price the steps of executions that were not run.
#pragma once

#include <algorithm>

#include "choice.hpp"

namespace hocket::runtime {

/// The circumstances under which a thread continues.
struct Circumstances {
  bool switches = false;  ///< another thread made the last step, which was no yield, and could go on usefully
  bool is_held_back = false;        ///< fairness wants other threads to run first: see Fairness
  bool is_futile = false;           ///< the thread is at a yield, and nothing has changed since its last one
  bool somebody_is_useful = false;  ///< a thread can go on that is neither held back nor at a futile yield
};

/// The price of continuing in `mode`. The default costs nothing: see Chooser.
constexpr unsigned price_of(Mode mode, const Circumstances& now) {
  const unsigned switching = now.switches ? 1 : 0;
  const unsigned unfairness = now.is_held_back ? 1 : 0;
  switch (mode) {
    case Mode::run:
      return switching + std::max(unfairness, now.is_futile && now.somebody_is_useful ? 1U : 0U);
    case Mode::expire:
      // A thread at a futile yield counts as not enabled here too. Otherwise the clock would never move if
      // one thread of the body spins until the timed wait of another one is over.
      return switching + unfairness + (now.somebody_is_useful ? 1U : 0U);
    case Mode::spurious:
    case Mode::timeless:
      break;
  }
  return switching + unfairness + 1;
}

/// The same while no other thread may run: how its own wait ends is not for other threads to decide.
constexpr unsigned price_without_preemption(Mode mode) {
  return mode == Mode::run ? 0 : 1;
}

}  // namespace hocket::runtime
