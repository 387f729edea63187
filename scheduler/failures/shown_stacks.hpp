// The call stacks of a failure as a person reads them, and lines of the source that the program was built
// from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/platform/symbols/stack_frames.hpp"
#include "../../runtime/terms/failure.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// The line of the file without the spaces around it; a sentence in brackets if the file is not the one that
/// the program was built from; empty if it cannot be read or has nothing but brackets.
std::string line_of_source(const std::string& file, unsigned line);

/// The same for a place such as "queue.cpp:12" that runtime::user_place_of() has returned in this process.
std::string line_of_source(std::string_view place);

/// The stacks with the functions of the user's code and their lines. Functions of libraries are folded. Slow:
/// reads debug information. Only for the OS thread of the search.
std::vector<ShownStack> shown_stacks(const std::vector<runtime::FailureStack>& stacks);

/// The same for the frames of one stack.
ShownStack shown_stack(const std::string& title, const std::vector<runtime::platform::StackFrame>& frames);

}  // namespace hocket
