// Siegel's paper on what is wrong with the reduction of a model that an automaton watches.
#include <array>
#include <string>
#include <vector>

#include "model/search/check.hpp"
#include "samples/models/peterson.hpp"
#include "samples/models/stuttering.hpp"
#include "scheduler/api/number_text.hpp"

#include "tools/tables/papers/papers.hpp"

namespace papers {

namespace {

using hocket::model::Automaton;
using hocket::model::FlawedReduction;
using hocket::model::Flaws;
using hocket::model::Options;
using hocket::model::Report;
using hocket::model::detail::Searches;
namespace stuttering = samples::stuttering;

template <typename M>
Report search(const Automaton& automaton, bool reduce, const Flaws& flaws = {}) {
  return hocket::model::detail::check_by<Searches::depth_first>("watched",
      stuttering::Watched<M>{{}, automaton},
      Options{.strategy = "dfs",
          .store = hocket::model::Store::hash,
          .reduce = reduce,
          .try_saved = false,
          .save_schedules = false},
      flaws);
}

/// Whether each search finds the path that the automaton accepts.
std::string found_by_each(const Automaton& automaton) {
  const auto word = [](const Report& report) {
    return std::string(report.violations.empty() ? "missed" : "found");
  };
  const auto one_bit = [&](const Automaton& watcher, bool reduce, FlawedReduction flaw) {
    return word(search<stuttering::OneBit>(watcher, reduce, {.reduction = flaw}));
  };
  return "not reduced: " + one_bit(automaton, false, FlawedReduction::none) +
         "; V0: " + one_bit(automaton, false, FlawedReduction::v0) +
         "; V1: " + one_bit(automaton, false, FlawedReduction::v1) +
         "; normal form: " + one_bit(stutter_normal_form(automaton), true, FlawedReduction::none);
}

std::string peterson(const Automaton& automaton, bool reduce, FlawedReduction flaw = FlawedReduction::none) {
  const Report report = search<samples::peterson::Peterson<5>>(automaton, reduce, {.reduction = flaw});
  return in_a_row({report.product_states, report.product_transitions}) +
         (report.violations.empty() ? "" : ", a path found");
}

constexpr const char* kMissed = "`hocket_more_model_tests --gtest_filter=ASearchWithAnAutomaton.Reduced*`";
constexpr const char* kRandom = "`hocket_more_model_tests --gtest_filter=SearchesWithAutomata.*`";
constexpr const char* kForm = "`hocket_more_model_tests --gtest_filter=TheStutterNormalForm.*`";
constexpr const char* kPeterson = "`hocket_tables papers --paper automata`";
constexpr const char* kOther =
    "The model is not in the paper; ours waits in one step, so compare the ratios.";

const std::array<Row, 12> kRows{{
    {"Figure 1: automaton B1", kMissed, "V0 misses the path, V1 finds it",
        [] { return found_by_each(stuttering::kFirstNotPThenP); }, "",
        "V0 decides which steps are explored by the state to which the automaton goes, V1 by the one from "
        "which it "
        "comes. Only tests, and this page, use them."},
    {"Figure 2: B1 in Promela", "none", "Spin misses it", nullptr, "not reproduced: Spin is not run on it",
        ""},
    {"Figure 3: automaton B2", kMissed, "V1 misses the path, too",
        [] { return found_by_each(stuttering::kTheSameByTwoWays); }, "",
        "In [stutter normal form](models.md#automata) both are sound."},
    {"Figure 4: B3 and its normal form, B4", kForm, "2 and 4 states", nullptr,
        "the same automata; the construction is checked on random ones", ""},
    {"Figure 5, B1 and B2 with V0 and V1: all programs up to a size", kRandom, "counterexamples", nullptr,
        "random models with random automata: counterexamples to V0 and V1",
        "Not all programs up to a size, as by Alloy there."},
    {"Figure 5, B3 and B4", "none", "no counterexample", nullptr,
        "not reproduced: programs are not enumerated", ""},
    {"Figure 5, B5: automata in normal form", kRandom, "no counterexample", nullptr,
        "random models with random automata in normal form: none", "Not all up to a size."},
    {"Figure 6, B3 not reduced: states, transitions", kPeterson, "18 964 912, 116 510 960",
        [] { return peterson(stuttering::kFinitelyOften, false); }, "", kOther},
    {"Figure 6, B3 reduced (V0)", kPeterson, "4 742 982, 13 823 705",
        [] { return peterson(stuttering::kFinitelyOften, false, FlawedReduction::v0); }, "", "The same."},
    {"Figure 6, B4 reduced", kPeterson, "4 719 514, 12 503 008",
        [] { return peterson(stuttering::kFinitelyOftenInNormalForm, true); }, "",
        "As there, the normal form takes little from what the reduction gains."},
    {"Theorem 1: V1 is sound for automata in normal form", kRandom, "proved", nullptr,
        "compared with a brute force on random models", ""},
    {"Theorem 2: each stutter-invariant automaton has a normal form", kForm, "proved", nullptr,
        "`stutter_normal_form()`: checked on random automata", ""},
}};

}  // namespace

Paper reduction_on_the_fly() {
  return {
      "automata", "S. F. Siegel, *What's Wrong with On-the-Fly Partial Order Reduction* (CAV 2019)", kRows};
}

}  // namespace papers
