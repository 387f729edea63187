// The call stacks of a failure as text for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "schedule.hpp"

namespace hocket {

/// The stacks of the schedule, each under its title, in lines of at most `width` columns. Calls that a stack
/// has in common with the one before are told once. Begins with an empty line, or is empty if there are no
/// stacks.
std::string stacks_text(const Schedule& schedule, std::size_t width);

}  // namespace hocket
