// The executions before a search, which do not count.
#include <cstddef>
#include <cstdint>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../api/number_text.hpp"
#include "../process/interrupt.hpp"
#include "../replays/replay.hpp"
#include "../report/log.hpp"
#include "../schedules/schedule_file.hpp"
#include "search.hpp"

namespace hocket {

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
    bool accept(const runtime::RecordedChoice& /*choice*/) override { return choices().size() < choices_; }
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

}  // namespace hocket
