// Siegel's paper on what is wrong with the reduction of a model that an automaton watches.
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/search/check.hpp"
#include "samples/models/peterson.hpp"
#include "samples/models/stuttering.hpp"
#include "scheduler/api/number_text.hpp"

#include "tools/tables/papers/papers.hpp"
#include "tools/tables/papers/small_programs.hpp"

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

/// How many of the accepted paths the reduced searches miss, and the smallest program of which one does.
std::string counterexamples(const std::vector<Automaton>& automata, unsigned most_states) {
  std::string text;
  for (const FlawedReduction reduction : {FlawedReduction::v0, FlawedReduction::v1}) {
    const Enumeration all = enumerate_programs(automata, most_states, reduction);
    if (text.empty()) {
      text = hocket::number_text(all.programs) + " programs of at most " + std::to_string(most_states) +
             " states, " + hocket::number_text(all.reducible) + " of which can be reduced";
      if (all.automata > 1) text += ", " + hocket::number_text(all.automata) + " automata";
      text += ": of " + hocket::number_text(all.accepted) + " accepted products ";
    }
    text +=
        (reduction == FlawedReduction::v0 ? "V0 misses " : ", V1 misses ") + hocket::number_text(all.missed);
    if (all.missed != 0) text += " (" + all.smallest + ")";
  }
  return text;
}

/// The same, where Theorem 1 says that there are none.
std::string none_in_normal_form(const std::vector<Automaton>& automata, unsigned most_states) {
  if (enumerate_programs(automata, most_states, FlawedReduction::v1).missed != 0)
    throw std::runtime_error("a reduced search with an automaton in normal form misses a path");
  return counterexamples(automata, most_states);
}

constexpr const char* kMissed = "`hocket_more_model_tests --gtest_filter=ASearchWithAnAutomaton.Reduced*`";
constexpr const char* kRandom = "`hocket_more_model_tests --gtest_filter=SearchesWithAutomata.*`";
constexpr const char* kEnumerated = "`hocket_tables papers --paper automata`";
constexpr const char* kForm = "`hocket_more_model_tests --gtest_filter=TheStutterNormalForm.*`";
constexpr const char* kPeterson = kEnumerated;
constexpr const char* kOther =
    "The model is not in the paper; ours waits in one step, so compare the ratios.";

const std::array<Row, 15> kRows{{
    {"Figure 1: automaton B1", kMissed, "V0 misses the path, V1 finds it",
        [] { return found_by_each(stuttering::kFirstNotPThenP); }, "",
        "V0 decides which steps are explored by the state to which the automaton goes, V1 by the one from "
        "which it "
        "comes. Only tests, and this page, use them."},
    {"Figure 2: B1 in Promela", "`tools/compare-with-spin`", "Spin 6.4.9 misses it", nullptr,
        "Spin 6.5.2 finds it without its reduction, and misses it with it",
        "The script fails if Spin does something else; Hocket is in the row above."},
    {"Figure 3: automaton B2", kMissed, "V1 misses the path, too",
        [] { return found_by_each(stuttering::kTheSameByTwoWays); }, "",
        "In [stutter normal form](models.md#automata) both are sound."},
    {"Figure 4: B3 and its normal form, B4", kForm, "2 and 4 states", nullptr,
        "the same automata; the construction is checked on random ones", ""},
    {"Figure 5, B1: counterexamples to V0 and V1 among all programs up to a size", kEnumerated,
        "V0: found, V1: none", [] { return counterexamples({stuttering::kFirstNotPThenP}, 4); }, "",
        "Programs have two operations, there up to three; and Hocket's depth-first search decides what is "
        "explored alone, where Alloy tries all ways."},
    {"Figure 5, B2", kEnumerated, "V0: found, V1: found",
        [] { return counterexamples({stuttering::kTheSameByTwoWays}, 4); }, "", "The same."},
    {"Figure 5, B3", kEnumerated, "none", [] { return counterexamples({stuttering::kFinitelyOften}, 4); }, "",
        "The same."},
    {"Figure 5, B4", kEnumerated, "none",
        [] { return none_in_normal_form({stuttering::kFinitelyOftenInNormalForm}, 4); }, "", "The same."},
    {"Figure 5, B5: all automata in normal form", kEnumerated, "none",
        [] { return none_in_normal_form(automata_in_normal_form(3), 4); }, "",
        "Automata have three states, there up to four; besides, random ones are tried by "
        "`hocket_more_model_tests --gtest_filter=SearchesWithAutomata.*`."},
    {"Section 8: is V1 sound if each state of the automaton has a language that is invariant under "
     "stuttering?",
        kEnumerated, "open",
        [] {
          std::vector<Automaton> automata = automata_invariant_in_each_state(2, 8);
          const std::vector<Automaton> larger = automata_invariant_in_each_state(3, 5);
          automata.insert(automata.end(), larger.begin(), larger.end());
          return counterexamples(automata, 3);
        },
        "", "All automata with two states, and those with three and at most five edges. That is no proof."},
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
