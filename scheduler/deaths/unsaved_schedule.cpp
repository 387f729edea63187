#include "unsaved_schedule.hpp"

#include <string>

#include "../process/output_gate.hpp"
#include "../schedules/file_steps.hpp"
#include "../schedules/schedule_file.hpp"

namespace hocket {

void print_unsaved(const Schedule& schedule, std::string_view why) {
  const std::string text =
      "\nhocket: " + std::string(why) + std::string(kBeforePrintedSchedule) + essential_line(schedule) + "\n";
  static_cast<void>(file_steps::put(OutputGate::real_stderr(), text.data(), text.size()));
}

}  // namespace hocket
