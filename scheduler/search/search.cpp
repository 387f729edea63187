#include "search.hpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/execution/run.hpp"
#include "../api/bound_text.hpp"
#include "../api/number_text.hpp"
#include "../deaths/dying_process.hpp"
#include "../deaths/supervised_search.hpp"
#include "../failures/failures.hpp"
#include "../failures/saved_failures.hpp"
#include "../options/settings.hpp"
#include "../process/debugger.hpp"
#include "../replays/replay.hpp"
#include "../report/log.hpp"
#include "../report/report_file.hpp"
#include "../report/report_notes.hpp"
#include "../report/search_log.hpp"
#include "../schedules/schedule_file.hpp"
#include "../schedules/whole_file.hpp"
#include "../strategies/executions.hpp"
#include "../strategies/random_bits.hpp"
#include "search_visitor.hpp"

namespace hocket {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSampleExecutions = 10'000;
constexpr std::size_t kMostFailures = 100;
constexpr const char* kNoMemory =
    "memory that ran out (--hocket_memory sets a limit that leaves room for other processes)";

/// The monotonic clock at a resolution of some milliseconds. A call takes only a few nanoseconds, because the
/// clock is read at every execution.
Clock::time_point coarse_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return Clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace

Search::Search(std::string test, const std::function<void()>& body, const Options& options)
    : exploration_{body, options} {
  check(options);
  exploration_.options.memory_model = MemoryModel::sc;
  report_.test = std::move(test);
  if (options.shard) prepare_shard();
  strategy_ = make_strategy(options_);
  use_usual_stack(exploration_.options);
  report_.strategy = options_.strategy;
  report_.bound_unit = strategy_->bound_unit();
  report_.fair = options.fair;
  // A child process that dies does not tell which orders it has met, nor does a shard tell the others.
  if (exploration_.makes_children() || (options.shard && options.memory_model == MemoryModel::c11)) {
    exploration_.watches_lives = true;
    if (options.memory_model == MemoryModel::c11) begin_to_keep_stores();
    strategy_ = make_strategy(options_);
  }
  max_executions_ = options.max_executions;
  if (max_executions_ == 0 && strategy_->is_sampling() && options.time_limit.count() == 0) {
    max_executions_ = kSampleExecutions;
  }
}

// What one shard alone may meet must not change the steps of its executions: see Report::began_anew.
void Search::prepare_shard() {
  Options& options = exploration_.options;
  report_.shard = options.shard;
  if (options.strategy == "auto") options.strategy = "icb";
  report_.split_search = exploration_.split_search();
  other_jobs_ = OtherJobs(report_.test);
  options.seed = seed_of_shard(options);
}

std::uint64_t Search::seed_of_shard(const Options& options) {
  RandomBits draw(options.seed);  // each shard draws schedules of its own
  std::uint64_t seed = options.seed;
  for (unsigned n = 0; n < options.shard->index; ++n) seed = draw();
  return seed;
}

Report Search::run() {
  Report report = run_guarded([this] {
    if (runtime::run.host != nullptr && !begins_untouched()) warm_up();
    if (!options_.replay.empty()) return follow_file(exploration_);
    if (options_.try_saved) follow_saved_failures(exploration_);
    const bool is_enough =
        options_.keep_going ? report_.failures.size() >= kMostFailures : report_.from_saved;
    if (!is_enough) explore();
    exploration_.start_folder.go_back();
    for (const std::string& sentence : set_aside_fixed_failures(exploration_)) add_note(sentence);
  });
  report.ended_at_race = !options_.keep_going && !report.is_replay && !report.failures.empty() &&
                         report.failures.back().kind == FailureKind::data_race;
  return report;
}

Report Search::tell_of(const fresh_start::Ending& ending) {
  std::optional<Schedule> schedule = schedule_of(ending);  // while a file can be opened
  Report report = run_guarded([&] {
    DyingProcess::expect(ending.schedule_file);
    const bool is_to_run = !ending.was_followed && !exploration_.makes_children();
    if (runtime::run.host != nullptr && schedule.has_value() && is_to_run) warm_up_until(*schedule);
    report_death(exploration_, ending, std::move(schedule));
  });
  report.seconds = ending.seconds;
  return report;
}

Report Search::run_guarded(const std::function<void()>& work) {
  tell_debuggers();
  const InterruptGuard interrupt_guard;
  SupervisedSearch::look_for_supervisor();
  if (!options_.show_output) exploration_.gate = std::make_unique<OutputGate>();
  if (exploration_.makes_children())
    flush_standard_streams();  // otherwise children would print their contents again
  begin_ = bound_begun_ = Clock::now();
  constexpr int kMoreForFailures = 10;  // a tenth of the time
  if (settings().all_tests && options_.replay.empty())
    exploration_.end = exploration_.end_after(options_.time_limit + options_.time_limit / kMoreForFailures);
  const bool is_replay = !options_.replay.empty();
  const bool saves = options_.save_schedules && !is_replay;
  if (saves) remove_leftovers(options_.schedule_dir.empty() ? "." : options_.schedule_dir);
  report_.is_replay = is_replay;
  guard_process();
  if (runtime::run.host != nullptr) warn_of_compiled_out_assertions();
  if (const std::string note = note_on_uncontrolled_threads(); !note.empty()) add_note(note);
  work();
  progress_.clear();
  exploration_.gate.reset();
  exploration_.start_folder.go_back();
  report_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (report_.failed()) report_.weaker_operations.clear();
  if (!report_.failed() && !is_joined_) list_weaker_operations();
  tell_other_jobs();
  death_guards_.reset();
  return std::move(report_);
}

void Search::guard_process() {
  const bool is_replay = !options_.replay.empty();
  const bool saves = options_.save_schedules && !is_replay;
  death_guards_.emplace(describe(exploration_), saves ? options_.schedule_dir : std::string{}, report_,
      options_.break_at_failure ? std::chrono::nanoseconds(0)
                                : options_.watchdog,  // a debugger takes its time
      !is_replay && !options_.break_at_failure);
  if (deadline_ != Clock::time_point::max()) Watchdog::set_end(deadline_, options_.time_limit);
}

void Search::tell_other_jobs() const {
  if (!other_jobs_.are_there() || !report_.failed() || options_.keep_going) return;
  unsigned least = report_.failures.empty() ? 0 : unbounded;
  for (const FoundFailure& failure : report_.failures) least = std::min(least, failure.bound);
  other_jobs_.tell_of_failure(strategy_->has_bounds() ? least : 0);
}

void Search::add_note(const std::string& text) {
  report_.note += (report_.note.empty() ? "" : "; ") + text;
  note_in_report_file(report_);
}

void Search::explore() {
  needs_clock_ = options_.time_limit.count() != 0 || progress_.is_on_terminal() || other_jobs_.are_there();
  constexpr std::chrono::hours kForEver(24 * 365 * 100);  // without overflow
  deadline_ = options_.time_limit.count() != 0 && options_.time_limit < kForEver
                  ? Clock::now() + options_.time_limit
                  : Clock::time_point::max();
  if (deadline_ != Clock::time_point::max()) Watchdog::set_end(deadline_, options_.time_limit);
  report_.executions = 0;                    // replays of saved failures are not part of the search
  static_cast<void>(take_found_overlaps());  // of before the search
  report_.verdict = Verdict::stopped;
  search_log::begins(exploration_);
  try {
    while (!explore_with_strategy()) {
      if (is_job() && !std::exchange(begins_part_, false)) tell_why_anew();
      begin_anew();
    }
  } catch (const std::bad_alloc&) {
    give_up_without_memory();
  }
  const bool has_passed_usual_bound =
      rises_with_time(options_) && completed_bounds(report_) > Options{}.max_preemptions;
  if (report_.verdict == Verdict::stopped && is_out_of_time_ && has_passed_usual_bound)
    conclude_within_bound();
  follow_lock_orders();
  conclude();
  if (is_job()) tell_of_part();
  search_log::ends(exploration_, std::chrono::duration<double>(Clock::now() - begin_).count());
}

void Search::give_up_without_memory() {
  strategy_.reset();  // first, because it has most of what there was
  strategy_ = make_strategy(options_);
  report_.stopped_by = kNoMemory;
}

bool Search::explore_with_strategy() {
  strategy_->must_stop = [this] { return is_over_ = limit_is_reached(true); };
  const auto run = [this](runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) {
    const EndsInTime guard;
    return exploration_.run(chooser, asked);
  };
  strategy_begun_ = Clock::now();
  may_split_ = may_be_split();
  Visitor visitor(*this);
  runtime::ExecutionOptions options = exploration_.interruptible_options();
  if (settings().coverage) options.observer = &met_.meetings;
  const ExecutionsEnd end = run_executions(*strategy_, run, options, visitor);
  if (visitor.has_split()) return is_joined_;
  if (work_ != nullptr && (is_over_ || is_over_for_all())) {
    // A job that waited at a bound may not have learned that all have done it.
    const unsigned bounds_done = std::max(strategy_->bound(), work_->bound());
    for (unsigned bound = 0; bound < bounds_done; ++bound) bound_report(bound).complete = true;
  } else if (end == ExecutionsEnd::exhausted) {
    if (!cut_short_rightly()) return false;
    for (BoundReport& bound : report_.bounds) bound.complete = true;
    conclude_within_bound();
    if (strategy_->has_bounds())
      search_log::bound_is_done(exploration_, strategy_->bound(),
          std::chrono::duration<double>(Clock::now() - bound_begun_).count());
  }
  report_.pending = visitor.not_run();
  return !visitor.needs_new_strategy();
}

bool Search::take_failure(const runtime::ExecutionResult& result, unsigned bound) {
  // Executions from here on overwrite the log.
  std::vector<std::uint16_t> codes = codes_of(result.log);
  if (const std::vector<OrderedChoice> order = strategy_->cheapest_order(); !order.empty()) {
    reorder(exploration_, order, result.hash, codes);
  }
  const bool is_race = runtime::Execution::failure().kind == FailureKind::data_race;
  const std::uint64_t signature = runtime::Execution::failure().signature;
  const std::size_t known = report_.failures.size();
  if (is_job() && exploration_.suppressions.empty()) {
    note_failure_of_job();
  } else {
    record_failure(exploration_, codes, result.hash, minimize_budget(bound));
  }
  // A schedule only knows its number of preemptions, and none of which the choices alone are saved.
  if (report_.failures.size() > known &&
      (strategy_->bound_unit() != "preemption" || is_job() || !report_.failures.back().schedule->complete))
    report_.failures.back().bound = report_.failures.back().found_bound = bound;
  if (is_job() && report_.failures.size() > known)
    found_.push_back({std::move(codes), bound, report_.executions - 1});
  if (report_.verdict == Verdict::nondeterministic) return false;
  if (!options_.keep_going && !report_.failures.empty()) return false;
  knows_new_race_ = is_race && exploration_.known_races.insert(signature).second;
  if (report_.failures.size() < kMostFailures) return true;
  report_.stopped_by = fmt::format("the limit of {} distinct failures", kMostFailures);
  return false;
}

MinimizeBudget Search::minimize_budget(std::uint64_t bounds_done) const {
  constexpr std::chrono::nanoseconds kLeast = std::chrono::seconds(1);
  const std::chrono::nanoseconds so_far = std::max<std::chrono::nanoseconds>(kLeast, Clock::now() - begin_);
  const bool is_asked_for = options_.minimize > Options{}.minimize;
  const bool knows_bounds_below =  // a shard has run its part of them only
      !options_.shard && strategy_->has_bounds() && strategy_->is_complete() &&
      strategy_->bound_unit() == "preemption";
  return {exploration_.end_after(is_asked_for ? options_.minimize : std::min(options_.minimize, so_far)),
      knows_bounds_below ? bounds_done : 0};
}

std::optional<BoundEstimate> Search::estimate(Clock::time_point now) const {
  std::optional<BoundEstimate> estimate = strategy_->estimate();
  if (estimate) estimate->seconds = std::chrono::duration<double>(now - bound_begun_).count();
  return estimate;
}

bool Search::is_over() {
  if (is_over_) return true;
  if (work_ != nullptr) {
    work_->let_tables_grow([this] { return was_interrupted() || coarse_now() >= deadline_; });
    if (is_over_for_all()) return true;
    if (max_executions_ != 0 && !work_->takes_execution()) {
      report_.stopped_by = fmt::format("the limit of {} executions", number_text(options_.max_executions));
      return is_over_ = true;
    }
  } else if (max_executions_ != 0 &&
             report_.executions + report_.dropped + met_.cut_at_limit >= max_executions_) {
    report_.stopped_by = fmt::format("the limit of {} executions",
        number_text(options_.max_executions != 0 ? options_.max_executions : max_executions_));
    if (strategy_->is_sampling() && report_.executions != 0) report_.verdict = Verdict::passed_sample;
    return true;
  }
  // The frontier is measured only occasionally, because one execution makes it grow very little.
  const bool measures_memory = (++met_.turns & 0xffU) == 0;
  if (!was_interrupted() && !needs_clock_ && !measures_memory) [[likely]]
    return false;
  is_over_ = limit_is_reached(measures_memory);
  return is_over_;
}

bool Search::limit_is_reached(bool measures_memory) {
  if (was_interrupted()) {
    report_.stopped_by = interrupted_by();
    return true;
  }
  if (work_ != nullptr && is_over_for_all()) return true;
  const Clock::time_point now = coarse_now();
  if (now >= deadline_) {
    is_out_of_time_ = true;
    report_.stopped_by =
        "the time limit of " + duration_text(std::chrono::duration<double>(options_.time_limit).count());
    if (strategy_->is_sampling() && report_.executions != 0) report_.verdict = Verdict::passed_sample;
    return true;
  }
  if (!options_.keep_going && other_jobs_.have_failed(strategy_->bound(), now)) {
    report_.stopped_by = "a failure that another job has found";
    return true;
  }
  if (!other_jobs_.are_there() && !is_job()) progress_.tick(report_, *strategy_, estimate(now), begin_, now);
  if (measures_memory) {
    const std::size_t bytes_kept = measure_frontier();
    const std::size_t jobs = is_job() ? jobs_->count() : 1;
    const bool is_full = met_.classes.was_full();
    if (is_full && options_.memory_limit == 0) {
      report_.stopped_by = kNoMemory;
      return true;
    }
    if (options_.memory_limit != 0 && (is_full || bytes_kept > options_.memory_limit / jobs)) {
      report_.stopped_by = fmt::format("the memory limit of {} bytes", number_text(options_.memory_limit));
      return true;
    }
  }
  return false;
}

std::size_t Search::measure_frontier() {
  const PendingWork work = strategy_->pending();
  report_.table_bytes = work.table_bytes;
  if (work.items > report_.frontier_peak_items) {
    report_.frontier_peak_items = work.items;
    report_.frontier_peak_bytes = work.bytes;
  }
  return work.bytes + work.table_bytes + met_.classes.bytes() / (work_ != nullptr ? work_->jobs() : 1);
}

}  // namespace hocket
