// Searches for cycles against a plain statement of which cycles there are.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "random_model.hpp"
#include "random_models.hpp"

namespace hocket::model::test {

namespace {

/// A state with a certain value is accepting.
struct AcceptingModel : RandomModel {
  [[nodiscard]] bool accepting(const State& state) const { return state.value == forbidden; }
  [[nodiscard]] static bool holds(const State& /*state*/) { return true; }
};

/// A state with a certain value is progress.
struct ProgressModel : RandomModel {
  [[nodiscard]] bool progress(const State& state) const { return state.value == forbidden; }
  [[nodiscard]] static bool holds(const State& /*state*/) { return true; }
};

using Graph = std::map<State, std::vector<std::pair<unsigned, State>>>;

/// The states that can be reached from `from`, in one step or more, by edges between states of `allowed`.
std::set<State> reachable(
    const Graph& graph, const State& from, const std::function<bool(const State&)>& allowed) {
  std::set<State> known;
  std::vector<State> pending{from};
  while (!pending.empty()) {
    const State state = pending.back();
    pending.pop_back();
    for (const auto& [process, next] : graph.at(state)) {
      if (allowed(next) && known.insert(next).second) pending.push_back(next);
    }
  }
  return known;
}

/// Whether there is a cycle of states of `allowed` with a state of `wanted`, on which, if asked to be fair,
/// every process takes a step or has none in some state.
bool has_cycle(const RandomModel& model, bool is_fair, unsigned processes,
    const std::function<bool(const State&)>& allowed, const std::function<bool(const State&)>& wanted) {
  Graph graph;
  for (const auto& [state, depth] : facts(model).depth) {
    auto& edges = graph[state];
    for (const Move& move : model.moves) {
      if (RandomModel::is_possible(move, state))
        edges.emplace_back(move.process, RandomModel::after(move, state));
    }
  }
  for (const auto& [state, edges] : graph) {
    if (!allowed(state) || !wanted(state)) continue;
    const std::set<State> ahead = reachable(graph, state, allowed);
    if (!ahead.contains(state)) continue;
    std::set<State> component;  // all states of cycles through this one
    for (const State& other : ahead) {
      if (reachable(graph, other, allowed).contains(state)) component.insert(other);
    }
    std::set<unsigned> satisfied;
    for (const State& other : component) {
      std::set<unsigned> able;
      for (const auto& [process, next] : graph.at(other)) {
        able.insert(process);
        if (component.contains(next)) satisfied.insert(process);
      }
      for (unsigned process = 0; process < processes; ++process) {
        if (!able.contains(process)) satisfied.insert(process);
      }
    }
    if (!is_fair || satisfied.size() >= processes) return true;
  }
  return false;
}

/// Follows the path of a violation and checks that it is a cycle of the kind.
template <typename M>
void expect_cycle(const M& model, const Violation& violation,
    const std::function<bool(const State&)>& allowed, const std::function<bool(const State&)>& wanted) {
  State state = M::initial();
  State first{};
  bool meets_wanted = false;
  for (std::size_t n = 0; n < violation.path.size(); ++n) {
    if (n == violation.cycle_begin) first = state;
    if (n >= violation.cycle_begin) {
      RC_ASSERT(allowed(state));
      meets_wanted |= wanted(state);
    }
    std::vector<State> next;
    for (const Move& move : model.moves) {
      if (RandomModel::is_possible(move, state)) next.push_back(RandomModel::after(move, state));
    }
    state = next.at(violation.path[n].choice);
  }
  RC_ASSERT(violation.path.size() > violation.cycle_begin);
  RC_ASSERT(state == first);
  RC_ASSERT(meets_wanted);
}

unsigned processes_of(const RandomModel& model) {
  unsigned processes = 0;
  for (const auto& [state, depth] : facts(model).depth) {
    for (const Move& move : model.moves) {
      if (RandomModel::is_possible(move, state)) processes = std::max(processes, move.process + 1);
    }
  }
  return processes;
}

template <typename M>
void compare(const RandomModel& plain, ViolationKind kind, const std::function<bool(const State&)>& allowed,
    const std::function<bool(const State&)>& wanted) {
  const M model{plain};
  for (const bool is_fair : {false, true}) {
    for (const Store store : {Store::exact, Store::hash}) {
      RC_LOG() << (is_fair ? "fair\n" : "unfair\n");
      const Report report =
          check_without_files("random", model, {.strategy = "dfs", .store = store, .weak_fairness = is_fair});
      const bool expected = has_cycle(plain, is_fair, processes_of(plain), allowed, wanted);
      RC_ASSERT(report.failed() == expected);
      if (!expected) {
        RC_ASSERT(report.verdict == Verdict::passed_exhaustively);
        continue;
      }
      RC_ASSERT(report.violations.front().kind == kind);
      expect_cycle(model, report.violations.front(), allowed, wanted);
    }
  }
}

TEST(SearchesForCycles, FindAnAcceptingCycleIfThereIsOne) {
  on_random_models(8'000, [](const RandomModel& model) {
    const auto is_any = [](const State& /*state*/) { return true; };
    const auto is_accepting = [&](const State& state) { return state.value == model.forbidden; };
    compare<AcceptingModel>(model, ViolationKind::acceptance_cycle, is_any, is_accepting);
  });
}

TEST(SearchesForCycles, FindACycleWithoutProgressIfThereIsOne) {
  on_random_models(8'000, [](const RandomModel& model) {
    const auto is_no_progress = [&](const State& state) { return state.value != model.forbidden; };
    compare<ProgressModel>(model, ViolationKind::progress_cycle, is_no_progress, is_no_progress);
  });
}

TEST(SearchesForCycles, AreLeftOutAndThatIsSaidIfABoundLeavesOutStates) {
  AcceptingModel model;
  model.moves = {{0, 0, 1}, {0, 1, 0}, {1, 0, 1}};
  model.forbidden = 0;
  const Report bounded = check_without_files("bounded", model, {.strategy = "icb", .max_preemptions = 0});
  EXPECT_EQ(bounded.verdict, Verdict::passed_within_bound);
  EXPECT_EQ(bounded.note, "cycles were not searched for, because not every state was met");
  EXPECT_TRUE(check_without_files("unbounded", model).failed());
}

}  // namespace

}  // namespace hocket::model::test
