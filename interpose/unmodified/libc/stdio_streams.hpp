// The stdio streams that the body opens.
#pragma once

namespace hocket::unmodified {

/// Closes those that the execution has left open, which is over: else each would keep a file descriptor, and
/// what is in its buffer would be written when the process ends. Of one that was cut short it never is.
void close_streams_of_body();

}  // namespace hocket::unmodified
