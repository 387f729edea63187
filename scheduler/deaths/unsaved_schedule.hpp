// A schedule that could not be saved is printed, so that the failure can be seen again.
#pragma once

#include <string_view>

#include "../schedules/schedule.hpp"

namespace hocket {

/// Prints the sentence and then what a replay needs of the schedule to the real standard error, as
/// `hocket replay -` and --hocket_replay=- take it.
void print_unsaved(const Schedule& schedule, std::string_view why);

}  // namespace hocket
