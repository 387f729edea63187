// Infinite paths that an automaton accepts: the search for them, and what reductions of it lose.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "random_lassos.hpp"
#include "random_model.hpp"
#include "random_models.hpp"
#include "samples/models/peterson.hpp"
#include "samples/models/stuttering.hpp"

namespace hocket::model::test {

namespace {

using Letter = Automaton::Letter;
using samples::stuttering::kFinitelyOften;
using samples::stuttering::kFinitelyOftenInNormalForm;
using samples::stuttering::kFirstNotPThenP;
using samples::stuttering::kNotP;
using samples::stuttering::kP;
using samples::stuttering::kTheSameByTwoWays;
using samples::stuttering::OneBit;
using samples::stuttering::Watched;
using ::testing::HasSubstr;

// ---------------------------------------------------------------------------------------------------------------------
// Siegel's counterexamples

constexpr Searches kBoth = Searches::breadth_first | Searches::depth_first;

Report check_one_bit(const Automaton& automaton, const Options& options, const Flaws& flaws = {}) {
  return check_without_files<kBoth>("one bit", Watched<OneBit>{{}, automaton}, options, flaws);
}

TEST(ASearchWithAnAutomaton, FindsAPathThatItAccepts) {
  for (const Automaton& automaton : {kFirstNotPThenP, kTheSameByTwoWays}) {
    const Report report = check_one_bit(automaton, {});
    ASSERT_EQ(report.violations.size(), 1);
    const Violation& violation = report.violations.front();
    EXPECT_EQ(violation.kind, ViolationKind::accepted_path);
    EXPECT_THAT(violation.message, HasSubstr("a path that the automaton accepts: step "));
    ASSERT_EQ(violation.path.size(), violation.cycle_begin + 1);
    EXPECT_EQ(violation.path.back().action, "alpha");
    EXPECT_EQ(std::count_if(violation.path.begin(), violation.path.end(),
                  [](const PathStep& step) { return step.action == "beta"; }),
        1);
  }
}

TEST(ASearchWithAnAutomaton, ReducedAsItWasPublishedFirstMissesPaths) {
  for (const Automaton& automaton : {kFirstNotPThenP, kTheSameByTwoWays}) {
    const Report report = check_one_bit(automaton, {}, {.reduction = FlawedReduction::v0});
    EXPECT_EQ(report.verdict, Verdict::passed_sample);
    EXPECT_EQ(report.note,
        "the reduction of the product with the automaton is unsound and may have left out a path");
  }
}

TEST(ASearchWithAnAutomaton, ReducedByTheStateBeforeMissesPathsOfSomeAutomata) {
  const Flaws flaws{.reduction = FlawedReduction::v1};
  EXPECT_EQ(check_one_bit(kFirstNotPThenP, {}, flaws).verdict, Verdict::failed);
  EXPECT_EQ(check_one_bit(kTheSameByTwoWays, {}, flaws).verdict, Verdict::passed_sample);
}

TEST(ASearchWithAnAutomaton, ReducedInNormalFormFindsThem) {
  for (const Automaton& automaton : {kFirstNotPThenP, kTheSameByTwoWays}) {
    const Report report = check_one_bit(stutter_normal_form(automaton), {.strategy = "dfs", .reduce = true});
    EXPECT_EQ(report.verdict, Verdict::failed);
    EXPECT_EQ(report.note, "");
  }
}

TEST(ASearchWithAnAutomaton, IsNotReducedWithoutNormalForm) {
  const Automaton never{{{0, kNotP, 0}}, {}};
  const Report report = check_one_bit(never, {.strategy = "dfs", .reduce = true});
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(report.note,
      "the search for paths that the automaton accepts was not reduced, because that is sound only in "
      "stutter normal form; see stutter_normal_form()");
}

TEST(ASearchWithAnAutomaton, NoticesALocalStepThatIsVisible) {
  struct Visible : OneBit {
    static void successors(const State& state, Emit<State> emit) {
      if (!state.p) emit.local(0, "alpha", State{true});
      emit(1, "beta", state);
    }
    [[nodiscard]] static Automaton automaton() { return stutter_normal_form(kFirstNotPThenP); }
  };
  const Report report = check_without_files<Searches::breadth_first>(
      "visible", Visible{}, {}, {.reduction = FlawedReduction::v1});
  EXPECT_EQ(report.verdict, Verdict::nondeterministic);
  EXPECT_EQ(report.explanation,
      "a step that the model calls local changes letter(), so other processes can notice it");
}

// ---------------------------------------------------------------------------------------------------------------------
// The normal form

constexpr unsigned kStates = 3;
constexpr unsigned kLetters = kValues;

Automaton random_automaton() {
  Automaton automaton;
  const auto below = [](unsigned count) { return *rc::gen::inRange(0U, count); };
  for (unsigned n = 0; n < 6; ++n)
    automaton.edges.push_back({below(kStates), below(kLetters), below(kStates)});
  std::sort(automaton.edges.begin(), automaton.edges.end());
  automaton.edges.erase(std::unique(automaton.edges.begin(), automaton.edges.end()), automaton.edges.end());
  automaton.accepting.push_back(below(kStates));
  return automaton;
}

TEST(TheStutterNormalForm, AcceptsTheSameSequencesWithoutRepetitions) {
  unsigned accepted = 0;
  on_random_models([&accepted] {
    const Automaton automaton = random_automaton();
    const Automaton normal = stutter_normal_form(automaton);
    RC_ASSERT(is_in_stutter_normal_form(normal));
    // A sequence without repetitions, which may end in one letter for ever.
    std::vector<Letter> word{*rc::gen::inRange(0U, kLetters)};
    for (unsigned n = *rc::gen::inRange(0U, 6U); n != 0; --n)
      word.push_back((word.back() + 1 + *rc::gen::inRange(0U, kLetters - 1)) % kLetters);
    const std::size_t begin = *rc::gen::inRange(std::size_t{0}, word.size());
    const bool is_clean = begin + 1 == word.size() || word[begin] != word.back();
    RC_PRE(is_clean);
    const bool is_accepted = accepts(automaton, word, begin);
    accepted += is_accepted ? 1 : 0;
    RC_ASSERT(accepts(normal, word, begin) == is_accepted);
    // And the same sequence with repetitions.
    std::vector<Letter> longer;
    std::size_t longer_begin = 0;
    for (std::size_t n = 0; n < word.size(); ++n) {
      if (n == begin) longer_begin = longer.size();
      longer.insert(longer.end(), *rc::gen::inRange(std::size_t{1}, std::size_t{4}), word[n]);
    }
    RC_ASSERT(accepts(normal, longer, longer_begin) == is_accepted);
  });
  EXPECT_GT(accepted, 10);
}

TEST(TheStutterNormalForm, IsRecognised) {
  EXPECT_FALSE(is_in_stutter_normal_form(kFinitelyOften));
  EXPECT_TRUE(is_in_stutter_normal_form(kFinitelyOftenInNormalForm));
  EXPECT_TRUE(is_in_stutter_normal_form(stutter_normal_form(kFinitelyOften)));
  EXPECT_FALSE(is_in_stutter_normal_form(kFirstNotPThenP));
  EXPECT_FALSE(is_in_stutter_normal_form(kTheSameByTwoWays));
}

// ---------------------------------------------------------------------------------------------------------------------
// Random models

struct Labelled : RandomModel {
  [[nodiscard]] static bool holds(const State& /*state*/) { return true; }
  [[nodiscard]] static Letter letter(const State& state) { return state.value; }
};

using Node = std::pair<State, Automaton::State>;

std::set<Node> after(const RandomModel& model, const Automaton& automaton, const Node& node) {
  std::set<Node> nodes;
  for (const Automaton::Edge& edge : automaton.edges) {
    if (edge.from != node.second || edge.letter != node.first.value) continue;
    for (const Move& move : model.moves) {
      if (RandomModel::is_possible(move, node.first))
        nodes.emplace(RandomModel::after(move, node.first), edge.to);
    }
  }
  return nodes;
}

std::set<Node> all_after(const RandomModel& model, const Automaton& automaton, const Node& start) {
  std::set<Node> known;
  std::vector<Node> pending{start};
  while (!pending.empty()) {
    const Node node = pending.back();
    pending.pop_back();
    for (const Node& next : after(model, automaton, node)) {
      if (known.insert(next).second) pending.push_back(next);
    }
  }
  return known;
}

/// Whether some path is accepted, by definition.
bool has_accepted_path(const RandomModel& model, const Automaton& automaton) {
  const Node first{RandomModel::initial(), 0};
  std::set<Node> reached = all_after(model, automaton, first);
  reached.insert(first);
  return std::any_of(reached.begin(), reached.end(), [&](const Node& node) {
    const auto& accepting = automaton.accepting;
    const bool is_accepting = std::find(accepting.begin(), accepting.end(), node.second) != accepting.end();
    return is_accepting && all_after(model, automaton, node).contains(node);
  });
}

/// Checks that the path of a violation is one of the model, that its last part leads back to where it began,
/// and that the automaton accepts it.
void expect_accepted_path(const RandomModel& model, const Automaton& automaton, const Violation& violation) {
  RC_ASSERT(violation.kind == ViolationKind::accepted_path);
  State state = RandomModel::initial();
  State first{};
  std::vector<Letter> word;
  for (std::size_t n = 0; n < violation.path.size(); ++n) {
    if (n == violation.cycle_begin) first = state;
    word.push_back(state.value);
    std::vector<State> next;
    for (const Move& move : model.moves) {
      if (RandomModel::is_possible(move, state)) next.push_back(RandomModel::after(move, state));
    }
    state = next.at(violation.path[n].choice);
  }
  RC_ASSERT(violation.cycle_begin < word.size());
  RC_ASSERT(state == first);
  RC_ASSERT(accepts(automaton, word, violation.cycle_begin));
}

TEST(SearchesWithAutomata, FindAnAcceptedPathIfThereIsOne) {
  unsigned missed_by_v0 = 0;
  unsigned missed_by_v1 = 0;
  unsigned found = 0;
  unsigned smaller = 0;
  const bool are_many = on_random_models([&](const RandomModel& random) {
    const RandomModel model = random.without_failing_steps();
    const auto run = [&](const Automaton& automaton, const Options& options, const Flaws& flaws = {}) {
      return check_without_files<kBoth>("random", Watched<Labelled>{{model}, automaton}, options, flaws);
    };
    const Automaton plain = random_automaton();
    const Automaton normal = stutter_normal_form(plain);
    const bool expected = has_accepted_path(model, plain);
    const bool expected_of_normal = has_accepted_path(model, normal);
    found += expected_of_normal ? 1 : 0;
    for (const Store store : {Store::exact, Store::hash}) {
      const Report report = run(plain, {.strategy = "dfs", .store = store});
      RC_ASSERT(report.failed() == expected);
      if (expected) expect_accepted_path(model, plain, report.violations.front());
    }
    const Report full = run(normal, {.strategy = "dfs"});
    const Report reduced = run(normal, {.strategy = "dfs", .reduce = true});
    RC_ASSERT(full.failed() == expected_of_normal);
    RC_ASSERT(reduced.failed() == expected_of_normal);
    if (expected_of_normal) {
      expect_accepted_path(model, normal, reduced.violations.front());
    } else {
      RC_ASSERT(reduced.verdict == Verdict::passed_exhaustively);
      smaller += reduced.product_states < full.product_states ? 1 : 0;
    }
    const Report v0 = run(plain, {}, {.reduction = FlawedReduction::v0});
    const Report v1 = run(plain, {}, {.reduction = FlawedReduction::v1});
    for (const Report& flawed : {v0, v1}) {
      RC_ASSERT(flawed.verdict == Verdict::failed || flawed.verdict == Verdict::passed_sample);
      RC_ASSERT(expected || !flawed.failed());
    }
    missed_by_v0 += expected && !v0.failed() ? 1 : 0;
    missed_by_v1 += expected && !v1.failed() ? 1 : 0;
  });
  EXPECT_GT(found, 10);
  if (!are_many) return;
  EXPECT_GT(smaller, 10);
  EXPECT_GT(missed_by_v0, 0);
  EXPECT_GT(missed_by_v1, 0);
}

TEST(SearchesWithAutomata, FindAnAcceptedPathWithinABoundIfThereIsOne) {
  constexpr unsigned kMostPreemptions = 3;
  std::set<unsigned> needed;
  on_random_models([&](const RandomModel& random) {
    const RandomModel model = random.without_failing_steps();
    Automaton automaton = random_automaton();
    if (*rc::gen::arbitrary<bool>()) automaton = stutter_normal_form(automaton);
    const auto after_move = [&](const Node& node, const Move& move) {
      std::vector<Node> nodes;
      for (const Automaton::Edge& edge : automaton.edges) {
        if (edge.from == node.second && edge.letter == node.first.value)
          nodes.emplace_back(RandomModel::after(move, node.first), edge.to);
      }
      return nodes;
    };
    const auto is_accepting = [&](const Node& node) {
      const auto& accepting = automaton.accepting;
      return std::find(accepting.begin(), accepting.end(), node.second) != accepting.end();
    };
    const std::optional<unsigned> least = least_preemptions_of_lasso<Node>(
        model, kMostPreemptions, {RandomModel::initial(), 0},
        [](const Node& node) -> const State& { return node.first; }, after_move,
        [](const Node& /*node*/) { return true; }, is_accepting);
    if (least) needed.insert(*least);
    for (unsigned bound = 0; bound <= kMostPreemptions; ++bound) {
      for (const Options& options : {Options{.strategy = "bcs", .max_preemptions = bound, .reduce = true},
               Options{.strategy = "icb", .store = Store::hash, .max_preemptions = bound}}) {
        const Report report =
            check_without_files<kBoth>("random", Watched<Labelled>{{model}, automaton}, options);
        expect_report_within(report, bound, least);
        if (report.failed()) expect_accepted_path(model, automaton, report.violations.front());
      }
    }
  });
  EXPECT_GE(needed.size(), 2);
}

// ---------------------------------------------------------------------------------------------------------------------
// Peterson's lock

TEST(PetersonsLock, BlocksNoProcessForEver) {
  using samples::peterson::Peterson;
  const auto run = [](const Automaton& automaton, const Options& options) {
    const Watched<Peterson<3>> peterson{{}, automaton};
    const Report report = check_without_files<Searches::depth_first>("Peterson", peterson, options);
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
    return report.product_states;
  };
  EXPECT_EQ(run(kFinitelyOften, {.strategy = "dfs"}), 1'222);
  EXPECT_EQ(run(kFinitelyOftenInNormalForm, {.strategy = "dfs"}), 1'398);
  EXPECT_LT(run(kFinitelyOftenInNormalForm, {.strategy = "dfs", .reduce = true}), 1'000);
}

}  // namespace

}  // namespace hocket::model::test
