#include "tests/oracle/memory_model/agreement.hpp"

#include <set>
#include <utility>

#include "tests/oracle/memory_model/enumeration.hpp"

namespace hocket::memory_model {

namespace {

std::string in_words(std::string what, const std::string& of_what, const std::string& name) {
  return std::move(what).append(", ").append(of_what).append(": ").append(name);
}

std::optional<std::string> difference(const std::string& of_what,
    const std::map<std::string, Prices>& machine, const std::set<std::string>& axioms) {
  for (const auto& [name, prices] : machine) {
    if (!axioms.contains(name)) return in_words("What the axioms do not allow", of_what, name);
  }
  for (const std::string& name : axioms) {
    if (!machine.contains(name)) return in_words("What the machine misses", of_what, name);
  }
  return {};
}

}  // namespace

std::optional<std::string> Agreement::contradiction(const Program& program) {
  const PricedBehaviours machine = explore(program, rules_, kMostStates);
  if (machine.is_incomplete) return ++counts_.too_large, std::nullopt;
  const Behaviours axioms = enumerate(program, {}, 10 * kMostStates);
  if (axioms.is_incomplete) return ++counts_.too_large, std::nullopt;
  ++counts_.compared;
  counts_.refused_choices += machine.refused_choices;
  if (machine.has_race() != axioms.has_race) {
    return std::string("Only the ") + (machine.has_race() ? "machine" : "axioms") + " found a data race.";
  }
  if (machine.has_race()) return ++counts_.with_a_race, std::nullopt;
  if (!axioms.stuck.empty()) ++counts_.stuck;
  counts_.graphs += machine.complete.size() + machine.stuck.size();
  counts_.weak_graphs += machine.complete.size() - within(machine.complete, {.stale = 0}).size();
  std::optional<std::string> found = difference("a graph", machine.complete, axioms.complete);
  if (!found) found = difference("a graph of an execution that gets stuck", machine.stuck, axioms.stuck);
  if (!found) found = difference("an outcome", machine.outcomes, axioms.outcomes);
  return found;
}

std::string Agreement::Counts::to_text() const {
  return std::to_string(compared) + " programs (" + std::to_string(too_large) + " more were too large), " +
         std::to_string(graphs) + " graphs, " + std::to_string(weak_graphs) + " of them weak; " +
         std::to_string(with_a_race) + " with a data race, " + std::to_string(stuck) + " that get stuck; " +
         std::to_string(refused_choices) + " choices were refused\n";
}

bool has_sleepers_or_notifications(const Program& program) {
  return oracle::any_verb(program, [](Verb verb) {
    return verb == Verb::await_change || verb == Verb::wake_one || verb == Verb::wake_all ||
           verb == Verb::wait || verb == Verb::notify_one || verb == Verb::notify_all;
  });
}

std::optional<std::string> contradiction_without_stale_choices(const Program& program) {
  if (has_sleepers_or_notifications(program)) return {};
  const Program raised = with_all_seq_cst(program);
  MachineRules newest_only;
  newest_only.seq_cst_may_be_stale = false;
  const PricedBehaviours weak = explore(program, {}, Agreement::kMostStates);
  const PricedBehaviours strong = explore(raised, newest_only, Agreement::kMostStates);
  const Behaviours axioms = enumerate(raised, {}, 10 * Agreement::kMostStates);
  if (weak.is_incomplete || strong.is_incomplete || axioms.is_incomplete) return {};
  if (weak.has_race() || strong.has_race()) return {};
  if (within(weak.complete, {.stale = 0}) != axioms.complete ||
      within(weak.stuck, {.stale = 0}) != axioms.stuck) {
    return "The executions without stale choices are not those of sequential consistency.";
  }
  if (within(strong.complete, {}) != axioms.complete || within(strong.stuck, {}) != axioms.stuck) {
    return "The newest writes do not suffice where all is seq_cst.";
  }
  for (const Bound bound : {Bound{.total = 0}, Bound{.total = 1}, Bound{.total = 2}}) {
    if (within(weak.complete, {.total = bound.total, .stale = 0}) != within(strong.complete, bound)) {
      return "Preemptions cost something else where all is seq_cst.";
    }
  }
  return {};
}

}  // namespace hocket::memory_model
