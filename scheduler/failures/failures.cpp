#include "failures.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/symbols/build_id.hpp"
#include "../../runtime/platform/symbols/debug_info.hpp"
#include "../../runtime/platform/symbols/debug_info_program.hpp"
#include "../deaths/last_execution.hpp"
#include "../existing_tests/existing_tests.hpp"
#include "../process/interrupt.hpp"
#include "../replays/replay.hpp"
#include "../report/log.hpp"
#include "../report/report_file.hpp"
#include "../schedules/kept_steps.hpp"
#include "../schedules/schedule_file.hpp"
#include "../schedules/schedule_words.hpp"
#include "../schedules/shown_steps.hpp"
#include "../schedules/store_order.hpp"
#include "forbidding_orders.hpp"
#include "needed_preemptions.hpp"
#include "overtaken_sleeps.hpp"
#include "shown_stacks.hpp"
#include "trial_search.hpp"

namespace hocket {

namespace {

constexpr std::size_t kMostInFull = 10;

/// A smaller number for what is more likely to be the cause of other failures.
unsigned rank(FailureKind kind) {
  switch (kind) {
    case FailureKind::data_race:
      return 0;
    case FailureKind::heap_error:
    case FailureKind::use_after_return:
    case FailureKind::use_after_destruction:
      return 1;
    case FailureKind::misuse:
    case FailureKind::joinable_destroyed:
      return 2;
    case FailureKind::leak:
      return 4;
    default:
      return 3;
  }
}

}  // namespace

void sort_by_cause(std::vector<FoundFailure>& failures) {
  std::stable_sort(failures.begin(), failures.end(), [](const FoundFailure& one, const FoundFailure& other) {
    return std::pair(one.is_in_short, rank(one.kind)) < std::pair(other.is_in_short, rank(other.kind));
  });
}

Schedule describe(const Exploration& exploration) {
  const Options& options = exploration.options;
  const Report& report = exploration.report;
  Schedule schedule;
  schedule.test = report.test;
  schedule.binary = runtime::platform::path_of_this_program();
  schedule.build_id = runtime::platform::build_id_of_this_program();
  schedule.whole_test = WholeTestGuard::is_searched();
  schedule.strategy = options.strategy;
  schedule.seed = options.seed;
  schedule.seal = options.seal;
  schedule.open = options.open;
  schedule.rules() = exploration.rules();
  // Only a race that is not known yet ends an execution before something else does.
  if (exploration.goes_past_races()) schedule.passed_races = std::numeric_limits<std::uint32_t>::max();
  schedule.executions = report.executions == 0 ? 0 : report.executions - 1;
  return schedule;
}

namespace {

/// The lines of source after which threads are preempted. Reports tell few of the last preemptions.
void add_sources(Schedule& schedule) {
  constexpr std::size_t kMost = 8;
  schedule.sources.clear();
  for (std::size_t n = schedule.choices.size(); n-- > 1 && schedule.sources.size() < kMost;) {
    if (!is_preemption(schedule, n)) continue;
    std::string line = line_of_source(schedule.choices[step_before(schedule, n)].where);
    if (!line.empty()) schedule.sources[n] = std::move(line);
  }
}

/// Says once why variables have no names, if the program that reads debug information cannot be run.
void warn_of_missing_names() {
  static bool is_told = false;
  const char* const refused = runtime::platform::refused_debug_info();
  const bool is_missing = runtime::platform::is_debug_info_in_no_place();
  if ((refused == nullptr && !is_missing) || std::exchange(is_told, true)) return;
  if (refused != nullptr) {
    warn(
        "{} is not run, and variables have no names, as others could have changed it: it or its folder does "
        "not belong to you or to root, or everybody may write there; name one that you trust in "
        "HOCKET_DEBUG_INFO",
        refused);
  } else {
    warn(
        "variables have no names and stacks no lines, as hocket-debug-info was not found or could not be "
        "started; it is found if the folder of the command hocket is in PATH");
  }
}

}  // namespace

void describe_failure(Schedule& schedule, const runtime::Failure& failure, const runtime::Trace& trace) {
  schedule.kind = failure.kind;
  schedule.message = failure.message;
  schedule.where = runtime::place_of(failure.where);
  schedule.threads = trace.threads();
  schedule.choices = trace.choices();
  schedule.fences = trace.fences();
  schedule.names_from_debug_info = runtime::platform::has_debug_info_named();
  schedule.lacks_debug_info =
      !schedule.names_from_debug_info && runtime::platform::is_program_without_debug_info();
  warn_of_missing_names();
  schedule.stacks = shown_stacks(failure.stacks);
  schedule.bound = 0;
  for (const runtime::RecordedChoice& choice : schedule.choices) schedule.bound += choice.price;
  add_sources(schedule);
}

void add_failure(
    Exploration& exploration, Schedule schedule, std::string output, const std::string& already_saved_in) {
  const Options& options = exploration.options;
  Report& report = exploration.report;
  FoundFailure found;
  found.kind = schedule.kind;
  found.message = schedule.message;
  found.where = schedule.where;
  found.bound = schedule.bound;
  found.found_bound = schedule.found_choices.empty() ? schedule.bound : schedule.found_bound;
  found.executions = schedule.executions;
  found.output = std::move(output);
  found.schedule_file = already_saved_in;
  found.is_in_short = report.failures.size() >= kMostInFull;
  if (already_saved_in.empty() && options.save_schedules && !found.is_in_short) {
    try {
      found.schedule_file = save_new(schedule, options.schedule_dir).lexically_normal().string();
      log(LogLevel::info, "{}: the failure is saved in {}", report.test, found.schedule_file);
    } catch (const ScheduleError& error) {
      found.not_saved_because = error.what();
      print_unsaved(schedule, error.what());
    }
  }
  found.schedule = std::make_shared<const Schedule>(std::move(schedule));
  report.failures.push_back(std::move(found));
  report.verdict = Verdict::failed;
  note_in_report_file(exploration.report);
}

void reorder(Exploration& exploration, const std::vector<OrderedChoice>& order,
    const runtime::ClassHash& hash, std::vector<std::uint16_t>& codes) {
  FollowOrder chooser(order);
  const runtime::ExecutionResult again = exploration.run(chooser, exploration.execution_options());
  if (again.outcome == runtime::Outcome::failed && again.hash == hash) codes = codes_of(again.log);
}

namespace {

bool is_same(
    const RecordedFailure& recorded, const runtime::Failure& wanted, const runtime::ClassHash& hash) {
  return recorded.result.outcome == runtime::Outcome::failed && recorded.failure.kind == wanted.kind &&
         recorded.result.hash == hash;
}

/// Runs the body under `codes`. `like` has everything of the schedule that does not depend on it.
RecordedFailure record(Exploration& exploration, runtime::ExecutionOptions options,
    const std::vector<std::uint16_t>& codes, const Schedule& like) {
  runtime::Trace trace;
  trace.expect_choices(codes.size());
  FollowCodes chooser(codes);
  options.trace = &trace;
  exploration.begin_capture();
  RecordedFailure recorded;
  recorded.result = exploration.run(chooser, options);
  recorded.output = exploration.end_capture();
  recorded.failure = runtime::Execution::failure();
  recorded.schedule = like;
  recorded.schedule.passed_races = recorded.result.passed_races;
  describe_failure(recorded.schedule, recorded.failure, trace);
  return recorded;
}

}  // namespace

unsigned make_shorter(Exploration& exploration, const runtime::ExecutionOptions& options,
    const std::vector<std::uint16_t>& codes, const MinimizeBudget& budget, RecordedFailure& recorded) {
  const std::optional<Minimum> minimum = minimize(exploration, options, recorded.failure, codes, budget);
  if (!minimum) return 0;
  const bool is_sealed = options.sealed_steps != nullptr;  // schedules with fewer were left out
  const auto known_least = is_sealed ? 0 : static_cast<unsigned>(minimum->known_least);
  if (minimum->codes == codes) return known_least;
  RecordedFailure shorter = record(exploration, options, minimum->codes, recorded.schedule);
  if (!is_same(shorter, recorded.failure, minimum->hash)) return 0;
  if (shorter.schedule.found_choices.empty()) {
    shorter.schedule.found_bound = recorded.schedule.bound;
    shorter.schedule.found_choices = numbers_of(recorded.schedule.choices);
  }
  recorded = std::move(shorter);
  return known_least;
}

namespace {

constexpr const char* kLateTimeouts =
    "sleeps and timeouts that end only where no thread can go on, --hocket_timeouts=late";

/// Sleeps and timeouts that are late are a remedy. Names the one of which that is known.
void tell_remedy_of_time(const Exploration& exploration, const runtime::ExecutionOptions& options,
    std::chrono::steady_clock::time_point deadline, Schedule& schedule) {
  schedule.remedy = kLateTimeouts;
  const std::vector<EarlySleep> sleeps = early_sleeps(schedule);
  if (sleeps.empty()) return;
  FollowCodes again(codes_of(schedule));
  const Plan plan = plan_of(exploration.run(again, options).log).first;
  for (const EarlySleep& sleep : sleeps) {
    if (std::chrono::steady_clock::now() >= deadline || was_interrupted()) return;
    PutsRight chooser(plan, schedule, sleep);
    if (exploration.run(chooser, options).outcome != runtime::Outcome::completed) continue;
    std::string& why = schedule.why[sleep.at];
    why += (why.empty() ? "" : " ") + sleep.text +
           " Without this the test passes, and always if all sleeps and timeouts are late: "
           "--hocket_timeouts=late.";
    schedule.remedy.clear();
    return;
  }
}

/// Whether a sleep or a timeout has ended before the failure, and might have ended later.
bool comes_of_time(const Schedule& schedule, const Options& options) {
  if (options.timeouts == Timeouts::late || options.minimize.count() == 0) return false;
  const auto end = schedule.choices.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                  failing_choice(schedule) + 1, schedule.choices.size()));
  return std::any_of(schedule.choices.begin(), end, [](const runtime::RecordedChoice& choice) {
    return choice.mode == runtime::Mode::expire || choice.operation == runtime::Operation::thread_sleep;
  });
}

}  // namespace

void explain(
    const Exploration& exploration, const runtime::ExecutionOptions& options, RecordedFailure& recorded) {
  constexpr std::chrono::nanoseconds kUsual = std::chrono::seconds(1);
  const std::chrono::nanoseconds asked = exploration.options.minimize;
  const std::chrono::nanoseconds most = asked > Options{}.minimize ? asked : kUsual;
  const auto deadline = exploration.end_after(std::min(asked, most));
  explain_preemptions(exploration, options, recorded.failure, deadline, recorded.schedule);
  if (stale_choices(recorded.schedule) != 0 && exploration.options.minimize.count() != 0) {
    recorded.schedule.remedy =
        orders_that_forbid(exploration, options, recorded.schedule, exploration.end_after(most));
  }
  // A remedy for the orders of memory is one for the failure, whatever the clock does.
  if (recorded.schedule.remedy.empty() && comes_of_time(recorded.schedule, exploration.options)) {
    runtime::ExecutionOptions late = options;
    late.late_from = 1;
    if (passes_in_full(exploration, late, recorded.schedule.bound, exploration.end_after(most)))
      tell_remedy_of_time(exploration, options, exploration.end_after(most), recorded.schedule);
  }
  recorded.schedule.hardware = hardware_that_does(recorded.schedule);
}

namespace {

/// Replaces the failure that was added last, and is `recorded`, by an execution that is easier to understand,
/// and says why it needs its preemptions.
void make_understood(Exploration& exploration, const runtime::ExecutionOptions& options,
    const std::vector<std::uint16_t>& codes, const MinimizeBudget& budget, RecordedFailure& recorded) {
  if (was_interrupted()) return;
  const unsigned known_least = make_shorter(exploration, options, codes, budget, recorded);
  explain(exploration, options, recorded);
  Schedule& schedule = recorded.schedule;
  const bool is_first =
      schedule.executions == 0 && schedule.bound == 0 && schedule.remedy.empty() && schedule.why.empty();
  if (is_first && !was_interrupted() && schedule.threads.size() > 1 &&
      exploration.options.minimize.count() != 0)
    schedule.schedules_tried = schedules_that_all_fail(exploration, options, recorded.failure);
  FoundFailure& found = exploration.report.failures.back();
  found.known_least = known_least;
  if (schedule.found_choices.empty() && schedule.why.empty() && schedule.remedy.empty() &&
      schedule.hardware.empty() && schedule.schedules_tried == 0)
    return;
  if (!found.schedule_file.empty()) {
    try {
      replace(found.schedule_file, recorded.schedule);
    } catch (const ScheduleError& error) {
      const bool is_longer = !recorded.schedule.found_choices.empty();
      warn("{}; the file keeps {}", error.what(), is_longer ? "the longer schedule" : "what it has");
      return;
    }
  }
  found.message = recorded.schedule.message;
  found.where = recorded.schedule.where;
  found.bound = recorded.schedule.bound;
  found.output = std::move(recorded.output);
  found.schedule = std::make_shared<const Schedule>(std::move(recorded.schedule));
  note_in_report_file(exploration.report);
}

}  // namespace

bool is_suppressed(Exploration& exploration, const runtime::Failure& failure) {
  const std::string line = exploration.suppressions.matching(failure);
  if (line.empty()) return false;
  std::vector<Suppressed>& all = exploration.suppressed;
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const Suppressed& each) { return each.line == line; });
  ++(known != all.end() ? *known : all.emplace_back(Suppressed{line})).failures;
  return true;
}

namespace {

/// Saves the choices of a failure alone, because a signal ended the execution in which it was to be recorded.
void add_unrecorded(
    Exploration& exploration, const std::vector<std::uint16_t>& codes, const runtime::Failure& failure) {
  Schedule schedule = describe(exploration);
  schedule.kind = failure.kind;
  schedule.message = failure.message;
  schedule.where = runtime::place_of(failure.where);
  schedule.complete = false;
  for (const std::uint16_t code : codes) schedule.choices.push_back(choice_of(code));
  add_failure(exploration, std::move(schedule), {}, {});
}

}  // namespace

void record_failure(Exploration& exploration, const std::vector<std::uint16_t>& codes,
    const runtime::ClassHash& hash, const MinimizeBudget& budget) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the second run changes it
  const runtime::Failure first = runtime::Execution::failure();
  if (!exploration.signatures.insert(first.signature).second) return;
  runtime::ExecutionOptions options = exploration.interruptible_options();
  // The codes alone do not tell where a loop yields, nor whether the failure is a known one.
  options.may_be_interrupted = exploration.retry_loops.empty() && exploration.suppressions.empty();
  const bool is_too_late = options.may_be_interrupted && was_interrupted();
  if (is_too_late) return add_unrecorded(exploration, codes, first);
  RecordedFailure recorded = record(exploration, options, codes, describe(exploration));
  if (recorded.result.outcome == runtime::Outcome::interrupted || runtime::execution.verdict.is_interrupted())
    return add_unrecorded(exploration, codes, first);
  options.may_be_interrupted = true;
  if (!is_same(recorded, first, hash)) {
    exploration.report.verdict = Verdict::nondeterministic;
    const std::string kind(to_string(first.kind));
    const std::string what = first.message.starts_with(kind) ? first.message : kind + ": " + first.message;
    exploration.report.explanation =
        "an execution failed (" + what + "), but " +
        (recorded.result.outcome == runtime::Outcome::failed ? "failed in another way" : "passed") +
        " when it was run again under the same schedule";
    return;
  }
  if (is_suppressed(exploration, recorded.failure)) return;
  // It is saved and reported first, because another schedule may end the process.
  add_failure(exploration, recorded.schedule, recorded.output, {});
  if (!exploration.report.failures.back().is_in_short)
    make_understood(exploration, options, codes, budget, recorded);
}

}  // namespace hocket
