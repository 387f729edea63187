#include "search.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/platform/symbols/call_site.hpp"
#include "../api/number_text.hpp"
#include "../process/debugger.hpp"
#include "../schedules/schedule_file.hpp"
#include "death_guards.hpp"
#include "determinism.hpp"
#include "failures.hpp"
#include "replay.hpp"
#include "report_file.hpp"
#include "saved_failures.hpp"
#include "warning.hpp"

namespace hocket {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSampleExecutions = 10'000;
constexpr std::size_t kMostFailures = 10;
/// The first of so many executions is run twice: a body that keeps something from one to the next gives
/// itself away at once, however short the search.
constexpr std::uint32_t kRepeatEvery = 1000;

/// The monotonic clock at a resolution of some milliseconds, a few nanoseconds a call: it is read at every
/// execution.
Clock::time_point coarse_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return Clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

/// Whether atomics overlap that were taken for objects of their own until now.
bool found_overlaps() {
  runtime::ThreadHost* const host = runtime::execution.host;
  return host != nullptr && host->found_overlaps();
}

std::size_t usual_stack() {
  constexpr std::size_t kOfInstrumentedCode = std::size_t{8} << 20U;
  return runtime::execution.host != nullptr ? kOfInstrumentedCode : runtime::ExecutionRules{}.stack_size;
}

}  // namespace

Search::Search(std::string test, const std::function<void()>& body, const Options& options)
    : exploration_{body, options}, strategy_(make_strategy(options)) {
  check(options);
  if (options.stack_size == 0) exploration_.options.stack_size = usual_stack();
  report_.test = std::move(test);
  report_.strategy = options.strategy;
  report_.bound_unit = strategy_->bound_unit();
  report_.fair = options.fair;
  max_executions_ = options.max_executions;
  if (max_executions_ == 0 && strategy_->is_sampling() && options.time_limit.count() == 0) {
    max_executions_ = kSampleExecutions;
  }
}

Report Search::run() {
  tell_debuggers();
  const InterruptGuard interrupt_guard;
  if (!options_.show_output) exploration_.gate = std::make_unique<OutputGate>();
  if (exploration_.makes_children()) flush_standard_streams();  // else a child prints what is still in them
  begin_ = Clock::now();
  const bool is_replay = !options_.replay.empty();
  const bool saves = options_.save_schedules && !is_replay;
  report_.is_replay = is_replay;
  const DeathGuards death_guards(describe(exploration_, runtime::Failure{}, runtime::Trace{}),
      saves ? options_.schedule_dir : std::string{}, report_,
      options_.break_at_failure ? std::chrono::nanoseconds(0)
                                : options_.watchdog,  // a debugger takes its time
      !is_replay && !options_.break_at_failure);
  note_uncontrolled_threads();
  if (runtime::execution.host != nullptr && !begins_untouched()) warm_up();
  if (is_replay) {
    follow_file(exploration_);
  } else {
    if (options_.try_saved) follow_saved_failures(exploration_);
    const bool is_enough =
        options_.keep_going ? report_.failures.size() >= kMostFailures : report_.from_saved;
    if (!is_enough) explore();
  }
  progress_.clear();
  exploration_.gate.reset();
  report_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (!report_.failed()) {
    runtime::WeakerOperations weaker = runtime::execution.weaker_operations();
    report_.weaker_operations = std::move(weaker.list);
    report_.may_be_more_weaker_operations = weaker.may_be_more;
  }
  return std::move(report_);
}

void Search::note_uncontrolled_threads() {
  runtime::ThreadHost* const host = runtime::execution.host;
  const unsigned threads = host != nullptr ? host->uncontrolled_threads() : 0;
  if (threads == 0) return;
  add_note(
      fmt::format("the program has {} from before the search, which {} not under control: {} may change what "
                  "a body reads, and what "
                  "{} may be put back. Start threads in the body, and end the others before the search",
          threads == 1 ? "a thread" : fmt::format("{} threads", threads), threads == 1 ? "is" : "are",
          threads == 1 ? "it" : "they", threads == 1 ? "it changes" : "they change"));
}

void Search::add_note(const std::string& text) {
  report_.note += (report_.note.empty() ? "" : "; ") + text;
  ReportAtDeath::refresh();
}

// In a process of its own each execution finds libraries that nobody has used yet, and so must its replay.
bool Search::begins_untouched() const {
  return options_.replay.empty() ? exploration_.makes_children() : read_schedule(options_.replay).own_process;
}

// Libraries that know nothing of Hocket make themselves ready when they are first used, and what they have
// made stays. So the first execution is not like the others, and does not count. But whether it did the same
// is looked at: what differs then is not explored.
void Search::warm_up() {
  class KeepRunning final : public runtime::Chooser {
   public:
    KeepRunning() { consult_at = kNever; }
    runtime::Code choose(const runtime::ChoicePoint& point) override { return point.entry.code; }
  } chooser;
  const runtime::ExecutionOptions options = exploration_.execution_options();
  const runtime::ExecutionResult first = runtime::execution.run(exploration_.body, chooser, options);
  const std::uint32_t steps = first.log.size;
  if (options.keeps_memory || !options_.replay.empty()) return;
  const runtime::ExecutionResult second = runtime::execution.run(exploration_.body, chooser, options);
  // Where the first one has found that atomics share memory, the second one has other objects.
  const bool is_like = found_overlaps() || first.hash == second.hash;
  if (first.outcome == second.outcome && is_like && steps == second.log.size) return;
  add_note(fmt::format(
      "the first execution, which does not count, did something else than the second one under the same "
      "schedule ({} steps, then {}): something that is not put back remembers it, and what the body does "
      "only "
      "when it runs for the first time was not explored (it is with --hocket_restore=fork)",
      number_text(steps), number_text(second.log.size)));
}

void Search::explore() {
  runtime::ExecutionOptions options = exploration_.execution_options();
  options.observer = strategy_->observer();
  options.leaves_out_unfair = strategy_->leaves_out_unfair();
  strategy_->must_stop = [this] { return is_over_ = limit_is_reached(true); };
  needs_clock_ = options_.time_limit.count() != 0 || progress_.is_shown();
  constexpr std::chrono::hours kForEver(24 * 365 * 100);  // and no overflow
  deadline_ = options_.time_limit.count() != 0 && options_.time_limit < kForEver
                  ? Clock::now() + options_.time_limit
                  : Clock::time_point::max();
  report_.executions = 0;  // of saved failures: they are no part of the search
  found_overlaps();        // before the search
  unsigned bound = 0;
  std::uint64_t in_hand = 0;  // taken from the strategy and not run
  report_.verdict = Verdict::stopped;
  for (;;) {
    if (!strategy_->next()) {
      conclude_within_bound();
      break;
    }
    if (is_over()) {
      in_hand = strategy_->is_sampling() ? 0 : 1;
      break;
    }
    if (strategy_->bound() != bound) {
      const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
      for (; bound < strategy_->bound(); ++bound) {
        bound_report(bound).complete = true;
        progress_.bound_done(report_, bound, strategy_->pending().items, seconds);
      }
    }
    const runtime::ExecutionResult result = exploration_.run(*strategy_, options);
    account_for_polling(result);
    if (found_overlaps()) {
      if (!std::exchange(has_found_overlaps_, true)) {
        add_note(
            "atomics of several sizes were found to share memory, so the search began anew with them as one "
            "object");
      }
      begin_anew();
      options.observer = strategy_->observer();
      bound = 0;
      continue;
    }
    if (result.outcome == runtime::Outcome::unfair && !options.fair) {
      if (!begin_anew_fairly()) break;
      options.fair = true;
      bound = 0;
      continue;
    }
    if (result.outcome == runtime::Outcome::failed) {
      // What branches off is noted before the failing execution is run again, which overwrites the log.
      std::vector<std::uint16_t> codes = codes_of(result.log);
      const runtime::ClassHash hash = result.hash;
      const unsigned price = strategy_->bound();
      account(result);
      if (!strategy_->finished(result)) {
        explain_divergence(exploration_, *strategy_, codes);
        break;
      }
      if (const std::vector<OrderedChoice> order = strategy_->cheapest_order(); !order.empty()) {
        reorder(exploration_, order, hash, codes);
      }
      const std::size_t known = report_.failures.size();
      record_failure(exploration_, codes, hash);
      // A schedule knows of its preemptions only.
      if (report_.failures.size() > known && report_.bound_unit != "preemption")
        report_.failures.back().bound = price;
      if (report_.verdict == Verdict::nondeterministic) break;
      if (!options_.keep_going || report_.failures.size() >= kMostFailures) break;
      continue;
    }
    account(result);
    if (!strategy_->finished(result)) {
      explain_divergence(exploration_, *strategy_, codes_of(result.log));
      break;
    }
    // A strategy sees only what its pending work depends on. Here it has what it needs of the log, which is
    // overwritten now.
    if (result.outcome != runtime::Outcome::completed) continue;
    const std::uint32_t nth = completed_++;
    if (nth % kRepeatEvery == 0 && !recurs(exploration_, result, nth == 0)) break;
  }
  const PendingWork work = strategy_->pending();
  report_.pending = work.items + in_hand;
  report_.table_bytes = std::max(report_.table_bytes, work.table_bytes);
  if (const std::string note = strategy_->note(); !note.empty()) add_note(note);
  if (left_out_unfair_) {
    add_note(
        fmt::format("schedules in which a thread that yields keeps others waiting were left out, also such "
                    "as come to an end, "
                    "so that a pass is no guarantee: {} knows no prices, icb runs them, each for its price",
            options_.strategy));
  }
  if (cut_at_limit_ != 0) {
    add_note(fmt::format(
        "{} in which a thread that yields keeps others waiting did not end within {} steps, and {} "
        "cut there",
        cut_at_limit_ == 1 ? "a schedule" : number_text(cut_at_limit_) + " schedules", step_limit(options_),
        cut_at_limit_ == 1 ? "was" : "were"));
  }
  if (runtime::execution.passes_over_races()) {
    add_note("threads share plain data and data races were not looked for, so that a pass is no guarantee");
  }
  if (const void* const code = runtime::execution.priced_poll(); code != nullptr) {
    add_note(
        fmt::format("a loop that polls{} changes something in each round; after 128 looks, 256, 512 and so "
                    "on it was made to yield, "
                    "which costs a preemption: schedules in which it looks more often are within the bound "
                    "only at that price",
            runtime::at(runtime::place_of(runtime::platform::user_code_at(code)))));
  }
  if (const void* const code = runtime::execution.met_attempt(); code != nullptr) {
    add_note(fmt::format(
        "a thread that tries a lock{} can meet an attempt of std::lock half done; of calls that "
        "hold each other up, each holding what the other one tries, it meets only the first attempts",
        runtime::at(runtime::place_of(runtime::platform::user_code_at(code)))));
  }
  if (runtime::execution.passes_over_failures()) {
    report_.passed_over = true;
    add_note(
        "executions that came to a bug which is not looked for were dropped there, so that a pass "
        "is no guarantee");
  }
  report_.class_bytes = classes_.bytes() + failed_classes_.bytes();
  report_.abandoned = abandoned_;
  if (!report_.failures.empty() && report_.verdict != Verdict::nondeterministic)
    report_.verdict = Verdict::failed;
}

bool Search::begin_anew_fairly() {
  if (!strategy_info(options_.strategy).can_be_fair) {
    report_.stopped_by = fmt::format(
        "a schedule that keeps threads waiting for ever while others yield ({} cannot search fairly; icb, "
        "random and others can)",
        options_.strategy);
    return false;
  }
  exploration_.options.fair = true;
  report_.fair = true;
  add_note(
      "threads that yield kept others waiting for ever, or time from passing, so the search began anew, "
      "fairly (--hocket_fair)");
  begin_anew();
  return true;
}

void Search::begin_anew() {
  report_.executions = report_.dropped = report_.pruned = report_.classes = report_.failed_classes =
      report_.steps = 0;
  report_.bounds.clear();
  report_.counts_polling = false;
  report_.polls_at.clear();
  last_poll_ = {};
  cut_at_limit_ = 0;
  left_out_unfair_ = false;
  classes_ = {};
  failed_classes_ = {};
  strategy_ = make_strategy(options_);
  strategy_->must_stop = [this] { return is_over_ = limit_is_reached(true); };
}

bool Search::is_over() {
  if (is_over_) return true;
  if (max_executions_ != 0 && report_.executions + report_.dropped + cut_at_limit_ >= max_executions_) {
    report_.stopped_by = fmt::format("the limit of {} executions", number_text(max_executions_));
    if (strategy_->is_sampling() && report_.executions != 0) report_.verdict = Verdict::passed_sample;
    return true;
  }
  // The frontier is measured now and then only: it grows by little in an execution.
  const bool measures_memory = (++turns_ & 0xffU) == 0;
  if (!was_interrupted() && !needs_clock_ && !measures_memory) [[likely]]
    return false;
  is_over_ = limit_is_reached(measures_memory);
  return is_over_;
}

bool Search::limit_is_reached(bool measures_memory) {
  if (was_interrupted()) {
    report_.stopped_by = "Ctrl-C";
    return true;
  }
  if (needs_clock_) {
    const Clock::time_point now = coarse_now();
    if (now >= deadline_) {
      report_.stopped_by =
          "the time limit of " + duration_text(std::chrono::duration<double>(options_.time_limit).count());
      if (strategy_->is_sampling() && report_.executions != 0) report_.verdict = Verdict::passed_sample;
      return true;
    }
    if (progress_.is_shown()) progress_.tick(report_, *strategy_, begin_, now);
  }
  if (measures_memory) {
    measure_frontier();
    if (options_.memory_limit != 0 && bytes_kept_ > options_.memory_limit) {
      report_.stopped_by = fmt::format("the memory limit of {} bytes", number_text(options_.memory_limit));
      return true;
    }
  }
  return false;
}

void Search::measure_frontier() {
  const PendingWork work = strategy_->pending();
  report_.table_bytes = work.table_bytes;
  bytes_kept_ = work.bytes + work.table_bytes + classes_.bytes() + failed_classes_.bytes();
  if (work.items > report_.frontier_peak_items) {
    report_.frontier_peak_items = work.items;
    report_.frontier_peak_bytes = work.bytes;
  }
}

void Search::conclude_within_bound() {
  for (BoundReport& bound : report_.bounds) bound.complete = true;
  if (report_.executions == 0) {  // every execution was dropped
    report_.stopped_by = runtime::execution.passes_over_failures()
                             ? "assume(), or a bug that is not looked for, in every execution"
                             : "assume(), which dropped every execution";
    return;
  }
  if (!strategy_->is_complete() || left_out_unfair_) {
    report_.verdict = Verdict::passed_sample;
  } else {
    const bool is_all = !strategy_->left_out_any() && cut_at_limit_ == 0;
    report_.verdict = is_all ? Verdict::passed_exhaustively : Verdict::passed_within_bound;
  }
  if (abandoned_ != 0) warn("{} executions left a stack behind that could not be unwound", abandoned_);
}

void Search::account_for_polling(const runtime::ExecutionResult& result) {
  constexpr std::size_t kMostPlaces = 3;
  left_out_unfair_ |= result.left_out_unfair;
  if (!result.priced_yield || strategy_->bound_unit() != "preemption" || !strategy_->has_bounds()) return;
  report_.counts_polling = true;
  const runtime::Where where = result.yields_at;
  const bool is_known = where.line() == last_poll_.line() && where.file_name() == last_poll_.file_name();
  if (is_known || report_.polls_at.size() == kMostPlaces) return;
  last_poll_ = where;
  std::string place = runtime::place_of(where);
  const bool is_new = !place.empty() && std::find(report_.polls_at.begin(), report_.polls_at.end(), place) ==
                                            report_.polls_at.end();
  if (is_new) report_.polls_at.push_back(std::move(place));
}

BoundReport& Search::bound_report(unsigned bound) {
  if (report_.bounds.size() <= bound) report_.bounds.resize(bound + 1);
  return report_.bounds[bound];
}

void Search::account(const runtime::ExecutionResult& result) {
  report_.steps += result.log.size;
  abandoned_ += result.abandoned ? 1 : 0;
  if (result.outcome == runtime::Outcome::dropped) {
    ++report_.dropped;
    return;
  }
  if (result.outcome == runtime::Outcome::pruned || result.outcome == runtime::Outcome::unfair) {
    ++report_.pruned;
    cut_at_limit_ += result.outcome == runtime::Outcome::unfair ? 1 : 0;
    return;
  }
  if (result.outcome == runtime::Outcome::diverged) return;
  ++report_.executions;
  const bool passed = result.outcome == runtime::Outcome::completed;
  const bool is_new = (passed ? classes_ : failed_classes_).insert(result.hash);
  (passed ? report_.classes : report_.failed_classes) += is_new ? 1 : 0;
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
