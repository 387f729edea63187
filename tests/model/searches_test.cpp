// Every search against a plain statement of what can happen in random models.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "random_model.hpp"
#include "random_models.hpp"

namespace hocket::model::test {

namespace {

template <typename Least>
std::set<State> at_most(const Least& least, unsigned bound) {
  std::set<State> states;
  for (const auto& [state, cost] : least) {
    if (cost <= bound) states.insert(state);
  }
  return states;
}

struct Outcome {
  Report report;
  std::set<State> states;
};

template <Searches kSearches = Searches::all, typename M>
Outcome run(M model, Options options, const Flaws& flaws = {}) {
  Outcome result;
  model.seen = &result.states;
  options.keep_going = true;
  result.report = check_without_files<kSearches>("random", model, options, flaws);
  return result;
}

bool has_violation(const Report& report, ViolationKind kind) {
  return std::any_of(report.violations.begin(), report.violations.end(),
      [kind](const Violation& violation) { return violation.kind == kind; });
}

/// Whether a failure of this kind is within the limits.
bool has_failure(
    const LeastCosts& least, ViolationKind kind, unsigned preemptions = ~0U, unsigned steps = ~0U) {
  return std::any_of(least.failures.begin(), least.failures.end(), [&](const auto& failure) {
    const Cost& cost = failure.second;
    return std::get<0>(failure.first) == kind && cost.preemptions <= preemptions && cost.steps <= steps;
  });
}

/// Checks what a search has found that claims to visit every state of `expected` and no other. `a_step_fails`
/// says whether a step fails in one of them.
void expect_exactly(
    const Outcome& run, const std::set<State>& expected, const RandomModel& model, bool a_step_fails) {
  const bool is_reached = std::any_of(
      expected.begin(), expected.end(), [&](const State& state) { return state.value == model.forbidden; });
  const bool fails = is_reached || a_step_fails;
  RC_ASSERT(run.report.failed() == fails);
  if (run.report.violations.size() < kMostViolations) {
    RC_ASSERT(has_violation(run.report, ViolationKind::invariant) == is_reached);
    RC_ASSERT(has_violation(run.report, ViolationKind::step) == a_step_fails);
  }
  if (run.report.violations.size() == kMostViolations) return;  // it ended the search
  RC_ASSERT(run.states == expected);
  RC_ASSERT(run.report.states == expected.size());
  if (fails) return;
  RC_ASSERT(run.report.verdict == Verdict::passed_exhaustively ||
            run.report.verdict == Verdict::passed_within_bound);
}

TEST(SearchesOfModels, WithoutBoundsVisitExactlyTheReachableStates) {
  on_random_models([](const RandomModel& model) {
    const Facts known = facts(model);
    const std::set<State> reachable = at_most(known.depth, ~0U);
    for (const char* strategy : {"bfs", "dfs", "icb", "bcs"}) {
      for (const Store store : {Store::exact, Store::hash}) {
        RC_LOG() << strategy << (store == Store::hash ? ", hash\n" : "\n");
        expect_exactly(
            run(model, {.strategy = strategy, .store = store}), reachable, model, known.has_failing_step);
      }
    }
  });
}

TEST(SearchesOfModels, WithABoundVisitExactlyTheStatesWithinIt) {
  on_random_models([](const RandomModel& model) {
    const Facts known = facts(model);
    const LeastCosts least = least_costs(model, false);
    for (const char* strategy : {"icb", "bcs"}) {
      for (unsigned bound = 0; bound < 3; ++bound) {
        RC_LOG() << strategy << ", bound " << bound << "\n";
        const Outcome found = run(model, {.strategy = strategy, .max_preemptions = bound});
        expect_exactly(
            found, at_most(known.preemptions, bound), model, has_failure(least, ViolationKind::step, bound));
        if (found.report.violations.size() == kMostViolations) continue;
        for (unsigned n = 0; n <= bound; ++n)
          RC_ASSERT(found.report.states_within(n) == at_most(known.preemptions, n).size());
      }
    }
  });
}

/// A state is a number, and each step is written down.
struct Picture {
  struct Arrow {
    Process process;
    std::uint8_t from, to;
    bool is_local = false;
  };
  struct State {
    std::uint8_t at = 0;
    bool operator==(const State&) const = default;
  };
  std::vector<Arrow> arrows;
  std::uint8_t error;

  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, Emit<State> emit) const {
    for (const Arrow& arrow : arrows) {
      if (arrow.from != state.at) continue;
      if (arrow.is_local) {
        emit.local(arrow.process, "local", State{arrow.to});
      } else {
        emit(arrow.process, "step", State{arrow.to});
      }
    }
  }
  [[nodiscard]] bool holds(const State& state) const { return state.at != error; }
};

TEST(SearchesOfModels, WithABoundGoOnFromAStateThatTheyCameToDearlyBefore) {
  // As in Figure 6 of Holzmann and Florian: the first way to state 3 needs the only preemption, and process
  // 1, which has led there, could go on, so that the error is too dear. Process 0 comes there later by
  // itself, first through state 2.
  const Picture picture{
      {{0, 0, 1}, {0, 1, 1}, {1, 1, 3}, {1, 3, 3}, {0, 0, 2}, {0, 2, 5}, {0, 0, 5}, {0, 5, 3}, {0, 3, 4}}, 4};
  for (const bool shorten : {false, true}) {
    const Report report = check_without_files<Searches::depth_first>(
        "picture", picture, {.strategy = "bcs", .max_preemptions = 1, .shorten = shorten});
    ASSERT_TRUE(report.failed());
    EXPECT_EQ(report.violations.front().path.size(), shorten ? 3U : 4U);
  }
}

TEST(SearchesOfModels, WithAReductionAndABoundComeToBothEnds) {
  // As in Figure 4 of Holzmann and Florian, after a step of process 2: process 0 takes a local step and then
  // writes 1, and process 1 writes 2. In state 6 process 1 has written last, and in state 7 process 0.
  for (const std::uint8_t last : {std::uint8_t{6}, std::uint8_t{7}}) {
    const Picture picture{
        {{2, 0, 1}, {0, 1, 2, true}, {1, 1, 5}, {0, 5, 4, true}, {0, 2, 3}, {1, 2, 4}, {1, 3, 6}, {0, 4, 7}},
        last};
    for (const bool reduce : {false, true}) {
      const Report report = check_without_files<Searches::depth_first>(
          "picture", picture, {.strategy = "bcs", .max_preemptions = 0, .reduce = reduce});
      EXPECT_TRUE(report.failed()) << unsigned{last} << (reduce ? ", reduced" : "");
    }
  }
}

/// The failures that a search has reported, in order, without the paths.
std::vector<std::tuple<ViolationKind, unsigned, std::size_t, std::string, std::string>> failures_of(
    const Report& report) {
  std::vector<std::tuple<ViolationKind, unsigned, std::size_t, std::string, std::string>> failures;
  for (const Violation& violation : report.violations) {
    const std::string& last = violation.path.empty() ? violation.initial : violation.path.back().state;
    failures.emplace_back(
        violation.kind, violation.preemptions, violation.path.size(), last, violation.message);
  }
  return failures;
}

TEST(SearchesOfModels, WithSeveralWorkersFindTheSame) {
  on_random_models([](const RandomModel& model) {
    const EndlessModel endless{model};
    for (const char* strategy : {"bfs", "icb"}) {
      RC_LOG() << strategy << "\n";
      const Report one = check_without_files<Searches::breadth_first>(
          "random", endless, {.strategy = strategy, .keep_going = true});
      const Report three = check_without_files<Searches::breadth_first>(
          "random", endless, {.strategy = strategy, .jobs = 3, .keep_going = true});
      RC_ASSERT(three.verdict == one.verdict);
      RC_ASSERT(three.states == one.states);
      RC_ASSERT(three.visits == one.visits);
      RC_ASSERT(three.transitions == one.transitions);
      RC_ASSERT(three.depth == one.depth);
      RC_ASSERT(failures_of(three) == failures_of(one));
      for (std::size_t n = 0; n < three.bounds.size(); ++n)
        RC_ASSERT(three.bounds[n].states == one.bounds.at(n).states);
    }
  });
}

/// Checks the costs of failures, in order: the steps of a search that counts no preemptions, otherwise the
/// preemptions.
void expect_least(const Report& report, const LeastCosts& least, unsigned Cost::*counted) {
  std::vector<unsigned> expected;
  for (const auto& [failure, cost] : least.failures) expected.push_back(cost.*counted);
  std::sort(expected.begin(), expected.end());
  if (expected.size() > kMostViolations) expected.resize(kMostViolations);
  std::vector<unsigned> found;
  for (const Violation& violation : report.violations) {
    const Cost cost{violation.preemptions, static_cast<unsigned>(violation.path.size())};
    found.push_back(cost.*counted);
  }
  RC_ASSERT(found == expected);
}

TEST(SearchesOfModels, ByBreadthReportTheFailuresWithTheFewestStepsFirst) {
  on_random_models([](const RandomModel& model) {
    const LeastCosts least = least_costs(model, true);
    const EndlessModel endless{model};
    expect_least(check_without_files<Searches::breadth_first>("random", endless, {.keep_going = true}), least,
        &Cost::steps);
    const Report first = check_without_files<Searches::breadth_first>("random", endless);
    RC_ASSERT(first.failed() == !least.failures.empty());
    if (!first.failed()) return;
    unsigned steps = ~0U;
    for (const auto& [failure, cost] : least.failures) steps = std::min(steps, cost.steps);
    RC_ASSERT(first.violations.front().path.size() == steps);
  });
}

TEST(SearchesOfModels, ByPreemptionsReportTheFailuresWithTheFewestPreemptionsFirst) {
  on_random_models([](const RandomModel& model) {
    const LeastCosts least = least_costs(model, false);
    const EndlessModel endless{model};
    expect_least(check_without_files<Searches::breadth_first>(
                     "random", endless, {.strategy = "icb", .keep_going = true}),
        least, &Cost::preemptions);
    for (const unsigned bound : {0U, 1U, unbounded}) {
      RC_LOG() << "bound " << bound << "\n";
      Cost expected{~0U, 0};
      for (const auto& [failure, cost] : least.failures) expected = std::min(expected, cost);
      const Report first = check_without_files<Searches::breadth_first>(
          "random", endless, {.strategy = "icb", .max_preemptions = bound});
      RC_ASSERT(first.failed() == (!least.failures.empty() && expected.preemptions <= bound));
      if (!first.failed()) continue;
      const Violation& violation = first.violations.front();
      RC_ASSERT(violation.preemptions == expected.preemptions);
      const auto is_preemption = [](const PathStep& step) { return step.preempts; };
      const auto counted = std::count_if(violation.path.begin(), violation.path.end(), is_preemption);
      RC_ASSERT(static_cast<unsigned>(counted) == violation.preemptions);
    }
  });
}

TEST(SearchesOfModels, WithADepthVisitExactlyTheStatesWithinIt) {
  on_random_models([](const RandomModel& model) {
    const Facts known = facts(model);
    const LeastCosts least = least_costs(model, true);
    for (const std::uint32_t depth : {1U, 3U, 6U}) {
      RC_LOG() << "depth " << depth << "\n";
      const std::set<State> expected = at_most(known.depth, depth);
      const bool a_step_fails = has_failure(least, ViolationKind::step, ~0U, depth);
      expect_exactly(run(model, {.strategy = "bfs", .max_depth = depth}), expected, model, a_step_fails);
      for (const Revisits revisits : {Revisits::less_depth, Revisits::threshold}) {
        for (const std::uint32_t step : {0U, 1U, 2U, 4U}) {
          for (const Frontier frontier : {Frontier::states, Frontier::traces, Frontier::tree}) {
            RC_LOG() << "step " << step << ", revisits " << static_cast<int>(revisits) << ", frontier "
                     << static_cast<int>(frontier) << "\n";
            expect_exactly(run(model, {.strategy = "depth",
                                          .max_depth = depth,
                                          .depth_step = step,
                                          .revisits = revisits,
                                          .frontier = frontier}),
                expected, model, a_step_fails);
          }
        }
      }
    }
  });
}

TEST(SearchesOfModels, WithABoundAndADepthVisitExactlyTheStatesWithinBoth) {
  on_random_models([](const RandomModel& model) {
    for (const unsigned bound : {0U, 1U, 2U, unbounded}) {
      const LeastSteps least = least_steps(model, bound);
      for (const std::uint32_t depth : {1U, 3U, 6U, 9U}) {
        RC_LOG() << "bound " << bound << ", depth " << depth << "\n";
        const bool a_step_fails =
            std::any_of(least.failures.begin(), least.failures.end(), [&](const auto& failure) {
              return std::get<0>(failure.first) == ViolationKind::step && failure.second <= depth;
            });
        const Outcome found = run(model, {.strategy = "bcs", .max_preemptions = bound, .max_depth = depth});
        expect_exactly(found, at_most(least.states, depth), model, a_step_fails);
      }
    }
  });
}

TEST(SearchesOfModels, ThatShortenFindAPathWithTheFewestSteps) {
  unsigned shortened = 0;
  on_random_models([&shortened](const RandomModel& model) {
    const EndlessModel endless{model};
    const auto search = [&](const char* strategy, unsigned bound, bool reduce, bool shorten) {
      return check_without_files<Searches::depth_first>("random", endless,
          {.strategy = strategy, .max_preemptions = bound, .reduce = reduce, .shorten = shorten});
    };
    const auto steps_of = [](const Report& report) { return report.violations.front().path.size(); };
    for (const unsigned bound : {0U, 1U, 2U, unbounded}) {
      RC_LOG() << "bound " << bound << "\n";
      std::size_t fewest = ~std::size_t{0};
      for (const auto& [failure, steps] : least_steps(model, bound).failures)
        fewest = std::min<std::size_t>(fewest, steps);
      for (const char* strategy : {"bcs", "dfs"}) {
        if (strategy == std::string_view("dfs") && bound != unbounded) continue;
        const Report longer = search(strategy, bound, false, false);
        const Report shorter = search(strategy, bound, false, true);
        RC_ASSERT(shorter.failed() == (fewest != ~std::size_t{0}));
        RC_ASSERT(shorter.states >= longer.states);
        if (!shorter.failed()) continue;
        RC_ASSERT(shorter.violations.size() == std::size_t{1});
        RC_ASSERT(steps_of(shorter) == fewest);
        RC_ASSERT(shorter.violations.front().preemptions <= bound);
        RC_ASSERT(shorter.note == "no shorter path to a failure was found");
        shortened += steps_of(longer) > fewest ? 1 : 0;
      }
      // With a reduction, the paths that it explores are shortened.
      const Report longer = search("bcs", bound, true, false);
      const Report shorter = search("bcs", bound, true, true);
      RC_ASSERT(shorter.failed() == longer.failed());
      if (shorter.failed()) RC_ASSERT(steps_of(shorter) <= steps_of(longer));
    }
  });
  EXPECT_GT(shortened, 0U);
}

TEST(SearchesOfModels, WithAReductionFindTheSameViolations) {
  on_random_models([](const RandomModel& model) {
    const Facts known = facts(model);
    const LeastCosts least = least_costs(model, false);
    const std::set<State> reachable = at_most(known.depth, ~0U);
    const auto is_forbidden = [&](const State& state) { return state.value == model.forbidden; };
    const EndlessModel endless{model};
    for (const char* strategy : {"dfs", "bcs"}) {
      const Outcome found = run<Searches::depth_first>(endless, {.strategy = strategy, .reduce = true});
      const bool fails = std::any_of(reachable.begin(), reachable.end(), is_forbidden);
      RC_ASSERT(found.report.failed() == (fails || known.has_dead_end || known.has_failing_step));
      if (found.report.violations.size() == kMostViolations) continue;
      RC_ASSERT(has_violation(found.report, ViolationKind::invariant) == fails);
      RC_ASSERT(has_violation(found.report, ViolationKind::deadlock) == known.has_dead_end);
      RC_ASSERT(has_violation(found.report, ViolationKind::step) == known.has_failing_step);
    }
    for (unsigned bound = 0; bound < 4; ++bound) {
      RC_LOG() << "bound " << bound << "\n";
      const std::set<State> within = at_most(known.preemptions, bound);
      const Outcome found = run(model, {.strategy = "bcs", .max_preemptions = bound, .reduce = true});
      // It may find more, because steps of the reduction are free.
      const bool fails = std::any_of(within.begin(), within.end(), is_forbidden);
      if (fails || has_failure(least, ViolationKind::step, bound)) RC_ASSERT(found.report.failed());
    }
  });
}

TEST(SearchesOfModels, ThatLoseStatesNeverPass) {
  unsigned lost = 0;
  on_random_models([&lost](const RandomModel& model) {
    const Facts known = facts(model);
    for (unsigned bound = 0; bound < 3; ++bound) {
      const Outcome found =
          run(model, {.strategy = "bcs", .max_preemptions = bound}, {.forgets_processes = true});
      if (!found.report.failed()) RC_ASSERT(found.report.verdict == Verdict::passed_sample);
      if (found.report.violations.empty()) lost += found.states != at_most(known.preemptions, bound) ? 1 : 0;
    }
    const Outcome found = run(model, {.strategy = "depth", .max_depth = 3}, {.never_revisits = true});
    if (!found.report.failed()) RC_ASSERT(found.report.verdict == Verdict::passed_sample);
    if (found.report.violations.empty()) lost += found.states != at_most(known.depth, 3) ? 1 : 0;
  });
  EXPECT_GT(lost, 0U);
}

TEST(SearchesOfModels, BySwarmsVisitExactlyTheReachableStates) {
  on_random_models([](const RandomModel& model) {
    const Facts known = facts(model);
    const std::set<State> reachable = at_most(known.depth, ~0U);
    for (const unsigned jobs : {1U, 3U}) {
      const Report report = check_without_files<Searches::all>(
          "random", model, {.strategy = "swarm", .jobs = jobs, .seed = 7, .keep_going = true});
      const bool fails = std::any_of(reachable.begin(), reachable.end(),
          [&](const State& state) { return state.value == model.forbidden; });
      RC_ASSERT(report.failed() == (fails || known.has_failing_step));
      if (report.violations.size() < kMostViolations) RC_ASSERT(report.states == reachable.size());
    }
  });
}

TEST(SearchesOfModels, ByRandomWalksVisitOnlyReachableStates) {
  on_random_models([](const RandomModel& model) {
    const std::set<State> reachable = at_most(facts(model).depth, ~0U);
    const Outcome found = run(model, {.strategy = "random", .max_depth = 20, .max_walks = 50});
    RC_ASSERT(std::includes(reachable.begin(), reachable.end(), found.states.begin(), found.states.end()));
    RC_ASSERT(found.report.states == found.states.size());
    if (!found.report.failed()) RC_ASSERT(found.report.verdict == Verdict::passed_sample);
  });
}

TEST(SearchesOfModels, WithBitsVisitAllStatesIfThereIsRoom) {
  on_random_models([](const RandomModel& model) {
    const Facts known = facts(model);
    for (unsigned bound = 0; bound < 3; ++bound) {
      const Outcome found = run(model,
          {.strategy = "bcs", .store = Store::bitstate, .max_preemptions = bound, .bitstate_log2 = 20});
      if (!found.report.failed()) RC_ASSERT(found.report.verdict == Verdict::passed_sample);
      const std::set<State> within = at_most(known.preemptions, bound);
      RC_ASSERT(std::includes(within.begin(), within.end(), found.states.begin(), found.states.end()));
    }
    const Outcome all = run(model, {.strategy = "dfs", .store = Store::bitstate, .bitstate_log2 = 20});
    if (all.report.violations.size() < kMostViolations) RC_ASSERT(all.states == at_most(known.depth, ~0U));
  });
}

}  // namespace

}  // namespace hocket::model::test
