#include "first_look.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <unordered_map>
#include <utility>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../api/explore.hpp"
#include "../deaths/dying_process.hpp"
#include "../failures/failures.hpp"
#include "../process/interrupt.hpp"
#include "../process/output_gate.hpp"
#include "../process/search_guards.hpp"
#include "../replays/exploration.hpp"
#include "../report/report_file.hpp"

namespace hocket {

namespace {

constinit FirstLook* looking = nullptr;

class TakesDefaults final : public runtime::Chooser {
 public:
  TakesDefaults() { consult_at = kNever; }
  runtime::Code choose(const runtime::ChoicePoint& point) override { return point.entry.code; }
};

bool has_choices(const runtime::ChoiceLog& log) {
  return std::any_of(log.entries, log.entries + log.size, [&](const runtime::LogEntry& entry) {
    unsigned candidates = 0;
    log.for_each_candidate(entry, [&](const runtime::Candidate& /*candidate*/) { ++candidates; });
    return candidates > 1;
  });
}

std::string text_of(const runtime::Failure& failure) {
  const std::string place = runtime::place_of(failure.where);
  return failure.message + (place.empty() ? "" : "\n  at " + place);
}

/// The lines at which most of the steps are made, the busiest first.
std::vector<BusyPlace> busy_places(const runtime::Trace& trace) {
  constexpr std::size_t kMostPlaces = 3;
  constexpr std::size_t kFewOf = 20;
  std::unordered_map<std::string, std::uint64_t> counts;
  for (const runtime::RecordedChoice& choice : trace.choices()) {
    if (!choice.where.empty() && !choice.is_value) ++counts[choice.where];
  }
  const std::size_t few = trace.choices().size() / kFewOf;
  std::vector<BusyPlace> places;
  for (const auto& [where, steps] : counts) {
    if (steps > few) places.push_back({where, steps});
  }
  std::sort(places.begin(), places.end(), [](const BusyPlace& a, const BusyPlace& b) {
    return a.steps != b.steps ? a.steps > b.steps : a.where < b.where;
  });
  if (places.size() > kMostPlaces) places.resize(kMostPlaces);
  return places;
}

/// Runs the execution once more, to see where the steps are made of which there are so many.
void find_busy_places(const Exploration& exploration, FirstLook& look) {
  constexpr std::uint32_t kMostRecorded = 10'000;  // recording takes some microseconds for each step
  runtime::Trace trace;
  runtime::ExecutionOptions options = exploration.execution_options();
  options.trace = &trace;
  options.max_steps = std::min(options.max_steps, kMostRecorded);
  TakesDefaults chooser;
  exploration.run(chooser, options);
  look.placed_steps = static_cast<std::uint32_t>(trace.choices().size());
  look.busy_places = busy_places(trace);
}

/// Runs the execution, which fails, once more, because messages say more while it is recorded.
void find_failure(const Exploration& exploration, FirstLook& look) {
  runtime::Trace trace;
  runtime::ExecutionOptions options = exploration.execution_options();
  options.trace = &trace;
  TakesDefaults chooser;
  exploration.begin_capture();
  exploration.run(chooser, options);
  look.output = exploration.end_capture();
  look.failure = text_of(runtime::Execution::failure());
}

void run_once(Exploration& exploration, FirstLook& look) {
  TakesDefaults chooser;
  const std::chrono::nanoseconds most = exploration.options.time_limit;
  Watchdog::set_end(std::chrono::steady_clock::now() + most, most);
  const EndsInTime guard;
  const std::clock_t cpu_begin = std::clock();
  const runtime::ExecutionResult result = exploration.run(chooser, exploration.interruptible_options());
  look.seconds = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  look.outcome = result.outcome;
  look.threads = result.threads;
  look.steps = result.log.size;
  if (const runtime::Skipping* const skipping = runtime::Execution::skipping(); skipping != nullptr) {
    look.is_skipped = true;
    look.reason_to_skip = skipping->reason;
    look.skipped_in = skipping->where.file_name();
    look.skipped_at = skipping->where.line();
  }
  look.has_choices = has_choices(result.log);
  look.is_out_of_time = look.outcome == runtime::Outcome::interrupted && !was_interrupted();
  const bool has_failed = look.outcome == runtime::Outcome::failed;
  look.is_at_step_limit =
      has_failed && runtime::Execution::failure().kind == runtime::FailureKind::step_limit;
  look.has_too_many_threads = has_failed && result.threads == runtime::kMaxThreads &&
                              runtime::Execution::failure().kind == runtime::FailureKind::misuse;
  if (look.is_long() && !look.searches_itself && !look.is_out_of_time) find_busy_places(exploration, look);
  if (has_failed && look.is_sequential() && !look.is_at_step_limit) find_failure(exploration, look);
}

}  // namespace

FirstLook first_look(const std::string& test, const std::function<void()>& body, const Options& options) {
  FirstLook look;
  const std::shared_ptr<void> assertions = listen_to_assertions != nullptr ? listen_to_assertions() : nullptr;
  announce_in_report_file(test);
  {
    const SearchGuard guard;
    Exploration exploration{body, options};
    exploration.options.restore =
        options.restore == Restore::fork ? Restore::snapshot : options.restore;  // one process is enough
    use_usual_stack(exploration.options);
    exploration.report.test = test;
    exploration.report.strategy = options.strategy;
    const InterruptGuard interrupt_guard;
    if (!options.show_output) exploration.gate = std::make_unique<OutputGate>();
    const DeathGuards death_guards(describe(exploration),
        options.save_schedules ? options.schedule_dir : std::string{}, exploration.report, options.watchdog,
        true);
    runtime::Verdict::forget_skipping();
    looking = &look;
    run_once(exploration, look);
    looking = nullptr;
    exploration.gate.reset();
  }
  runtime::Verdict::forget_skipping();  // who wants to know asks the look
  announce_in_report_file({});
  return look;
}

bool is_in_first_look() {
  return looking != nullptr && runtime::is_controlled();
}

void leave_first_look_to_search() {
  if (!is_in_first_look()) return;
  looking->searches_itself = true;
  runtime::step::drop();
}

}  // namespace hocket
