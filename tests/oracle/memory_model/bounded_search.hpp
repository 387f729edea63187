// All that the machine (machine.hpp) can do with a program, and for each execution graph and each outcome the
// least prices at which it is found.
//
// A preemption is a switch away from a thread that made the last step and could make the next one. Who begins
// is free, and so is every switch away from a thread that waits or has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/oracle/memory_model/machine.hpp"
#include "tests/oracle/memory_model/prices.hpp"

namespace hocket::memory_model {

struct PricedBehaviours {
  std::map<std::string, Prices> complete;  ///< graphs of executions that all threads end
  std::map<std::string, Prices> stuck;     ///< graphs of executions in which some thread waits for ever
  std::map<std::string, Prices> outcomes;  ///< of complete executions
  Prices asked_for_less;                   ///< of coming to an operation on an atomic weaker than seq_cst
  Prices races;                            ///< of coming to a data race, which ends an execution
  std::uint64_t refused_choices = 0;       ///< because they break seq_cst
  std::size_t states = 0;
  bool is_incomplete = false;  ///< there are more states than allowed

  /// Whether there are data races. Then the other members mean nothing.
  [[nodiscard]] bool has_race() const { return !races.all().empty(); }
};

/// Those of `priced` that cost no more than the bound.
std::set<std::string> within(const std::map<std::string, Prices>& priced, const Bound& bound);

/// Looks at everything.
PricedBehaviours explore(
    const Program& program, const MachineRules& rules = {}, std::size_t most_states = 1'000'000);

/// What a search finds that lets seq_cst operations read old writes only if some operation on an atomic that
/// it comes to within its bound asks for a weaker order.
class BoundedSearch {
 public:
  explicit BoundedSearch(
      const Program& program, MachineRules rules = {}, std::size_t most_states = 1'000'000);

  /// What there is within the bound; look at it with within() and the same bound.
  [[nodiscard]] const PricedBehaviours& at(const Bound& bound) const {
    return if_all_is_seq_cst_.asked_for_less.are_within(bound) ? otherwise_ : if_all_is_seq_cst_;
  }

 private:
  PricedBehaviours if_all_is_seq_cst_;
  PricedBehaviours otherwise_;
};

}  // namespace hocket::memory_model
