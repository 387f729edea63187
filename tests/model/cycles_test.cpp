// Searches for cycles against a plain statement of which cycles there are.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "random_lassos.hpp"
#include "random_model.hpp"
#include "random_models.hpp"
#include "tests/support/folder.hpp"

namespace hocket::model::test {

namespace {

/// A state with a certain value is accepting. The text of a state tells only one place.
struct AcceptingModel : RandomModel {
  [[nodiscard]] static std::string print(const State& state) { return std::to_string(state.place[0]); }
  [[nodiscard]] bool accepting(const State& state) const { return state.value == forbidden; }
  [[nodiscard]] static bool holds(const State& /*state*/) { return true; }
};

/// A state with a certain value is progress.
struct ProgressModel : RandomModel {
  [[nodiscard]] bool progress(const State& state) const { return state.value == forbidden; }
  [[nodiscard]] static bool holds(const State& /*state*/) { return true; }
};

using Graph = std::map<State, std::vector<std::pair<unsigned, State>>>;

/// The strongly connected components of the states of `allowed`: those of a component can reach each other
/// (Kosaraju).
std::vector<std::set<State>> components(
    const Graph& graph, const std::function<bool(const State&)>& allowed) {
  std::map<State, std::vector<State>> ahead;
  std::map<State, std::vector<State>> back;
  for (const auto& [state, edges] : graph) {
    for (const auto& [process, next] : edges) {
      if (!allowed(state) || !allowed(next)) continue;
      ahead[state].push_back(next);
      back[next].push_back(state);
    }
  }
  std::set<State> known;
  std::vector<State> finished;
  const std::function<void(const State&, std::map<State, std::vector<State>>&)> visit =
      [&](const State& state, std::map<State, std::vector<State>>& edges) {
        if (!known.insert(state).second) return;
        for (const State& next : edges[state]) visit(next, edges);
        finished.push_back(state);
      };
  for (const auto& [state, edges] : graph) {
    if (allowed(state)) visit(state, ahead);
  }
  std::vector<std::set<State>> result;
  std::vector<State> order;
  order.swap(finished);
  known.clear();
  for (auto state = order.rbegin(); state != order.rend(); ++state) {
    finished.clear();
    visit(*state, back);
    if (!finished.empty()) result.emplace_back(finished.begin(), finished.end());
  }
  return result;
}

/// Whether there is a cycle of states of `allowed` with a state of `wanted`, on which, if asked to be fair,
/// every process takes a step or has none in some state.
bool has_cycle(const RandomModel& model, bool is_fair, const std::function<bool(const State&)>& allowed,
    const std::function<bool(const State&)>& wanted) {
  Graph graph;
  for (const auto& [state, depth] : facts(model).depth) {
    auto& edges = graph[state];
    for (const Move& move : model.possible(state))
      edges.emplace_back(move.process, RandomModel::after(move, state));
  }
  const auto is_error = [&](const std::set<State>& component) {
    bool is_cycle = false;
    std::set<unsigned> satisfied;
    for (const State& state : component) {
      std::set<unsigned> able;
      for (const auto& [process, next] : graph.at(state)) {
        able.insert(process);
        if (!component.contains(next)) continue;
        is_cycle = true;
        satisfied.insert(process);
      }
      for (unsigned process = 0; process < kProcesses; ++process) {
        if (!able.contains(process)) satisfied.insert(process);
      }
    }
    return is_cycle && std::any_of(component.begin(), component.end(), wanted) &&
           (!is_fair || satisfied.size() == kProcesses);
  };
  const std::vector<std::set<State>> all = components(graph, allowed);
  return std::any_of(all.begin(), all.end(), is_error);
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

/// Saves the path of the first failure and follows it.
template <typename M>
void expect_replay_fails(const M& model) {
  const hocket::test::Folder folder;
  Options options{.strategy = "dfs", .schedule_dir = folder.path().string()};
  options.replay =
      detail::check_by<Searches::depth_first>("random", model, options).violations.front().schedule_file;
  RC_ASSERT(detail::check_by<Searches::depth_first>("random", model, options).verdict == Verdict::failed);
}

template <typename M>
void compare(const RandomModel& random, ViolationKind kind, const std::function<bool(const State&)>& allowed,
    const std::function<bool(const State&)>& wanted) {
  RandomModel plain = random.without_failing_steps();
  constexpr unsigned kFar = 1'000'000'000;
  if (plain.stride != 1) plain.stride = kFar;
  const M model{plain};
  for (const bool is_fair : {false, true}) {
    const bool expected = has_cycle(plain, is_fair, allowed, wanted);
    for (const Options& options : {Options{.strategy = "dfs"},
             Options{.strategy = "dfs", .store = Store::hash}, Options{.strategy = "dfs", .reduce = true}}) {
      RC_LOG() << (is_fair ? "fair" : "unfair") << (options.reduce ? ", reduced\n" : "\n");
      Options with_fairness = options;
      with_fairness.weak_fairness = is_fair;
      const Report report = check_without_files<Searches::depth_first>("random", model, with_fairness);
      RC_ASSERT(report.failed() == expected);
      if (!expected) {
        RC_ASSERT(report.verdict == Verdict::passed_exhaustively);
        continue;
      }
      RC_ASSERT(report.violations.front().kind == kind);
      if (!is_fair && !options.reduce && options.store == Store::exact) expect_replay_fails(model);
      expect_cycle(model, report.violations.front(), allowed, wanted);
    }
  }
}

/// Returns the fewest preemptions of a cycle, if that is a few.
template <typename M>
std::optional<unsigned> compare_within_bounds(const RandomModel& random, ViolationKind kind,
    const std::function<bool(const State&)>& allowed, const std::function<bool(const State&)>& wanted) {
  constexpr unsigned kMostPreemptions = 3;
  const M model{random.without_failing_steps()};
  const std::optional<unsigned> least = least_preemptions_of_lasso<State>(
      model, kMostPreemptions, M::initial(), [](const State& state) -> const State& { return state; },
      [](const State& state, const Move& move) { return std::vector{RandomModel::after(move, state)}; },
      allowed, wanted);
  const bool is_cyclic = has_cycle(model, false, allowed, wanted);
  for (unsigned bound = 0; bound <= kMostPreemptions; ++bound) {
    for (const Options& options : {Options{.strategy = "bcs"},
             Options{.strategy = "bcs", .store = Store::hash, .reduce = true}, Options{.strategy = "icb"}}) {
      Options within = options;
      within.max_preemptions = bound;
      const Report report =
          check_without_files<Searches::breadth_first | Searches::depth_first>("random", model, within);
      expect_report_within(report, bound, least);
      if (report.failed()) {
        RC_ASSERT(report.violations.front().kind == kind);
        expect_cycle(model, report.violations.front(), allowed, wanted);
      } else if (is_cyclic) {
        RC_ASSERT(report.verdict == Verdict::passed_within_bound);
      }
    }
  }
  return least;
}

TEST(SearchesForCycles, FindAnAcceptingCycleIfThereIsOne) {
  on_random_models([](const RandomModel& model) {
    const auto is_any = [](const State& /*state*/) { return true; };
    const auto is_accepting = [&](const State& state) { return state.value == model.forbidden; };
    compare<AcceptingModel>(model, ViolationKind::acceptance_cycle, is_any, is_accepting);
  });
}

TEST(SearchesForCycles, FindAnAcceptingCycleWithinABoundIfThereIsOne) {
  std::set<unsigned> needed;
  on_random_models([&](const RandomModel& model) {
    const auto is_any = [](const State& /*state*/) { return true; };
    const auto is_accepting = [&](const State& state) { return state.value == model.forbidden; };
    const auto least =
        compare_within_bounds<AcceptingModel>(model, ViolationKind::acceptance_cycle, is_any, is_accepting);
    if (least) needed.insert(*least);
  });
  EXPECT_GE(needed.size(), 2);
}

TEST(SearchesForCycles, FindACycleWithoutProgressIfThereIsOne) {
  on_random_models([](const RandomModel& model) {
    const auto is_no_progress = [&](const State& state) { return state.value != model.forbidden; };
    compare<ProgressModel>(model, ViolationKind::progress_cycle, is_no_progress, is_no_progress);
  });
}

TEST(SearchesForCycles, FindACycleWithoutProgressWithinABoundIfThereIsOne) {
  std::set<unsigned> needed;
  on_random_models([&](const RandomModel& model) {
    const auto is_no_progress = [&](const State& state) { return state.value != model.forbidden; };
    const auto least = compare_within_bounds<ProgressModel>(
        model, ViolationKind::progress_cycle, is_no_progress, is_no_progress);
    if (least) needed.insert(*least);
  });
  EXPECT_GE(needed.size(), 2);
}

TEST(SearchesForCycles, CountThePreemptionsOfOneRoundFromWhereThePathBegan) {
  ProgressModel model;  // two processes pass a value to and fro, and each could do something else
  model.moves = {{0, 0, 0, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 1, 0}, {1, 0, 1, 0}};
  for (unsigned bound = 0; bound <= 1; ++bound) {
    const Report report = check_without_files<Searches::breadth_first | Searches::depth_first>(
        "to and fro", model, {.strategy = "bcs", .max_preemptions = bound});
    EXPECT_EQ(report.failed(), bound == 1);
    for (const Violation& violation : report.violations) EXPECT_EQ(violation.path.size(), 2);
  }
}

TEST(SearchesForCycles, SayWhatABoundHasLeftOut) {
  AcceptingModel model;
  model.moves = {{0, 0, 1, {}, 1}, {0, 1, 2, {}, 0}, {1, 0, 1, 1, 2}, {2, 0, 0, 2}};
  model.forbidden = 2;
  const auto run = [&](const Options& options) {
    return check_without_files<Searches::breadth_first | Searches::depth_first>("bounded", model, options);
  };
  const Report within = run({.strategy = "bcs", .max_preemptions = 0, .reduce = true});
  EXPECT_EQ(within.verdict, Verdict::passed_within_bound);
  EXPECT_EQ(within.note,
      "cycles were searched for that need at most 0 preemptions on the way and in one round, without a "
      "reduction");
  for (const Options& left_out : {Options{.strategy = "icb", .max_preemptions = 0, .weak_fairness = true},
           Options{.strategy = "bcs", .max_preemptions = 0, .max_depth = 1}}) {
    const Report report = run(left_out);
    EXPECT_EQ(report.verdict, Verdict::passed_within_bound);
    EXPECT_EQ(report.note, "cycles were not searched for, because not every state was met");
  }
  const Report found = run({.strategy = "icb", .max_preemptions = 1});
  EXPECT_EQ(found.verdict, Verdict::failed);
  EXPECT_EQ(found.violations.front().preemptions, 1);
}

}  // namespace

}  // namespace hocket::model::test
