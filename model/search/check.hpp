// The entry point: check a model.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "../api/model.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../schedules/report_entry.hpp"
#include "../states/bit_states.hpp"
#include "../states/recorded_states.hpp"
#include "accepted_paths.hpp"
#include "breadth_first.hpp"
#include "conclusion.hpp"
#include "cycles.hpp"
#include "depth_bounded.hpp"
#include "depth_first.hpp"
#include "following.hpp"
#include "random_walks.hpp"
#include "swarm.hpp"

namespace hocket::model {

namespace detail {

template <Model M>
std::unique_ptr<StateStore<StateOf<M>>> make_store(const Options& options) {
  using State = StateOf<M>;
  if (options.store == Store::bitstate) return std::make_unique<BitStates<State>>(options);
  return std::make_unique<RecordedStates<State>>(options);
}

template <Model M>
Coverage search(Exploration<M>& exploration) {
  const std::string& strategy = exploration.options.strategy;
  if (strategy == "depth") return DepthBounded<M>(exploration).run();
  const auto store = make_store<M>(exploration.options);
  Coverage coverage;
  std::size_t bounds_done = 0;
  if (strategy == "bfs" || strategy == "icb") {
    BreadthFirst<M> search(exploration, *store);
    coverage = search.run();
    bounds_done = search.bounds_done();
  } else if (strategy == "random") {
    coverage = RandomWalks<M>(exploration, *store).run();
  } else if (strategy == "swarm") {
    coverage = Swarm<M>(exploration, *store).run();
  } else {
    coverage = DepthFirst<M>(exploration, *store).run();
    if (coverage.is_complete) bounds_done = ~std::size_t{0};
  }
  Report& report = exploration.report;
  store->conclude(report);
  for (std::size_t n = 0; n < report.bounds.size(); ++n) report.bounds[n].complete = n < bounds_done;
  return coverage;
}

/// Looks for cycles that are errors, after a search that has met every state.
/// Returns whether it has ended.
template <Model M>
bool search_cycles(Exploration<M>& exploration) {
  const auto search_kind = [&](CycleKind kind) { return Cycles<M>(exploration, kind).run(); };
  if constexpr (HasAcceptance<M>) {
    if (!search_kind(CycleKind::accepting)) return false;
  }
  if constexpr (HasProgress<M>) {
    if (!search_kind(CycleKind::without_progress)) return false;
  }
  if constexpr (HasAutomaton<M>) {
    if (!AcceptedPaths<M>(exploration).run()) return false;
  }
  return true;
}

}  // namespace detail

namespace detail {

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
        "hocket: weak_fairness is for the members accepting and progress; the "
        "automaton of this model has to "
        "say itself which paths are fair");
  }
  if (HasHash<M> && options.store == Store::hash) {
    throw std::invalid_argument(
        "hocket: the store hash takes states with one hash for one state, "
        "which needs a hash of all members "
        "with 128 "
        "bits, and hash() of this model has 64; use exact, or a model without "
        "hash()");
  }
  if (HasSymmetry<M> && (options.strategy == "icb" || options.strategy == "bcs")) {
    throw std::invalid_argument("hocket: " + options.strategy +
                                " counts the preemptions of processes, which canonical() exchanges; "
                                "use "
                                "another strategy, or a model without canonical()");
  }
  if (HasSymmetry<M> && options.weak_fairness) {
    throw std::invalid_argument(
        "hocket: weak_fairness is about each process, and canonical() "
        "exchanges processes; use a model "
        "without "
        "canonical()");
  }
  if (!HasAutomaton<M> && options.flawed_reduction != FlawedReduction::none)
    throw std::invalid_argument("hocket: flawed_reduction is for models with an automaton");
}

/// Notes what a reader of a pass has to know about the reduction of the product
/// with the automaton.
template <Model M>
void note_reduction(Exploration<M>& exploration) {
  if constexpr (HasAutomaton<M>) {
    const bool was_wanted =
        exploration.options.reduce && exploration.options.flawed_reduction == FlawedReduction::none;
    if (was_wanted && !is_in_stutter_normal_form(exploration.model.automaton())) {
      exploration.report.note =
          "the search for paths that the automaton accepts was not reduced, "
          "because that is sound only in "
          "stutter normal form; see stutter_normal_form()";
    }
  }
}

template <Model M>
void search_and_conclude(Exploration<M>& exploration) {
  const Options& options = exploration.options;
  Report& report = exploration.report;
  Coverage coverage{false, false};
  std::string contradiction;
  try {
    coverage = search(exploration);
    if constexpr (HasAcceptance<M> || HasProgress<M> || HasAutomaton<M>) {
      const bool has_met_all = coverage.is_complete && coverage.is_everything;
      if (has_met_all && (report.violations.empty() || options.keep_going)) {
        coverage.is_complete = search_cycles(exploration);
        note_reduction(exploration);
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
  conclude(report, options, exploration.limits, coverage, std::move(contradiction));
  if (HasHash<M> && report.verdict == Verdict::passed_sample && options.store == Store::bitstate)
    report.note +=
        "; states to which hash() of the model gives one number are "
        "taken for one, too";
  save_paths(report, options);
}

}  // namespace detail

/// Visits the states of `model` and reports what was found. `name` is for the
/// report and for files. Those HOCKET_… environment variables and flags that
/// models share with other searches override `options`. Throws
/// std::invalid_argument if the options are invalid, and ScheduleError if the
/// schedule file to replay is.
template <Model M>
Report check(std::string_view name, const M& model, Options options = {}) {
  options = with_settings(std::move(options));
  check(options);
  static_assert(
      HasAutomaton<M> || !requires { model.automaton(); },
      "a model with automaton() needs letter(const State&)");
  detail::check_for_model<M>(options);
  const AbortGuard abort_guard;
  Exploration<M> exploration(name, model, options);
  Report& report = exploration.report;
  if (is_excluded(report, options)) return std::move(report);
  ReportEntry entry(report);
  if (!options.replay.empty()) {
    detail::replay(exploration);
  } else if (detail::follow_saved_paths(exploration)) {
    detail::search_and_conclude(exploration);
  }
  report.seconds = exploration.limits.seconds();
  entry.add(report);
  return std::move(report);
}

}  // namespace hocket::model
