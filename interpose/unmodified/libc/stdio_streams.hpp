// The stdio streams that the body opens.
#pragma once

namespace hocket::unmodified {

/// Closes the streams that the execution has left open. Otherwise each would keep a file descriptor, and its
/// buffer would be written when the process ends. If the execution was cut short, the buffers are discarded.
void close_streams_of_body();

}  // namespace hocket::unmodified
