// Why a search begins anew: what it has met for which its executions have to be other ones.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/execution/retries.hpp"
#include "../../runtime/execution/run.hpp"
#include "../../runtime/platform/symbols/call_site.hpp"
#include "../../runtime/threads/host.hpp"
#include "../api/bound_text.hpp"
#include "../deaths/dying_process.hpp"
#include "../failures/failures.hpp"
#include "../report/report_notes.hpp"
#include "../report/search_log.hpp"
#include "../strategies/strategy_table.hpp"
#include "search.hpp"

namespace hocket {

/// What is said of a reason.
struct Search::Restart {
  std::string log;        ///< empty: the caller has told it
  std::string of_report;  ///< in Report::began_anew: shards may differ in it
  std::string note{};     ///< for the reader, when `of_report` is told for the first time
};

bool Search::take_found_overlaps() {
  const runtime::Host* const host = runtime::run.host;
  return host != nullptr && host->searches.take_found_overlaps();
}

bool Search::meets_weaker_order() {
  const bool keeps_stores =
      exploration_.asked_model != options_.memory_model && runtime::execution.actions.could_keep_stores();
  const bool watches_lives = !exploration_.watches_lives && runtime::execution.objects.are_shared();
  if (!keeps_stores && !watches_lives) return false;
  if (report_.executions != 0 || met_.turns != 0)
    search_log::begins_anew(exploration_,
        keeps_stores ? "an operation asks for a weaker order than seq_cst: memory model c11"
                     : "an operation asks for a weaker order than seq_cst: lives of objects are watched");
  exploration_.watches_lives |= watches_lives;  // which changes no step
  if (keeps_stores) {
    note_restart({{}, "operations ask for weaker orders than seq_cst (--hocket_memory_model=c11)"});
    begin_to_keep_stores();
  }
  return true;
}

void Search::begin_to_keep_stores() {
  exploration_.options.memory_model = report_.memory_model = MemoryModel::c11;
  if (report_.bound_unit == "preemption") report_.bound_unit = kPreemptionsAndStaleReads;
}

void Search::note_overlaps() {
  note_restart({"atomics of several sizes share memory and are one object from now on",
      "atomics of several sizes share memory",
      "atomics of several sizes were found to share memory, so the search began anew with them as one "
      "object"});
}

void Search::take_found_retries() {
  const runtime::RetryLoops found = runtime::Retries::take_found();
  runtime::add_loops(exploration_.retry_loops, found);
  // Reads the symbols once, and not in the child process of each execution.
  static_cast<void>(runtime::platform::function_with(found.begin()->first));
  std::string place = place_of_retry(found);
  note_restart(
      {"a loop retries and never yields: it is taken to yield from now on", "a loop retries at " + place});
  if (std::find(retries_at_.begin(), retries_at_.end(), place) == retries_at_.end())
    retries_at_.push_back(std::move(place));
}

bool Search::switch_to_fair() {
  if (!strategy_info(options_.strategy).can_be_fair) {
    report_.stopped_by = fmt::format(
        "a schedule that keeps threads waiting for ever while others yield ({} cannot search fairly; take "
        "another strategy, as {} can)",
        options_.strategy, names_of_fair_strategies());
    return false;
  }
  exploration_.options.fair = true;
  report_.fair = true;
  note_restart({"threads that yield starve others or keep time from passing: it is fair from now on",
      "threads that yield starve others (--hocket_fair)",
      "threads that yield starved others, or kept time from passing, so the search began anew, fairly "
      "(--hocket_fair)"});
  return true;
}

bool Search::cut_short_rightly() {
  // A shard has not all classes. What can be split cuts nothing short because of a state that it knows.
  if (!strategy_->is_complete() || options_.shard ||
      !met_.cut_short.contradicts(met_.classes, !report_.failures.empty()))
    return true;
  begin_to_leave_nothing_out();
  return false;
}

void Search::begin_to_leave_nothing_out() {
  search_log::begins_anew(exploration_, "executions with one happens-before graph went on in different ways");
  exploration_.options.strategy = report_.strategy = strategy_->has_bounds() ? "icb" : "dfs";
  add_note(fmt::format(
      "equal happens-before graphs continued differently: the threads share something that Hocket does not "
      "see; the search began anew with {}, which leaves nothing out",
      report_.strategy));
}

void Search::note_restart(const Restart& restart) {
  if (!restart.log.empty()) search_log::begins_anew(exploration_, restart.log);
  std::vector<std::string>& known = report_.began_anew;
  if (std::find(known.begin(), known.end(), restart.of_report) != known.end()) return;
  known.emplace_back(restart.of_report);
  if (!restart.note.empty()) add_note(restart.note);
}

void Search::begin_anew() {
  static_cast<Coverage&>(report_) = {};
  met_ = {};
  bound_begun_ = std::chrono::steady_clock::now();
  strategy_ = make_strategy(options_);
  DyingProcess::describe(describe(exploration_));
}

}  // namespace hocket
