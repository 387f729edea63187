// The entry point: check a model.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "../../scheduler/api/number_text.hpp"
#include "../api/model.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../schedules/report_entry.hpp"
#include "../states/bit_states.hpp"
#include "../states/flaws.hpp"
#include "../states/recorded_states.hpp"
#include "bounded_cycles.hpp"
#include "breadth_first.hpp"
#include "conclusion.hpp"
#include "cycles.hpp"
#include "depth_bounded.hpp"
#include "depth_first.hpp"
#include "following.hpp"
#include "products.hpp"
#include "random_walks.hpp"
#include "state_graph.hpp"
#include "supervised_check.hpp"
#include "swarm.hpp"

namespace hocket::model {

namespace detail {

/// The searches among which Options::strategy chooses. Each takes a compiler a second or more for each model,
/// so tests of many models name those that they use.
enum class Searches : std::uint8_t {
  breadth_first = 1,  ///< bfs and icb
  depth_first = 2,    ///< dfs and bcs
  depth_bounded = 4,  ///< depth
  random_walks = 8,   ///< random
  swarm = 16,
  all = 31
};
constexpr Searches operator|(Searches a, Searches b) {
  return static_cast<Searches>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool contains(Searches all, Searches one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

template <Model M>
std::unique_ptr<StateStore<StateOf<M>>> make_store(
    const Options& options, const Flaws& flaws, bool is_within_depth = false) {
  using State = StateOf<M>;
  if (options.store == Store::bitstate) return std::make_unique<BitStates<State>>(options);
  return std::make_unique<RecordedStates<State>>(options, flaws, is_within_depth);
}

/// Looks for shorter paths to a failure than the one that was found, and reports the shortest in its place.
template <Model M>
void shorten(Exploration<M>& exploration, const typename DepthFirst<M>::Failure& found) {
  Report& report = exploration.report;
  const auto states = std::exchange(report.states, 0);
  const auto store = make_store<M>(exploration.options, exploration.flaws, true);
  DepthFirst<M> search(exploration, *store, found);
  const bool is_complete = search.run().is_complete;
  report.states = std::max(states, report.states);
  report.violations.clear();
  const auto& [kind, choices, preemptions] = *search.failure();
  exploration.violated(kind, choices, preemptions);
  report.note = is_complete ? "no shorter path to a failure was found"
                            : "shorter paths to a failure were looked for, and perhaps not all found";
}

/// Whether the strategy's search is among those that were compiled.
template <Searches kSearches>
bool is_to_run(Searches search, std::initializer_list<std::string_view> strategies, const Options& options) {
  if (std::find(strategies.begin(), strategies.end(), options.strategy) == strategies.end()) return false;
  if (!contains(kSearches, search))
    throw std::logic_error("hocket: " + options.strategy + " was not compiled");
  return true;
}

template <Searches kSearches, Model M>
Coverage search(Exploration<M>& exploration) {
  const Options& options = exploration.options;
  if (is_to_run<kSearches>(Searches::depth_bounded, {"depth"}, options)) {
    if constexpr (contains(kSearches, Searches::depth_bounded)) return DepthBounded<M>(exploration).run();
  }
  auto store = make_store<M>(options, exploration.flaws, options.strategy == "bcs" && options.max_depth != 0);
  Coverage coverage;
  std::size_t bounds_done = 0;
  if (is_to_run<kSearches>(Searches::breadth_first, {"bfs", "icb"}, options)) {
    if constexpr (contains(kSearches, Searches::breadth_first)) {
      BreadthFirst<M> search(exploration, *store);
      coverage = search.run();
      bounds_done = search.bounds_done();
    }
  } else if (is_to_run<kSearches>(Searches::random_walks, {"random"}, options)) {
    if constexpr (contains(kSearches, Searches::random_walks))
      coverage = RandomWalks<M>(exploration, *store).run();
  } else if (is_to_run<kSearches>(Searches::swarm, {"swarm"}, options)) {
    if constexpr (contains(kSearches, Searches::swarm)) coverage = Swarm<M>(exploration, *store).run();
  } else if (is_to_run<kSearches>(Searches::depth_first, {"dfs", "bcs"}, options)) {
    if constexpr (contains(kSearches, Searches::depth_first)) {
      DepthFirst<M> search(exploration, *store);
      coverage = search.run();
      if (coverage.is_complete) bounds_done = ~std::size_t{0};
      if (coverage.is_complete && !coverage.is_everything)
        exploration.report.complete_depth = options.max_depth;
      if (options.shorten && search.failure()) {
        store->conclude(exploration.report);
        store.reset();
        shorten(exploration, *search.failure());
        return coverage;
      }
    }
  }
  Report& report = exploration.report;
  store->conclude(report);
  for (std::size_t n = 0; n < report.bounds.size(); ++n) report.bounds[n].complete = n < bounds_done;
  return coverage;
}

/// Whether cycles are to be searched within a bound on preemptions.
inline bool bounds_cycles(const Options& options) {
  const bool counts_preemptions = options.strategy == "icb" || options.strategy == "bcs";
  return counts_preemptions && options.max_preemptions != unbounded && !options.weak_fairness;
}

/// Looks for cycles that are errors: for all, after a search that has met every state, or within a bound on
/// preemptions.
template <Model M>
Coverage search_cycles(Exploration<M>& exploration) {
  Coverage coverage;
  const auto search = [&](const auto& product) {
    if (!coverage.is_complete) return;
    if (bounds_cycles(exploration.options)) {
      const Coverage found = BoundedCycles(exploration, product).run();
      coverage.is_complete = found.is_complete;
      coverage.is_everything &= found.is_everything;
    } else {
      coverage.is_complete = Cycles(exploration, product).run();
    }
  };
  if constexpr (HasAcceptance<M>) search(CycleProduct<M>(exploration, CycleKind::accepting));
  if constexpr (HasProgress<M>) search(CycleProduct<M>(exploration, CycleKind::without_progress));
  if constexpr (HasAutomaton<M>) search(AutomatonProduct<M>(exploration));
  return coverage;
}

/// Follows the path of Options::replay.
template <Model M>
void replay(Exploration<M>& exploration) {
  Report& report = exploration.report;
  report.is_replay = true;
  const SavedPath path = path_to_replay(report.model, exploration.options);
  const std::optional<std::string> difference = follow(exploration, path);
  if (!difference) {
    report.verdict = Verdict::failed;
    report.violations.back().schedule_file = path.file;
  } else if (difference->empty()) {
    report.verdict = Verdict::passed_sample;
  } else {
    report.verdict = Verdict::nondeterministic;
    report.explanation = path.file + ", " + *difference;
  }
}

/// Follows the paths that were saved for the model, until one fails again.
/// Returns whether a search is wanted.
template <Model M>
bool follow_saved_paths(Exploration<M>& exploration) {
  Report& report = exploration.report;
  for (const SavedPath& path : saved_paths(report.model, exploration.options)) {
    if (follow(exploration, path)) continue;
    report.violations.back().schedule_file = path.file;
    report.violations.back().from_saved = true;
    report.verdict = Verdict::failed;
    return false;
  }
  return true;
}

/// Throws std::invalid_argument if the options do not fit this model.
template <Model M>
void check_for_model(const Options& options) {
  if (HasAutomaton<M> && options.weak_fairness) {
    throw std::invalid_argument(
        "hocket: weak_fairness is for the members accepting and progress; the automaton of this model has to "
        "say itself which paths are fair");
  }
  if (HasHash<M> && options.store == Store::hash) {
    throw std::invalid_argument(
        "hocket: the store hash takes states with one hash for one state, which needs a hash of all members "
        "with 128 bits, and hash() of this model has 64; use exact, or a model without hash()");
  }
  if (HasSymmetry<M> && (options.strategy == "icb" || options.strategy == "bcs")) {
    throw std::invalid_argument("hocket: " + options.strategy +
                                " counts the preemptions of processes, which canonical() exchanges; use "
                                "another strategy, or a model without canonical()");
  }
  if (HasSymmetry<M> && options.weak_fairness) {
    throw std::invalid_argument(
        "hocket: weak_fairness is about each process, and canonical() exchanges processes; use a model "
        "without canonical()");
  }
}

/// Notes what a reader of a pass has to know about the search for cycles.
template <Model M>
void note_search_of_cycles(Exploration<M>& exploration, const Coverage& coverage) {
  const Options& options = exploration.options;
  std::string& note = exploration.report.note;
  const bool is_reduction_wanted = options.reduce && exploration.flaws.reduction == FlawedReduction::none;
  if (bounds_cycles(options)) {
    if (coverage.is_everything || !exploration.report.violations.empty()) return;
    note = "cycles were searched for that need at most " + count_text(options.max_preemptions, "preemption") +
           " on the way and in one round";
    if (is_reduction_wanted) note += ", without a reduction";
    return;
  }
  if constexpr (HasAutomaton<M>) {
    if (is_reduction_wanted && !is_in_stutter_normal_form(automaton_of(exploration.model))) {
      note =
          "the search for paths that the automaton accepts was not reduced, because that is sound only in "
          "stutter normal form; see stutter_normal_form()";
    }
  }
}

template <Searches kSearches, Model M>
void search_and_conclude(Exploration<M>& exploration) {
  const Options& options = exploration.options;
  Report& report = exploration.report;
  Coverage coverage{false, false};
  std::string contradiction;
  try {
    coverage = search<kSearches>(exploration);
    if constexpr (HasAcceptance<M> || HasProgress<M> || HasAutomaton<M>) {
      const bool is_within_preemptions = bounds_cycles(options) && options.max_depth == 0;
      const bool is_covered = coverage.is_complete && (coverage.is_everything || is_within_preemptions);
      if (is_covered && (report.violations.empty() || options.keep_going)) {
        const Coverage of_cycles = search_cycles(exploration);
        coverage.is_complete = of_cycles.is_complete;
        coverage.is_everything &= of_cycles.is_everything;
        note_search_of_cycles(exploration, coverage);
      } else {
        report.note = "cycles were not searched for, because not every state was met";
      }
    }
  } catch (const ModelError& error) {
    contradiction = error.what();
  } catch (const std::bad_alloc&) {
    exploration.limits.stop("the memory of the machine");
  } catch (const StateSetIsFull&) {
    exploration.limits.stop("the most states that a search can store, about four billion");
  }
  conclude(report, options, exploration.flaws, exploration.limits, coverage, std::move(contradiction));
  if (HasHash<M> && report.verdict == Verdict::passed_sample && options.store == Store::bitstate)
    report.note += "; states to which hash() of the model gives one number are taken for one, too";
  SupervisedCheck::begin_anew_if_broken(report);
  const bool is_saved = options.save_schedules && !report.violations.empty();
  if (is_saved || has_report_file()) {
    report.members = names_of_members<M>();
    report.graph = StateGraphBuilder<M>(exploration.model).build();
  }
  save_paths(report, options);
  SupervisedCheck::begin_anew_if_broken(report);
}

/// check(), with these searches alone, and with flaws.
template <Searches kSearches, Model M>
Report check_by(std::string_view name, const M& model, Options options, const Flaws& flaws = {}) {
  options = with_settings(std::move(options));
  check(options);
  static_assert(
      HasAutomaton<M> || !requires { model.automaton(); },
      "a model with automaton() needs letter(const State&)");
  static_assert(
      HasProperty<M> || !requires { model.property(); },
      "property() of a model has to return leads_to() or its like, of predicates that take a const State&");
  static_assert(
      !HasProperty<M> || !requires { model.automaton(); },
      "a model has either property() or automaton(): check it twice");
  check_for_model<M>(options);
  assert(!flaws.forgets_processes || options.strategy == "bcs");
  assert(!flaws.never_revisits || options.strategy == "depth");
  assert(flaws.reduction == FlawedReduction::none || HasAutomaton<M>);
  const CallGuard guard(options.watchdog);
  const SupervisedCheck supervised(name, options);
  const WatchedCalls watched(supervised.count());
  Exploration<M> exploration(name, model, options, flaws);
  Report& report = exploration.report;
  if (is_excluded(report, options)) return std::move(report);
  ReportEntry entry(report);
  if (!options.replay.empty()) {
    replay(exploration);
  } else if (follow_saved_paths(exploration)) {
    search_and_conclude<kSearches>(exploration);
  }
  supervised.conclude(report);
  report.seconds = exploration.limits.seconds();
  entry.add(report);
  write_pages(report);
  return std::move(report);
}

}  // namespace detail

/// Visits the states of `model` and reports what was found. `name` is for the
/// report and for files. Those HOCKET_… environment variables and flags that
/// models share with other searches override `options`. Throws
/// std::invalid_argument if the options are invalid, and ScheduleError if the
/// schedule file to replay is.
template <Model M>
Report check(std::string_view name, const M& model, Options options = {}) {
  return detail::check_by<detail::Searches::all>(name, model, std::move(options));
}

}  // namespace hocket::model
