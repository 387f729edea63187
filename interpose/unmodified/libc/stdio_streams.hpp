// The stdio streams that the body opens.
#pragma once

#include "../../../runtime/execution/execution_options.hpp"

namespace hocket::unmodified {

/// Closes the streams that the execution has left open. Otherwise each would keep a file descriptor, and its
/// buffer would be written when the process ends. If the execution was cut short, the buffers are discarded.
/// If nothing is restored, those of an execution that came to its end stay.
void close_streams_of_body(const runtime::ExecutionOptions& options);

}  // namespace hocket::unmodified
