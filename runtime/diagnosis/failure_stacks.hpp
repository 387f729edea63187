// The call stacks that explain a failure of a recorded execution.
#pragma once

#include <vector>

#include "../terms/failure.hpp"

namespace hocket::runtime {

class Execution;

/// Of a data race both accesses; where no thread can go on, where each waits and took the locks that it
/// holds; of other failures where the current thread is. Called on its stack.
std::vector<FailureStack> stacks_of(const Failure& failure, Execution& e);

/// The innermost frames of the calling stack, as many as a report shows.
std::vector<std::uintptr_t> stack_to_show();

}  // namespace hocket::runtime
