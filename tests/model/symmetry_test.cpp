// Searches through representatives of symmetric states, against a plain statement of what can happen without
// them.
#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "random_model.hpp"
#include "random_models.hpp"

namespace hocket::model::test {

namespace {

using ::testing::HasSubstr;

/// Every process can take the moves of every other one. The representative has sorted places, or, if the
/// model is lazy, places in which two neighbours were exchanged that were in the wrong order: that is no
/// normal form.
struct SymmetricModel : RandomModel {
  explicit SymmetricModel(const RandomModel& model) : RandomModel(model) {
    moves.clear();
    for (unsigned process = 0; process < kProcesses; ++process) {
      for (Move move : model.moves) {
        move.process = process;
        moves.push_back(move);
      }
    }
  }
  bool is_lazy = false;

  [[nodiscard]] State canonical(State state) const {
    auto& place = state.place;
    if (!is_lazy) {
      std::ranges::sort(place);
    } else if (const auto wrong = std::ranges::is_sorted_until(place); wrong != place.end()) {
      std::iter_swap(wrong - 1, wrong);
    }
    return state;
  }
};

/// In which no state may be a dead end.
struct EndlessSymmetricModel : SymmetricModel {
  using SymmetricModel::SymmetricModel;
  [[nodiscard]] static bool may_end(const State& /*state*/) { return false; }
};

struct AcceptingSymmetricModel : SymmetricModel {
  using SymmetricModel::SymmetricModel;
  [[nodiscard]] bool accepting(const State& state) const { return state.value == forbidden; }
  [[nodiscard]] static bool holds(const State& /*state*/) { return true; }
};

/// The states to which a path leads, the initial one included.
std::vector<State> states_of(const RandomModel& model, const Violation& violation) {
  std::vector<State> states{RandomModel::initial()};
  for (const PathStep& step : violation.path) {
    std::vector<const Move*> possible;
    for (const Move& move : model.moves) {
      if (RandomModel::is_possible(move, states.back())) possible.push_back(&move);
    }
    const Move& move = *possible.at(step.choice);
    RC_ASSERT(move.process * model.stride == step.process);
    if (!move.fails) states.push_back(RandomModel::after(move, states.back()));
  }
  return states;
}

constexpr Searches kSearchesOfSymmetry =
    Searches::breadth_first | Searches::depth_first | Searches::depth_bounded | Searches::swarm;

std::vector<Options> complete_searches() {
  return {{.strategy = "bfs"}, {.strategy = "bfs", .jobs = 3}, {.strategy = "bfs", .store = Store::hash},
      {.strategy = "dfs"}, {.strategy = "dfs", .store = Store::hash},
      {.strategy = "depth", .max_depth = 100, .depth_step = 2}, {.strategy = "swarm", .seed = 7}};
}

TEST(SearchesOfSymmetricModels, VisitExactlyTheRepresentativesOfTheReachableStates) {
  std::uint64_t all = 0;
  std::uint64_t representatives = 0;
  on_random_models([&](const RandomModel& random) {
    const SymmetricModel model(random);
    std::set<State> expected;
    const Facts known = facts(model);
    for (const auto& [state, depth] : known.depth) {
      expected.insert(model.canonical(state));
      ++all;
    }
    representatives += expected.size();
    const bool fails =
        std::ranges::any_of(expected, [&](const State& state) { return state.value == model.forbidden; });
    for (Options options : complete_searches()) {
      RC_LOG() << options.strategy << ", " << options.jobs << " jobs\n";
      options.keep_going = true;
      const Report report = check_without_files<kSearchesOfSymmetry>("symmetric", model, options);
      RC_ASSERT(report.failed() == (fails || known.has_failing_step));
      for (const Violation& violation : report.violations) {
        const State last = states_of(model, violation).back();
        if (violation.kind == ViolationKind::invariant) RC_ASSERT(last.value == model.forbidden);
      }
      if (report.violations.size() < kMostViolations) RC_ASSERT(report.states == expected.size());
      if (options.strategy != "bfs" || options.jobs != 1 || options.store != Store::exact) continue;
      SymmetricModel lazy = model;
      lazy.is_lazy = true;
      const Report larger = check_without_files<kSearchesOfSymmetry>("symmetric", lazy, options);
      RC_ASSERT(larger.verdict == report.verdict);
      for (const Violation& violation : larger.violations) {
        const State last = states_of(model, violation).back();
        if (violation.kind == ViolationKind::invariant) RC_ASSERT(last.value == model.forbidden);
      }
      if (larger.violations.size() < kMostViolations) {
        RC_ASSERT(larger.states >= expected.size());
        RC_ASSERT(larger.states <= known.depth.size());
      }
    }
  });
  EXPECT_LT(representatives * 2, all);
}

TEST(SearchesOfSymmetricModels, FindADeadEndAlsoWithAReduction) {
  on_random_models([](const RandomModel& random) {
    EndlessSymmetricModel model(random);
    model.is_lazy = random.forbidden % 2 == 0;
    const Facts known = facts(model);
    const bool fails = std::ranges::any_of(
        known.depth, [&](const auto& place) { return place.first.value == model.forbidden; });
    for (const bool reduce : {false, true}) {
      const Report report = check_without_files<Searches::depth_first>(
          "symmetric", model, {.strategy = "dfs", .reduce = reduce});
      RC_ASSERT(report.failed() == (fails || known.has_dead_end || known.has_failing_step));
      for (const Violation& violation : report.violations) {
        const State last = states_of(model, violation).back();
        if (violation.kind == ViolationKind::invariant) RC_ASSERT(last.value == model.forbidden);
        if (violation.kind == ViolationKind::deadlock) {
          RC_ASSERT(std::ranges::none_of(
              model.moves, [&](const Move& move) { return RandomModel::is_possible(move, last); }));
        }
      }
    }
  });
}

TEST(SearchesOfSymmetricModels, FindTheCyclesThatThereAreWithoutSymmetry) {
  unsigned found = 0;
  on_random_models([&found](const RandomModel& random) {
    const AcceptingSymmetricModel model(random.without_failing_steps());
    struct Plain : RandomModel {
      [[nodiscard]] bool accepting(const State& state) const { return state.value == forbidden; }
      [[nodiscard]] static bool holds(const State& /*state*/) { return true; }
    };
    const Report plain =
        check_without_files<Searches::depth_first>("plain", Plain{model}, {.strategy = "dfs"});
    const Report report = check_without_files<Searches::depth_first>("symmetric", model, {.strategy = "dfs"});
    RC_ASSERT(report.failed() == plain.failed());
    if (!report.failed()) return;
    ++found;
    const Violation& violation = report.violations.front();
    const std::vector<State> states = states_of(model, violation);
    RC_ASSERT(states.back() == states.at(violation.cycle_begin));
    RC_ASSERT(violation.path.size() > violation.cycle_begin);
    const auto begin = states.begin() + static_cast<std::ptrdiff_t>(violation.cycle_begin);
    RC_ASSERT(std::any_of(begin, states.end(), [&](const State& state) { return model.accepting(state); }));
  });
  EXPECT_GT(found, 10U);
}

/// Two processes that count to two, and a representative that a function chooses.
template <typename Choose>
struct TwoCounters {
  struct State {
    std::array<std::uint8_t, 2> count{};
    friend bool operator==(const State&, const State&) = default;
  };
  static State initial() { return {}; }
  static void successors(const State& state, Emit<State> emit) {
    for (unsigned p = 0; p < 2; ++p) {
      State next = state;
      if (++next.count[p] <= 2) emit(p, "count", next);
    }
  }
  [[nodiscard]] static bool holds(const State& state) { return state.count[0] < 2 || state.count[1] != 1; }
  static State canonical(const State& state) { return Choose{}(state.count); }
};

struct Sorted {
  template <typename Count>
  auto operator()(Count count) const {
    std::ranges::sort(count);
    return typename TwoCounters<Sorted>::State{count};
  }
};
struct ForgetfulSymmetry {
  template <typename Count>
  auto operator()(Count count) const {
    if (count == Count{1, 0}) count = {};
    return typename TwoCounters<ForgetfulSymmetry>::State{count};
  }
};

TEST(AFunctionThatIsNoSymmetry, IsNoticed) {
  const Report unlike = check_without_files<Searches::breadth_first>("unlike", TwoCounters<Sorted>{});
  EXPECT_EQ(unlike.verdict, Verdict::nondeterministic);
  EXPECT_EQ(unlike.explanation,
      "canonical() is no symmetry of the model: a state and its representative differ in holds()");
  const Report forgetful =
      check_without_files<Searches::breadth_first>("forgetful", TwoCounters<ForgetfulSymmetry>{});
  EXPECT_EQ(forgetful.verdict, Verdict::nondeterministic);
  EXPECT_EQ(forgetful.explanation,
      "canonical() is no symmetry of the model: a state and its representative have different steps");
}

TEST(ASymmetricModel, IsNotSearchedByProcess) {
  const SymmetricModel model(RandomModel{});
  const auto message_for = [&](const Options& options) {
    try {
      check_without_files<kSearchesOfSymmetry>("symmetric", model, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message_for({.strategy = "icb"}), HasSubstr("icb counts the preemptions of processes"));
  EXPECT_THAT(
      message_for({.strategy = "bcs"}), HasSubstr("use another strategy, or a model without canonical()"));
  EXPECT_THAT(message_for({.strategy = "dfs", .weak_fairness = true}), HasSubstr("weak_fairness"));
}

}  // namespace

}  // namespace hocket::model::test
