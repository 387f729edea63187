// A search that lasts goes on in several processes.
//
// Each of these jobs goes on with a part of what one process has begun (see WorkSharing), or draws schedules
// of its own, if the strategy samples. It records failures, but saves none: it tells the search of their
// schedules. So it does where it would have to begin anew, or dies. The search runs these executions itself,
// as if it had come to them, and what follows from them happens once, as always: a file, a note, the end of
// the process. What the jobs have covered is joined as the reports of shards are.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <system_error>
#include <tuple>
#include <utility>

#include <unistd.h>

#include <spdlog/fmt/fmt.h>
#include <nlohmann/json.hpp>

#include "../deaths/supervised_search.hpp"
#include "../options/settings.hpp"
#include "../process/interrupt.hpp"
#include "../process/output_gate.hpp"
#include "../replays/replay.hpp"
#include "../report/log.hpp"
#include "../report/report_file.hpp"
#include "../report/search_log.hpp"
#include "../report/whole_searches.hpp"
#include "../strategies/executions.hpp"
#include "../strategies/random_bits.hpp"
#include "../strategies/strategy_table.hpp"
#include "cut_short.hpp"
#include "search.hpp"
#include "search_visitor.hpp"

namespace hocket {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kSearch = "search";
constexpr const char* kFound = "found";
constexpr const char* kAnewAfter = "anew_after";
constexpr const char* kFair = "fair";
constexpr const char* kUnknownEnds = "unknown_ends";
constexpr const char* kFailedWhenCutShort = "failed_when_cut_short";

constexpr const char* kEndedByAnother = "what another job has met";

}  // namespace

// Of jobs that share work all search the same bound, and what was first there nobody knows.
bool Search::comes_before(const Found& one, const Found& other) {
  const auto place = [](const Found& found) { return std::tuple(found.bound, found.executions, found.job); };
  return place(one) < place(other);
}

struct Search::Joined {
  std::vector<ShardReport> reports;
  std::vector<Found> found;
  std::optional<Found> anew_after;
  bool is_fair = false;  ///< is to be, from now on
  std::string lack;      ///< why a report is missing
  CutShort cut_short;    ///< and what other jobs know may be missing in one
  std::uint64_t executions_of_dead = 0;

  /// Whether a single search would begin anew: unless a failure ends it before.
  [[nodiscard]] bool comes_to_begin_anew(bool keeps_going) const {
    return anew_after && std::none_of(found.begin(), found.end(), [&](const Found& one) {
      return (one.has_ended_job || !keeps_going) && comes_before(one, *anew_after);
    });
  }
};

bool Search::may_be_split() const {
  const unsigned count = Jobs::count_of(options_.jobs);
  if (count == 1 || is_job() || !options_.replay.empty()) return false;
  const auto is_prevented = [&]() -> std::string {
    const StrategyInfo& info = strategy_info(options_.strategy);
    if (!strategy_->is_sampling() && !info.can_share_work) return options_.strategy + " cannot be split";
    if (options_.shard) return "it is a shard itself";
    if (exploration_.makes_children()) return "each execution runs in a process of its own";
    if (settings().coverage) return "it notes where threads meet";
    if (settings().all_tests) return "all tests share the time";
    if (options_.show_output) return "what it prints is shown";
    if (max_executions_ != 0 && max_executions_ < count) return "it has fewer executions";
    return {};
  };
  const std::string because = is_prevented();
  if (!because.empty()) log(LogLevel::info, "{}: is not split among jobs, as {}", report_.test, because);
  return because.empty();
}

bool Search::lasts() const {
  const bool has_run_any = report_.executions + report_.dropped + report_.pruned != 0;
  return has_run_any && Clock::now() - strategy_begun_ >= Jobs::begin_after;
}

bool Search::split() {
  may_split_ = false;
  if (!Jobs::are_possible()) {
    log(LogLevel::info, "{}: is not split among jobs, as the program has other threads", report_.test);
    return false;
  }
  const unsigned count = Jobs::count_of(options_.jobs);
  const bool shares_work = strategy_info(options_.strategy).can_share_work;
  if (shares_work && !begin_to_share(count)) return false;
  progress_.clear();
  flush_standard_streams();  // otherwise each job would print their contents again
  death_guards_.reset();
  try {
    jobs_ = std::make_unique<Jobs>(count);
    for (unsigned n = 0; n < count; ++n) {
      if (!jobs_->make_next()) continue;
      become_job();
      return true;
    }
  } catch (const std::system_error& error) {
    jobs_.reset();
    work_.reset();
    guard_process();
    log(LogLevel::info, "{}: is not split among jobs, as there can be none: {}", report_.test, error.what());
    return false;
  }
  guard_process();
  log(LogLevel::info, "{}: goes on with {} in {} processes", report_.test, options_.strategy, count);
  is_joined_ = join();
  work_.reset();
  return true;
}

std::shared_ptr<SharedStates> Search::table_for_classes() const {
  constexpr std::size_t kLeast = std::size_t{1} << 26U;
  std::size_t memory = options_.memory_limit;
  if (memory == 0)
    memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
             static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // The system may allow no reservation of more than it has, or than `ulimit -v` says.
  for (;; memory /= 2) {
    try {
      return std::make_shared<SharedStates>(memory);
    } catch (const std::system_error&) {
      if (memory < kLeast) throw;
    }
  }
}

bool Search::begin_to_share(unsigned jobs) {
  try {
    work_ = strategy_->share_work(jobs);
    if (work_ != nullptr) work_->share(table_for_classes());
    if (work_ == nullptr)
      log(LogLevel::info, "{}: is not split among jobs, as what goes on is one reduction", report_.test);
  } catch (const std::system_error& error) {
    work_.reset();
    log(LogLevel::info, "{}: is not split among jobs: {}", report_.test, error.what());
  }
  if (work_ == nullptr) return false;
  met_.classes.share(work_->classes());
  const std::uint64_t counted = report_.executions + report_.dropped + met_.cut_at_limit;
  if (max_executions_ != 0) work_->limit(max_executions_ - std::min(max_executions_, counted));
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// In a job

void Search::become_job() {
  begins_part_ = work_ == nullptr;
  const unsigned index = jobs_->index();
  const unsigned count = jobs_->count();
  Options& options = exploration_.options;
  options.shard = report_.shard = Shard{index, count};
  report_.split_search = exploration_.split_search();
  options.seed = seed_of_shard(options);
  options.save_schedules = false;
  options.minimize = {};
  report_.strategy = options.strategy;
  report_.note.clear();  // the search has what is there already
  if (!begins_part_) {
    go_on_as_job(index);
  } else if (max_executions_ != 0) {
    max_executions_ = max_executions_ / count + (index <= max_executions_ % count ? 1 : 0);
  }
  leave_report_file();
  guard_process();
}

void Search::go_on_as_job(unsigned index) {
  strategy_->become_job(index);
  std::vector<BoundReport> bounds(report_.bounds.size());
  for (std::size_t bound = 0; bound < bounds.size(); ++bound)
    bounds[bound].complete = report_.bounds[bound].complete;
  static_cast<Coverage&>(report_) = {};
  report_.bounds = std::move(bounds);
}

bool Search::is_over_for_all() {
  if (!work_->is_over()) return false;
  report_.stopped_by = kEndedByAnother;
  return is_over_ = true;
}

void Search::note_failure_of_job() {
  const runtime::Failure& failure = runtime::Execution::failure();
  if (!exploration_.signatures.insert(failure.signature).second) return;
  FoundFailure& found = report_.failures.emplace_back();
  found.kind = failure.kind;
  found.message = failure.message;
  report_.verdict = Verdict::failed;
}

bool Search::is_behind_first_failure() {
  jobs_->note_executions(report_.executions);
  if (work_ != nullptr) return is_over_for_all();
  const std::uint64_t before = report_.executions - std::min<std::uint64_t>(report_.executions, 1);
  is_over_ = jobs_->first_failure() < before;
  if (is_over_) report_.stopped_by = "a failure that another job has found";
  return is_over_;
}

namespace {

template <class Found>
Json json_of(const Found& found) {
  return {{"codes", found.codes}, {"bound", found.bound}, {"executions", found.executions}};
}

template <class Found>
Found found_in(const Json& json) {
  Found found;
  json.at("codes").get_to(found.codes);
  json.at("bound").get_to(found.bound);
  json.at("executions").get_to(found.executions);
  return found;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void Search::tell_why_anew() {
  if (work_ != nullptr) work_->end();
  jobs_->tell_and_end(text_of({{kAnewAfter, json_of(anew_after_)}, {kFair, options_.fair}}));
}

void Search::tell_of_part() {
  list_weaker_operations();
  Json json{{kSearch, entry_of(report_)}, {kFound, Json::array()}};
  for (const Found& found : found_) json[kFound].push_back(json_of(found));
  if (work_ != nullptr) {
    // All come to a limit of time by themselves, and to the end of what one of them has taken over.
    const bool all_end = work_->has_ended() || work_->is_taken_over() || is_out_of_time_;
    if (report_.verdict != Verdict::passed_shard && !all_end) work_->end();
    work_->leave();
    Json& ends = json[kUnknownEnds] = Json::array();
    for (const runtime::ClassHash& hash : met_.cut_short.unknown(met_.classes)) {
      ends.push_back(hash.low);
      ends.push_back(hash.high);
    }
    json[kFailedWhenCutShort] = met_.cut_short.has_failed();
  }
  jobs_->tell_and_end(text_of(json));
}

// ---------------------------------------------------------------------------------------------------------------------
// In the search that has made them

bool Search::join() {
  Joined joined;
  bool is_passed_on = false;
  Options to_follow = options_;  // without what would be remembered of schedules that were found by others
  if (to_follow.strategy == "auto" || to_follow.strategy == "hb-cache") to_follow.strategy = "icb";
  strategy_ = make_strategy(to_follow);
  while (jobs_->any_runs()) {
    for (JobEnd& end : jobs_->wait()) take_end_of(std::move(end), joined);
    if (was_interrupted() && !std::exchange(is_passed_on, true)) jobs_->pass_on(interrupting_signal());
    if (progress_.is_on_terminal())
      progress_.tick(report_.test, jobs_->count(), jobs_->executions(), begin_, Clock::now());
  }
  progress_.clear();
  jobs_.reset();
  if (joined.comes_to_begin_anew(options_.keep_going)) {
    if (!joined.is_fair || options_.fair || !switch_to_fair()) learn_why_anew(*joined.anew_after);
    return false;
  }
  if (work_ != nullptr && !jobs_cut_short_rightly(joined)) return false;
  if (was_interrupted()) joined.lack = interrupted_by();
  report_.verdict = Verdict::stopped;
  report_.stopped_by = joined.lack;
  if (!joined.reports.empty()) {
    const ShardsRun run{
        joined.lack, false, false, work_ != nullptr, work_ != nullptr ? report_.executions : 0};
    tell_what_ended_all(joined);
    take_whole(*whole_searches(std::move(joined.reports), run).front().report);
  }
  report_.executions += joined.executions_of_dead;
  tell_of(std::move(joined.found));
  return true;
}

bool Search::jobs_cut_short_rightly(Joined& joined) {
  if (!strategy_->is_complete()) return true;
  const bool has_found_failures = !joined.found.empty() || !report_.failures.empty();
  const bool are_all_done =
      std::all_of(joined.reports.begin(), joined.reports.end(), [&](const ShardReport& report) {
        return report.json["searches"][0].value("verdict", "") == to_string(Verdict::passed_shard);
      });
  if (!are_all_done || !joined.lack.empty() ||
      !joined.cut_short.contradicts(met_.classes, has_found_failures))
    return true;
  begin_to_leave_nothing_out();
  return false;
}

void Search::tell_what_ended_all(Joined& joined) {
  std::string why = joined.lack;
  const auto reason_of = [](ShardReport& report) -> Json& {
    return report.json["searches"][0]["stopped_by"];
  };
  for (ShardReport& report : joined.reports) {
    const Json& reason = reason_of(report);
    if (reason.is_string() && reason != kEndedByAnother) why = reason;
  }
  for (ShardReport& report : joined.reports) {
    Json& reason = reason_of(report);
    if (reason.is_null()) {
      report.json["searches"][0].erase("stopped_by");
    } else if (reason == kEndedByAnother && !why.empty()) {
      reason = why;
    }
  }
}

void Search::take_end_of(JobEnd end, Joined& joined) {
  std::vector<Found> found;
  const Json json = Json::parse(end.text, nullptr, false);
  if (json.is_object() && json.contains(kAnewAfter)) {
    auto after = found_in<Found>(json[kAnewAfter]);
    after.job = end.index;
    jobs_->note_failure(after.executions);  // those that sample go on up to there, as they may find another
    if (joined.anew_after && !comes_before(after, *joined.anew_after)) return;
    joined.anew_after = std::move(after);
    joined.is_fair = json.value(kFair, false);
    return;
  }
  if (json.is_object() && json.contains(kSearch)) {
    for (const Json& each : json.at(kFound)) found.push_back(found_in<Found>(each));
    if (json.contains(kUnknownEnds)) {
      std::vector<runtime::ClassHash> ends;
      for (std::size_t n = 0; n + 1 < json[kUnknownEnds].size(); n += 2)
        ends.push_back({json[kUnknownEnds][n], json[kUnknownEnds][n + 1]});
      joined.cut_short.add(ends, json.value(kFailedWhenCutShort, false));
    }
    if (json[kSearch].value("verdict", "") == to_string(Verdict::nondeterministic)) jobs_->end_all();
    Json report{{"hocket_report", 1}, {"searches", Json::array({json[kSearch]})}};
    joined.reports.push_back({fmt::format("job {}", end.index), std::move(report)});
  } else {
    if (work_ != nullptr) work_->end();
    joined.lack = "the end of a process that ran a part of it, which " + to_text(end.ending);
    if (end.lost) joined.executions_of_dead += end.lost->schedule.executions;
    const unsigned bound = work_ != nullptr ? work_->bound() : 0;
    if (end.lost)
      found.push_back({codes_of(end.lost->schedule), bound, end.lost->schedule.executions, end.index, true});
  }
  for (Found& one : found) {
    one.job = end.index;
    if (one.has_ended_job || !options_.keep_going) jobs_->note_failure(one.executions);
    joined.found.push_back(std::move(one));
  }
}

void Search::learn_why_anew(const Found& after) {
  Visitor visitor(*this);
  OptionsWithStrategy options(exploration_.interruptible_options(), *strategy_);
  FollowCodes chooser(after.codes);
  const runtime::ExecutionResult result = exploration_.run(chooser, options.get());
  bool is_known = !visitor.ran(result) && visitor.needs_new_strategy();
  if (!is_known && result.outcome == runtime::Outcome::failed)
    is_known = take_failure(result, after.bound) && knows_new_race_;
  if (!is_known) exploration_.options.jobs = 1;
}

void Search::tell_of(std::vector<Found> found) {
  std::sort(found.begin(), found.end(), &Search::comes_before);
  for (const Found& each : found) {
    if (report_.verdict == Verdict::nondeterministic || (!options_.keep_going && !report_.failures.empty()))
      return;
    SupervisedSearch::note(report_);
    OptionsWithStrategy options(exploration_.interruptible_options(), *strategy_);
    FollowCodes chooser(each.codes);
    const runtime::ExecutionResult result = exploration_.run(chooser, options.get());
    if (result.outcome == runtime::Outcome::failed) {
      take_failure(result, each.bound);
    } else if (!each.has_ended_job && result.outcome != runtime::Outcome::interrupted) {
      report_.verdict = Verdict::nondeterministic;
      report_.explanation =
          "an execution failed in one process, and passed in another when it was run again under the same "
          "schedule";
    }
  }
}

namespace {

/// What a search has covered, and then its jobs, which have met other classes.
Coverage operator+(const Coverage& before, Coverage whole) {
  for (const auto count : {&Coverage::executions, &Coverage::pruned, &Coverage::dropped, &Coverage::classes,
           &Coverage::failed_classes, &Coverage::steps, &Coverage::abandoned})
    whole.*count += before.*count;
  if (whole.bounds.size() < before.bounds.size()) whole.bounds.resize(before.bounds.size());
  for (std::size_t bound = 0; bound < before.bounds.size(); ++bound) {
    BoundReport& row = whole.bounds[bound];
    row.executions += before.bounds[bound].executions;
    row.classes += before.bounds[bound].classes;
    row.failures += before.bounds[bound].failures;
    row.complete |= before.bounds[bound].complete;
  }
  if (whole.late_timeouts.empty()) whole.late_timeouts = before.late_timeouts;
  if (whole.sealed.empty()) whole.sealed = before.sealed;
  whole.counts_polling |= before.counts_polling;
  for (const std::string& place : before.polls_at) {
    if (std::find(whole.polls_at.begin(), whole.polls_at.end(), place) == whole.polls_at.end())
      whole.polls_at.push_back(place);
  }
  return whole;
}

}  // namespace

void Search::take_whole(const Report& whole) {
  Coverage& covered = report_;
  const Coverage& of_jobs = whole;
  covered = work_ != nullptr ? covered + of_jobs : of_jobs;
  report_.strategy = whole.strategy;
  report_.verdict = whole.verdict;
  report_.stopped_by = whole.stopped_by;
  report_.explanation = whole.explanation;
  report_.bound_unit = whole.bound_unit;
  report_.most_stale = whole.most_stale;
  report_.weaker_operations = whole.weaker_operations;
  report_.may_be_more_weaker_operations = whole.may_be_more_weaker_operations;
  if (!whole.note.empty()) add_note(whole.note);
}

}  // namespace hocket
