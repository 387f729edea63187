// The call stacks of a failure as a person reads them.
#pragma once

#include <string>
#include <vector>

#include "../../runtime/platform/symbols/stack_frames.hpp"
#include "../../runtime/terms/failure.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// The stacks with the functions of the user's code and their lines. Functions of libraries are folded. Slow:
/// reads debug information. Only for the OS thread of the search.
std::vector<ShownStack> shown_stacks(const std::vector<runtime::FailureStack>& stacks);

/// The same for the frames of one stack.
ShownStack shown_stack(const std::string& title, const std::vector<runtime::platform::StackFrame>& frames);

}  // namespace hocket
