// Who wants to know at once that a recorded execution has failed: a debugger is stopped there.
#pragma once

#include "../terms/failure.hpp"

namespace hocket::runtime {

using FailureWatch = void (*)(const Failure&);

/// If it is not nullptr, it is called when a recorded execution fails, on the stack of the thread that fails
/// and before what it was about to do.
extern constinit FailureWatch failure_watch;

}  // namespace hocket::runtime
