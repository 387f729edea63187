#include "search.hpp"

#include <algorithm>
#include <ctime>
#include <new>
#include <optional>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/diagnosis/untracked_calls.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/execution/run.hpp"
#include "../../runtime/platform/symbols/call_site.hpp"
#include "../../runtime/terms/english.hpp"
#include "../api/bound_unit.hpp"
#include "../api/number_text.hpp"
#include "../process/debugger.hpp"
#include "../schedules/schedule_file.hpp"
#include "../schedules/whole_file.hpp"
#include "../strategies/executions.hpp"
#include "../strategies/random_bits.hpp"
#include "../strategies/strategy_table.hpp"
#include "compiled_out_assertions.hpp"
#include "dying_process.hpp"
#include "failures.hpp"
#include "log.hpp"
#include "replay.hpp"
#include "report_file.hpp"
#include "report_notes.hpp"
#include "saved_failures.hpp"
#include "search_log.hpp"
#include "search_visitor.hpp"
#include "settings.hpp"
#include "supervised_search.hpp"
#include "warning.hpp"

namespace hocket {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSampleExecutions = 10'000;
constexpr std::size_t kMostFailures = 100;
/// The monotonic clock at a resolution of some milliseconds. A call takes only a few nanoseconds, because the
/// clock is read at every execution.
Clock::time_point coarse_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return Clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace

bool Search::take_found_overlaps() {
  runtime::ThreadHost* const host = runtime::run.host;
  return host != nullptr && host->take_found_overlaps();
}

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

void Search::list_weaker_operations() {
  runtime::WeakerOperations weaker =
      runtime::Execution::weaker_operations(report_.memory_model == MemoryModel::c11);
  report_.weaker_operations = std::move(weaker.list);
  report_.may_be_more_weaker_operations = weaker.may_be_more;
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

// An execution in a process of its own finds libraries unused, and its replay must do so too.
bool Search::begins_untouched() const {
  return options_.replay.empty() ? exploration_.makes_children() : read_schedule(options_.replay).own_process;
}

// Libraries that do not know Hocket initialize themselves on first use, and the results persist. So the first
// execution differs from the others and does not count. But it is compared with the second one, because a
// difference between them is not explored.
void Search::warm_up() {
  class KeepRunning final : public runtime::Chooser {
   public:
    KeepRunning() { consult_at = kNever; }
    runtime::Code choose(const runtime::ChoicePoint& point) override { return point.entry.code; }
  } chooser;
  const runtime::ExecutionOptions options = exploration_.interruptible_options();
  if (!options_.replay.empty()) {
    const Schedule schedule = read_schedule(options_.replay);
    if (is_death(schedule.kind)) return warm_up_until(schedule);
  }
  const runtime::ExecutionResult first = runtime::execution.run_body(exploration_.body, chooser, options);
  const std::uint32_t steps = first.log.size;
  left_waiting_ = first.left_waiting;
  log(LogLevel::debug, "{}: ran once before the search, without counting: {}", report_.test,
      count_text(steps, "step"));
  if (options.keeps_memory || !options_.replay.empty() || was_interrupted()) return;
  const runtime::ExecutionResult second = runtime::execution.run_body(exploration_.body, chooser, options);
  if (was_interrupted()) return;
  // If the first execution found that atomics overlap, the second one has different objects.
  const bool is_like = take_found_overlaps() || first.hash == second.hash;
  if (first.outcome == second.outcome && is_like && steps == second.log.size) return;
  add_note(fmt::format(
      "the first execution, which does not count, differed from the second one under the same schedule ({} "
      "steps, then {}): some state is not restored, and what the body does only when it runs for the first "
      "time was not explored (it is with --hocket_restore=fork)",
      number_text(steps), number_text(second.log.size)));
}

// The body may die under the default schedule, too.
void Search::warm_up_until(const Schedule& death) {
  class StopsBeforeLast final : public runtime::Trace {
   public:
    explicit StopsBeforeLast(std::size_t choices) : choices_(choices) {}

   private:
    bool accept(const Choice& /*choice*/) override { return choices().size() < choices_; }
    std::size_t choices_;
  };
  if (death.choices.empty()) return;
  StopsBeforeLast trace(death.choices.size());
  FollowCodes chooser(codes_of(death));
  runtime::ExecutionOptions options = exploration_.execution_options();
  const runtime::RecordedGivingWay giving_way = giving_way_in(death);
  if (giving_way.is_any()) options.recorded_giving_way = &giving_way;
  options.trace = &trace;
  runtime::execution.run_body(exploration_.body, chooser, options);
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
  report_.stopped_by =
      "memory that ran out (--hocket_memory sets a limit that leaves room for other processes)";
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
  if (end == ExecutionsEnd::exhausted) {
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

void Search::follow_lock_orders() {
  const bool may_be_more = report_.failures.empty() && report_.verdict != Verdict::passed_exhaustively &&
                           report_.verdict != Verdict::nondeterministic;
  // What a shard finds others must be able to find, a seal forbids preemptions, and delays are no
  // preemptions.
  if (!may_be_more || options_.shard || !exploration_.seals->empty() ||
      strategy_->bound_unit() != "preemption" || !options_.detect.contains(runtime::Detector::lock_orders))
    return;
  constexpr double kShare = 0.1;  // of the time of the search
  constexpr double kLeast = 0.1;  // seconds
  double left = std::max(kLeast, kShare * std::chrono::duration<double>(Clock::now() - begin_).count());
  for (const LockOrders::Cycle& cycle : met_.lock_orders.cycles()) {
    for (std::size_t first = 0; first < cycle.size(); ++first) {
      if (was_interrupted() || left <= 0 || report_.verdict == Verdict::nondeterministic) return;
      const std::clock_t begun = std::clock();  // a busy machine changes nothing
      const bool has_failed = follow(cycle, first);
      if (has_failed && !options_.keep_going && !report_.failures.empty()) return;
      if (has_failed) break;
      left -= static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    }
  }
}

bool Search::follow(const LockOrders::Cycle& cycle, std::size_t first) {
  // Where executions may have very many steps, this one has to do with the usual number.
  const std::uint32_t usual = std::max(runtime::ExecutionRules{}.max_steps, 2 * met_.lock_orders.steps());
  runtime::ExecutionOptions options = exploration_.interruptible_options();
  const bool is_limited = usual < options.max_steps;
  options.max_steps = std::min(options.max_steps, usual);
  const auto run = [&] {
    HoldsBack chooser(cycle, first);
    return exploration_.run(chooser, options);
  };
  runtime::ExecutionResult result = run();
  if (take_found_overlaps()) result = run();
  const bool retries = !runtime::Retries::take_found().empty();  // it would be another execution then
  if (result.outcome != runtime::Outcome::failed || retries || (is_limited && result.log.size >= usual))
    return false;
  const std::size_t known = report_.failures.size();
  ++report_.executions;
  record_failure(exploration_, codes_of(result.log), result.hash, minimize_budget(completed_bounds(report_)));
  if (report_.failures.size() == known) {  // it is known or suppressed
    --report_.executions;
    return true;
  }
  report_.failed_classes += met_.failed_classes.insert(result.hash) ? 1 : 0;
  if (known == 0) {
    add_note(
        "the failure is not one of a schedule that was searched, but of one more, in which threads that take "
        "locks in different orders do so at the same time (--hocket_detect=-lock-orders switches that off)");
  }
  return true;
}

std::optional<BoundEstimate> Search::estimate(Clock::time_point now) const {
  std::optional<BoundEstimate> estimate = strategy_->estimate();
  if (estimate) estimate->seconds = std::chrono::duration<double>(now - bound_begun_).count();
  return estimate;
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
  report_.class_bytes = met_.classes.bytes() + met_.failed_classes.bytes() + met_.raced_classes.bytes();
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
  if (report_.failures.empty() && report_.steps == 0 && !runtime::has_untracked_calls()) {
    if (std::string note = note_on_threads_without_steps(met_.threads); !note.empty()) add_note(note);
  }
  if (report_.failures.empty()) {
    if (const std::string note = note_on_code_without_hooks(); !note.empty()) add_note(note);
  }
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
    note_began_anew("operations ask for weaker orders than seq_cst (--hocket_memory_model=c11)");
    begin_to_keep_stores();
  }
  return true;
}

void Search::begin_to_keep_stores() {
  exploration_.options.memory_model = report_.memory_model = MemoryModel::c11;
  if (report_.bound_unit == "preemption") report_.bound_unit = kPreemptionsAndStaleReads;
}

void Search::note_overlaps() {
  search_log::begins_anew(
      exploration_, "atomics of several sizes share memory and are one object from now on");
  note_began_anew("atomics of several sizes share memory");
  if (std::exchange(has_found_overlaps_, true)) return;
  add_note(
      "atomics of several sizes were found to share memory, so the search began anew with them as one "
      "object");
}

void Search::take_found_retries() {
  const runtime::RetryLoops found = runtime::Retries::take_found();
  runtime::add_loops(exploration_.retry_loops, found);
  // Reads the symbols once, and not in the child process of each execution.
  static_cast<void>(runtime::platform::function_with(found.begin()->first));
  search_log::begins_anew(exploration_, "a loop retries and never yields: it is taken to yield from now on");
  std::string place = place_of_retry(found);
  note_began_anew("a loop retries at " + place);
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
  search_log::begins_anew(
      exploration_, "threads that yield starve others or keep time from passing: it is fair from now on");
  note_began_anew("threads that yield starve others (--hocket_fair)");
  exploration_.options.fair = true;
  report_.fair = true;
  add_note(
      "threads that yield starved others, or kept time from passing, so the search began anew, fairly "
      "(--hocket_fair)");
  return true;
}

bool Search::cut_short_rightly() {
  // A shard has not all classes. What can be split cuts nothing short because of a state that it knows.
  if (!strategy_->is_complete() || options_.shard ||
      !met_.cut_short.contradicts(met_.classes, !report_.failures.empty(), &met_.raced_classes))
    return true;
  search_log::begins_anew(exploration_, "executions with one happens-before graph went on in different ways");
  exploration_.options.strategy = report_.strategy = strategy_->has_bounds() ? "icb" : "dfs";
  add_note(fmt::format(
      "equal happens-before graphs continued differently: the threads share something that Hocket does not "
      "see; the search began anew with {}, which leaves nothing out",
      report_.strategy));
  return false;
}

void Search::note_began_anew(std::string why) {
  std::vector<std::string>& known = report_.began_anew;
  if (std::find(known.begin(), known.end(), why) == known.end()) known.push_back(std::move(why));
}

void Search::begin_anew() {
  static_cast<Coverage&>(report_) = {};
  met_ = {};
  bound_begun_ = Clock::now();
  strategy_ = make_strategy(options_);
  DyingProcess::describe(describe(exploration_));
}

bool Search::is_over() {
  if (is_over_) return true;
  if (max_executions_ != 0 && report_.executions + report_.dropped + met_.cut_at_limit >= max_executions_) {
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
    if (options_.memory_limit != 0 && bytes_kept > options_.memory_limit / jobs) {
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
  return work.bytes + work.table_bytes + met_.classes.bytes() + met_.failed_classes.bytes() +
         met_.raced_classes.bytes();
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
  if (reports_races && is_completed && !checks) met_.raced_classes.insert(result.hash);
  const bool is_new = !checks && (passed ? met_.classes : met_.failed_classes).insert(result.hash);
  (passed ? report_.classes : report_.failed_classes) += is_new ? 1 : 0;
  if (is_new && options_.shard) note_class_of_shard(result.hash, passed);
  if (!strategy_->has_bounds()) return;
  BoundReport& bound = bound_report(strategy_->bound());
  ++bound.executions;
  if (passed) {
    bound.classes += is_new ? 1 : 0;
  } else {
    ++bound.failures;
  }
}

}  // namespace hocket
