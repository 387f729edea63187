// Asynchronous reads and writes: aio_read() and its like.
//
// glibc makes requests in threads of its own. Here each request is a thread of the body, which reads or
// writes, and then calls the function or sends the signal that was asked for. Requests for places in a
// regular file run at the same time; all others, and those that append, one after the other for each
// descriptor.
#pragma once

namespace hocket::unmodified {

/// Called in the body's thread when it has returned.
void end_requests();
/// Called at the beginning of an execution.
void forget_requests();

}  // namespace hocket::unmodified
