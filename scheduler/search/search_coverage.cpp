// What a search has covered: it counts each execution, and at the end says what that amounts to.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/diagnosis/untracked_calls.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/english.hpp"
#include "../failures/failures.hpp"
#include "../report/log.hpp"
#include "../report/report_notes.hpp"
#include "../strategies/executions.hpp"
#include "search.hpp"

namespace hocket {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void Search::account(const runtime::ExecutionResult& result) {
  if (options_.shard && strategy_->is_of_another_shard()) {
    report_.in_shard.others += result.outcome != runtime::Outcome::dropped ? 1 : 0;
    return;
  }
  report_.steps += result.log.size;
  met_.threads = std::max(met_.threads, result.threads);
  left_waiting_ = std::max(left_waiting_, result.left_waiting);
  report_.abandoned += result.abandoned ? 1 : 0;
  if (result.outcome == runtime::Outcome::dropped) {
    ++report_.dropped;
    return;
  }
  if (result.outcome == runtime::Outcome::pruned || result.outcome == runtime::Outcome::unfair) {
    ++report_.pruned;
    if (work_ != nullptr && max_executions_ != 0 && result.outcome == runtime::Outcome::pruned)
      work_->gives_execution_back();
    met_.cut_short.add(result, met_.classes);
    met_.cut_at_limit += result.outcome == runtime::Outcome::unfair ? 1 : 0;
    return;
  }
  if (result.outcome == runtime::Outcome::diverged) return;
  ++report_.executions;
  // An execution that went past a race has failed, unless all races are suppressed.
  const bool reports_races =
      result.passed_races != 0 &&
      std::any_of(report_.failures.begin(), report_.failures.end(),
          [](const FoundFailure& failure) { return failure.kind == FailureKind::data_race; });
  const bool is_completed = result.outcome == runtime::Outcome::completed;
  const bool passed = is_completed && !reports_races;
  const bool checks = is_completed && strategy_->is_probe();  // and its class must be met without it
  if (checks) met_.cut_short.add_end(result.hash, met_.classes);
  if (reports_races && is_completed && !checks) met_.classes.insert_raced(result.hash);
  const bool is_new = !checks && met_.classes.insert(result.hash, passed);
  (passed ? report_.classes : report_.failed_classes) += is_new ? 1 : 0;
  if (is_new && options_.shard && work_ == nullptr) note_class_of_shard(result.hash, passed);
  if (!strategy_->has_bounds()) return;
  BoundReport& bound = bound_report(strategy_->bound());
  ++bound.executions;
  if (passed) {
    bound.classes += is_new ? 1 : 0;
  } else {
    ++bound.failures;
  }
}

void Search::account_for_notes(const runtime::ExecutionResult& result) {
  constexpr std::size_t kMostPlaces = 3;
  met_.left_out_unfair |= result.left_out_unfair;
  if (result.held_late_waits) {
    report_.late_timeouts = options_.timeouts == Timeouts::late ? "timeouts" : "timeouts of an hour or more";
  }
  if (result.left_out_sealed) report_.sealed = exploration_.seals->in_words();
  if (!result.priced_yield || strategy_->bound_unit() != "preemption" || !strategy_->has_bounds()) return;
  report_.counts_polling = true;
  const runtime::Where where = result.yields_at;
  const bool is_known =
      where.line() == met_.last_poll.line() && where.file_name() == met_.last_poll.file_name();
  if (is_known || report_.polls_at.size() == kMostPlaces) return;
  met_.last_poll = where;
  std::string place = runtime::place_of(where);
  const bool is_new = !place.empty() && std::find(report_.polls_at.begin(), report_.polls_at.end(), place) ==
                                            report_.polls_at.end();
  if (is_new) report_.polls_at.push_back(std::move(place));
}

void Search::note_class_of_shard(const runtime::ClassHash& hash, bool passed) {
  ShardCoverage::Classes& lists = passed ? report_.in_shard.passed : report_.in_shard.failed;
  if (lists.size() <= strategy_->bound()) lists.resize(strategy_->bound() + 1);
  lists[strategy_->bound()].push_back(hash);
}

BoundReport& Search::bound_report(unsigned bound) {
  if (report_.bounds.size() <= bound) report_.bounds.resize(bound + 1);
  return report_.bounds[bound];
}

void Search::conclude_within_bound() {
  // Where every execution was dropped. Other shards may have others.
  if (report_.executions == 0 && !options_.shard) {
    report_.stopped_by = runtime::execution.verdict.passes_over_failures()
                             ? "assume(), or a bug whose detector is off, in every execution"
                             : kAllDropped;
    return;
  }
  const bool left_out_rereads = runtime::execution.stores.left_out_rereads();
  if (!strategy_->is_complete() || met_.left_out_unfair || runtime::has_untracked_calls() ||
      (left_out_rereads && !strategy_->has_bounds())) {
    report_.verdict = Verdict::passed_sample;
  } else {
    const bool is_all = report_.stopped_by.empty() && !strategy_->left_out_any() && met_.cut_at_limit == 0 &&
                        !runtime::execution.stores.passes_over_stores() &&
                        !runtime::execution.stores.left_out_stale() && !left_out_rereads &&
                        report_.sealed.empty() && note_on_what_was_left_changed().empty();
    report_.verdict = options_.shard ? Verdict::passed_shard
                      : is_all       ? Verdict::passed_exhaustively
                                     : Verdict::passed_within_bound;
    report_.is_all_of_shard = is_all;
  }
  if (report_.abandoned != 0) {
    warn("{} left a stack that could not be unwound", runtime::count_of(report_.abandoned, "execution"));
  }
}

void Search::conclude() {
  if (!is_joined_) conclude_what_was_covered();
  if (report_.failures.empty() || report_.verdict == Verdict::nondeterministic) return;
  report_.verdict = Verdict::failed;
  if (!exploration_.known_races.empty()) {
    add_note("executions went on past data races that were known, and what then went wrong may come of them");
  }
  sort_by_cause(report_.failures);
}

void Search::conclude_what_was_covered() {
  report_.meetings = met_.meetings.list();
  if (!report_.stopped_by.empty()) report_.unfinished = estimate(Clock::now());
  const PendingWork work = strategy_->pending();
  report_.pending += work.items;
  report_.table_bytes = std::max(report_.table_bytes, work.table_bytes);
  if (runtime::execution.stores.left_out_stale()) report_.most_stale = options_.max_stale;
  report_.passed_over |= runtime::execution.verdict.passes_over_failures();
  for (const std::string& note :
      notes_on_coverage(*strategy_, options_, met_.left_out_unfair, met_.cut_at_limit)) {
    add_note(note);
  }
  if (std::string note = note_on_waiting_threads(left_waiting_, options_); !note.empty()) add_note(note);
  if (std::string note = note_on_what_was_left_changed(); !note.empty()) add_note(note);
  report_.class_bytes = met_.classes.bytes();
  if (std::string note = note_on_suppressed(exploration_.suppressed, options_.suppressions); !note.empty())
    add_note(note);
  if (std::string note = note_on_unmatched(*exploration_.seals); !note.empty()) add_note(note);
  if (!retries_at_.empty()) add_note(note_on_retries(retries_at_));
  if (report_.verdict == Verdict::nondeterministic) {
    if (const std::string calls = runtime::untracked_calls_in_words(); !calls.empty())
      report_.explanation +=
          ".\nLook first at calls on state that Hocket does not follow, made at the same time: " + calls;
  } else if (report_.failures.empty()) {
    if (std::string note = note_on_untracked_calls(); !note.empty()) add_note(note);
  }
  const bool may_have_run_nothing = work_ != nullptr;  // as other jobs have run all there was
  if (report_.failures.empty() && report_.steps == 0 && !may_have_run_nothing &&
      !runtime::has_untracked_calls()) {
    if (std::string note = note_on_threads_without_steps(met_.threads); !note.empty()) add_note(note);
  }
  if (report_.failures.empty()) {
    if (const std::string note = note_on_code_without_hooks(); !note.empty()) add_note(note);
  }
}

void Search::list_weaker_operations() {
  runtime::WeakerOperations weaker =
      runtime::Execution::weaker_operations(report_.memory_model == MemoryModel::c11);
  report_.weaker_operations = std::move(weaker.list);
  report_.may_be_more_weaker_operations = weaker.may_be_more;
}

}  // namespace hocket
