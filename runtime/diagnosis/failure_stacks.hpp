// The call stacks that explain a failure of a recorded execution.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../terms/failure.hpp"

namespace hocket::runtime {

class Execution;

/// Of a data race both accesses; where no thread can go on, where each waits and took the locks that it
/// holds; of other failures where the current thread is; then those of explain_next_failure_by(). Called on
/// the current thread's stack.
std::vector<FailureStack> stacks_of(const Failure& failure, Execution& e);

/// The innermost frames of the calling stack, as many as a report shows.
std::vector<std::uintptr_t> stack_to_show();

/// Adds a stack to those that explain the failure that is about to be noted. Only while recording.
void explain_next_failure_by(FailureStack stack, Execution& e);

/// "The write by thread 1, made at queue.cpp:12, in step 3". `thread` is an index. Without the step if that
/// is 0.
std::string stack_title(std::string_view what, unsigned thread, std::uint32_t step, Execution& e);

}  // namespace hocket::runtime
