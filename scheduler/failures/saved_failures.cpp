#include "saved_failures.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/files.hpp"
#include "../../runtime/platform/symbols/build_id.hpp"
#include "../../runtime/platform/symbols/stack_lines.hpp"
#include "../../runtime/platform/symbols/user_code.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../api/bound_text.hpp"
#include "../deaths/dying_process.hpp"
#include "../deaths/last_execution.hpp"
#include "../process/interrupt.hpp"
#include "../replays/debugger_stops.hpp"
#include "../replays/replay.hpp"
#include "../report/log.hpp"
#include "../report/other_jobs.hpp"
#include "../schedules/kept_steps.hpp"
#include "../schedules/schedule_file.hpp"
#include "failures.hpp"
#include "shown_stacks.hpp"

namespace hocket {

namespace {

/// Makes the choices of the schedule those that the search found. Only their codes are known.
void follow_as_found(Schedule& schedule) {
  schedule.choices.clear();
  schedule.why.clear();
  schedule.sources.clear();
  schedule.schedules_tried = 0;
  for (const runtime::Code code : schedule.found_choices) {
    schedule.choices.push_back(choice_of(code));
  }
  schedule.found_choices.clear();
  schedule.threads.clear();
  schedule.complete = false;
}

/// Replaces what is in the file, if it is one that can be written to. Returns why that was not done, or
/// nothing.
std::string written_to(const std::string& file, const Schedule& schedule) {
  if (file == kStandardInput) return "standard input has the schedule still as it came";
  try {
    replace(file, schedule);
    return {};
  } catch (const ScheduleError& error) {
    return std::string(error.what()) + "; the file stays as it is";
  }
}

/// Whether the body fails with that signature under `codes`.
bool fails_so(const Exploration& exploration, const runtime::ExecutionOptions& rules,
    const std::vector<std::uint16_t>& codes, std::uint64_t signature) {
  FollowCodes chooser(codes);
  return exploration.run(chooser, rules).outcome == runtime::Outcome::failed &&
         runtime::Execution::failure().signature == signature;
}

/// Reports the failure of the replayed file, and makes the schedule in the file shorter first if that is
/// asked for.
void report_again(Exploration& exploration, const Schedule& file, ReplayResult result, std::string output) {
  const Options& options = exploration.options;
  RecordedFailure recorded{{}, runtime::Execution::failure(), std::move(result.schedule), std::move(output)};
  recorded.schedule.complete = true;
  unsigned known_least = 0;
  exploration.retry_loops = std::move(result.retry_loops);
  runtime::ExecutionOptions rules = replay_options(exploration, file);
  rules.retry_loops = &exploration.retry_loops;
  rules.may_be_interrupted = true;
  if (!exploration.seals->empty()) rules.sealed_steps = exploration.seals.get();  // of what is shorter, too
  const std::vector<std::uint16_t> codes = codes_of(file);
  const bool is_wanted = options.minimize_file && !options.replay_original;
  const bool yields_elsewhere = is_wanted && giving_way_in(recorded.schedule).is_any() &&
                                !fails_so(exploration, rules, codes, result.signature);
  if (yields_elsewhere)
    warn("{} stays as it is: threads yield in loops that retry, and where is not clear from this execution",
        options.replay);
  if (is_wanted && !yields_elsewhere) {
    const MinimizeBudget budget{exploration.end_after(options.minimize), 0};
    const std::size_t steps = recorded.schedule.choices.size();
    known_least = make_shorter(exploration, rules, codes, budget, recorded);
    explain(exploration, rules, recorded);
    const Schedule& now = recorded.schedule;
    if (now.choices.size() != steps || now.bound != file.bound || now.why != file.why) {
      if (const std::string why_not = written_to(options.replay, now); !why_not.empty())
        print_unsaved(now, why_not);
    }
  }
  const bool lacks_its_end = !file.complete && !is_death(file.kind) && options.replay != kStandardInput;
  if (lacks_its_end && !options.replay_original) {
    if (const std::string why_not = written_to(options.replay, recorded.schedule); !why_not.empty())
      warn("{}", why_not);
  }
  add_failure(exploration, std::move(recorded.schedule), std::move(recorded.output), options.replay);
  exploration.report.failures.back().differs_from_file = std::move(result.difference);
  exploration.report.failures.back().known_least = known_least;
}

}  // namespace

void follow_saved_failures(Exploration& exploration) {
  const Options& options = exploration.options;
  Report& report = exploration.report;
  for (const std::filesystem::path& file : saved_schedules(options.schedule_dir, report.test)) {
    if (OtherJobs::may_have_saved(file)) continue;  // this search is to find the least failure, too
    try {
      const Schedule schedule = read_schedule(file);
      if (schedule.test != report.test) continue;
      log(LogLevel::info, "{}: first tries {}", report.test, file.string());
      if (is_death(schedule.kind)) DyingProcess::expect(file.string());
      exploration.begin_capture();
      ReplayResult result = replay(schedule, exploration, false, {});
      DyingProcess::expect({});
      exploration.start_folder.go_back();
      std::string output = exploration.end_capture();
      if (result.kind == ReplayResult::Kind::stopped) return;
      if (result.kind != ReplayResult::Kind::failed_again) {
        const bool has_run_clean = result.kind == ReplayResult::Kind::ran_clean;
        log(LogLevel::info, "{}: {}", report.test,
            has_run_clean ? "it does not fail any more" : "the body takes other steps now");
        exploration.past_failures.push_back({file, schedule.bound, has_run_clean});
        continue;
      }
      log(LogLevel::info, "{}: it fails again", report.test);
      exploration.signatures.insert(result.signature);
      if (result.schedule.kind == runtime::FailureKind::data_race)
        exploration.known_races.insert(result.signature);
      if (is_suppressed(exploration, runtime::Execution::failure())) continue;
      ++report.executions;
      add_failure(exploration, std::move(result.schedule), std::move(output), file.string());
      report.failures.back().from_saved = report.from_saved = true;
      report.failures.back().differs_from_file = std::move(result.difference);
      if (!options.keep_going) return;
    } catch (const ScheduleError& error) {
      warn("{}; the file is ignored", error.what());
    }
  }
}

namespace {

/// Whether the search has shown that the failure is gone. Where the body takes other steps now, the search
/// must have come as far as the failure was.
bool is_fixed(const PastFailure& failure, const Report& report) {
  if (report.failed()) return false;
  if (failure.has_run_clean || report.verdict == Verdict::passed_exhaustively) return true;
  return report.verdict == Verdict::passed_within_bound && report.sealed.empty() &&
         completed_bounds(report) > failure.bound;
}

}  // namespace

std::vector<std::string> set_aside_fixed_failures(const Exploration& exploration) {
  std::vector<std::string> sentences;
  if (!exploration.options.save_schedules) return sentences;
  for (const PastFailure& failure : exploration.past_failures) {
    if (!is_fixed(failure, exploration.report)) continue;
    const std::filesystem::path moved = move_to_fixed(failure.file, exploration.report.test);
    if (moved.empty()) continue;
    sentences.push_back(
        fmt::format("the failure that was saved in {} does not come any more, so the file is now {}",
            failure.file.lexically_normal().string(), moved.lexically_normal().string()));
  }
  return sentences;
}

namespace {

/// Adds what a crash handler could not write.
void complete(Schedule& schedule, const std::vector<runtime::RecordedThread>& threads,
    const std::vector<runtime::RecordedChoice>& choices, const std::string& file) {
  if (schedule.complete) return;
  schedule.threads = threads;
  schedule.choices = choices;
  schedule.bound = 0;
  for (const runtime::RecordedChoice& choice : schedule.choices) schedule.bound += choice.price;
  schedule.complete = true;
  const std::string why_not = written_to(file, schedule);
  if (!why_not.empty() && file != kStandardInput) warn("{}", why_not);
}

/// There is nothing to follow if the body dies before its first step.
void complete_if_empty(Schedule& schedule, const std::string& file) {
  if (schedule.choices.empty()) complete(schedule, {{"main", -1, 0, {}}}, {}, file);
}

}  // namespace

std::optional<Schedule> schedule_of(const fresh_start::Ending& ending) {
  if (ending.schedule_file.empty()) return std::nullopt;
  try {
    return read_schedule(ending.schedule_file);
  } catch (const ScheduleError& error) {
    warn("{}", error.what());
    return std::nullopt;
  }
}

namespace {

/// "thread 1.2" or "main", with which the sentence begins.
std::string_view thread_that_died(std::string_view what) {
  constexpr std::string_view kThread = "thread ";
  const std::size_t begin = what.starts_with(kThread) ? kThread.size() : 0;
  return what.substr(0, what.find_first_of(" :", begin));
}

/// Says in the schedule how the process died, and on which stack.
void tell_of(Schedule& schedule, const fresh_start::Ending& ending) {
  schedule.message = ending.what;
  std::vector<runtime::platform::StackFrame> frames;
  for (std::string_view rest = ending.stack; !rest.empty();) {
    const runtime::platform::StackLine line = runtime::platform::take_stack_line(rest);
    frames.push_back({std::string(line.function), {}, std::string(line.file), line.line});
  }
  ShownStack stack = shown_stack(std::string(thread_that_died(ending.what)) + " failed", frames);
  if (!stack.frames.empty()) schedule.stacks = {std::move(stack)};
  const auto at = std::find_if(frames.begin(), frames.end(), [](const runtime::platform::StackFrame& frame) {
    return runtime::platform::holds_user_code(frame.file);
  });
  if (at != frames.end())
    schedule.where = runtime::place_of(runtime::Where::current(at->file.c_str(), at->line));
}

}  // namespace

void report_death(
    Exploration& exploration, const fresh_start::Ending& ending, std::optional<Schedule> known) {
  const std::string& file = ending.schedule_file;
  Report& report = exploration.report;
  Schedule schedule;
  if (known.has_value()) {
    schedule = std::move(*known);
    tell_of(schedule, ending);
    complete_if_empty(schedule, file);
    const auto before_last_step = [&](const runtime::Trace& trace) {
      complete(schedule, trace.threads(), trace.choices(), file);
      return false;
    };
    if (!schedule.complete && !ending.was_followed)
      static_cast<void>(replay(schedule, exploration, false, before_last_step));
  } else {
    schedule.kind = runtime::FailureKind::signal;
    schedule.complete = false;
    schedule.executions = ending.coverage.executions;
    tell_of(schedule, ending);
  }
  static_cast<Coverage&>(report) = ending.coverage;
  ++report.executions;  // the last one did not come to its end
  exploration.options.save_schedules = false;
  add_failure(exploration, std::move(schedule), {}, file);
  report.failures.back().from_saved = report.from_saved = ending.was_saved;
}

namespace {

/// The seals of the search that has found the failure.
std::unique_ptr<Seals> seals_of(const Schedule& schedule, const std::string& file) {
  try {
    return std::make_unique<Seals>(schedule.seal, schedule.open);
  } catch (const std::invalid_argument& error) {
    throw ScheduleError(name_in_sentences(file) + ": " + error.what());
  }
}

}  // namespace

void follow_file(Exploration& exploration) {
  const Options& options = exploration.options;
  Report& report = exploration.report;
  report.is_replay = true;
  Schedule schedule = read_schedule(options.replay);
  if (schedule.test != report.test) {
    throw ScheduleError(fmt::format(R"({}: this schedule is of the test "{}", not of "{}"; run that test)",
        name_in_sentences(options.replay), utf8::printable(schedule.test), report.test));
  }
  if (options.replay_original) {
    if (schedule.found_choices.empty()) {
      throw ScheduleError(name_in_sentences(options.replay) +
                          ": this file holds the schedule as it was found; replay it without --original");
    }
    follow_as_found(schedule);
  }
  exploration.seals = seals_of(schedule, options.replay);
  const bool same_build =
      !schedule.build_id.empty() && schedule.build_id == runtime::platform::build_id_of_this_program();
  if (!same_build) {
    warn("{} was written by another build of this program; its source lines are not compared",
        name_in_sentences(options.replay));
  }
  // It may be written in the middle of an execution, when the body has gone to another folder.
  const bool is_named = options.replay != kStandardInput;
  const std::string file =
      is_named ? runtime::platform::absolute_path(options.replay).string() : options.replay;
  const auto before_last_step = [&](const runtime::Trace& trace) {
    const bool may_end_here = is_death(schedule.kind);  // any other failure says more when it is there
    if (may_end_here && !options.replay_original) complete(schedule, trace.threads(), trace.choices(), file);
    return true;
  };
  if (options.break_at_failure) exploration.gate.reset();
  complete_if_empty(schedule, file);
  if (is_death(schedule.kind)) DyingProcess::expect(options.replay);
  exploration.begin_capture();
  const DebuggerStops stops(options, schedule);
  const auto before_step = [&](const runtime::Trace& trace) { stops.before_step(trace); };
  ReplayResult result = replay(schedule, exploration, same_build, before_last_step, before_step);
  std::string output = exploration.end_capture();
  report.executions = 1;
  switch (result.kind) {
    case ReplayResult::Kind::failed_again:
      report_again(exploration, schedule, std::move(result), std::move(output));
      break;
    case ReplayResult::Kind::ran_clean:
      report.verdict = Verdict::passed_sample;
      break;
    case ReplayResult::Kind::stopped:
      report.verdict = Verdict::stopped;
      report.stopped_by = interrupted_by();
      break;
    case ReplayResult::Kind::diverged:
      report.verdict = Verdict::nondeterministic;
      report.explanation = name_in_sentences(options.replay) + ", " + result.message;
      break;
  }
}

}  // namespace hocket
