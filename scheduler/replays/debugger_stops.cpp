#include "debugger_stops.hpp"

#include <string>

#include <unistd.h>

#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/debugger_stop.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../deaths/dying_process.hpp"
#include "../process/debugger.hpp"
#include "../process/output_gate.hpp"
#include "../schedules/schedule_text.hpp"
#include "replay.hpp"

namespace hocket {

namespace {

void say(const std::string& text) {
  const std::string line = "hocket: " + utf8::printable(text) + "\n";
  static_cast<void>(!write(OutputGate::real_stderr(), line.data(), line.size()));
}

void stop_at(const runtime::Failure& failure) {
  const std::string headline = failure.message.substr(0, failure.message.find('\n'));
  say("stopped where it fails: " + headline);
  debugger::set_failed(headline);
  runtime::platform::stop_for_debugger();
}

}  // namespace

DebuggerStops::DebuggerStops(const Options& options, const Schedule& schedule)
    : steps_(schedule.choices.size()) {
  debugger::set_report(headline(schedule) + "\n\n" + render(schedule, {.max_rows = 60}), steps_);
  // If the process dies, it does so without having been told that it fails.
  const bool dies = options.break_at_failure && is_death(schedule.kind);
  debugger::stop_before = options.break_at_step != 0 || !dies ? options.break_at_step : steps_;
  runtime::failure_watch = options.break_at_failure ? &stop_at : nullptr;
}

DebuggerStops::~DebuggerStops() {
  runtime::failure_watch = nullptr;
  debugger::stop_before = 0;
}

void DebuggerStops::before_step(const runtime::Trace& trace) const {
  const runtime::RecordedChoice& choice = trace.choices().back();
  const std::size_t step = trace.choices().size();
  std::string said = "step " + std::to_string(step);
  if (step <= steps_) said += " of " + std::to_string(steps_);
  said += ", " + in_words(choice, trace.threads());
  if (!choice.where.empty()) said += " at " + choice.where;
  debugger::set_step(trace, said);
  if (debugger::stop_before != step) return;
  say("stopped before " + said);
  runtime::Thread& thread = runtime::execution.thread(choice.thread);
  const bool stands_still =
      &thread != runtime::run.current && thread.state == runtime::Thread::State::stopped;
  if (choice.is_value || !stands_still || !runtime::platform::stop_when_resumed(thread.context))
    runtime::platform::stop_for_debugger();
}

}  // namespace hocket
