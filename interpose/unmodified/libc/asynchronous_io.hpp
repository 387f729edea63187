// Asynchronous reads and writes: aio_read() and its like.
//
// Each request is a thread of the body, which reads or writes and then tells of it, as glibc has threads for
// them. Requests for one file run at the same time, since POSIX promises no order.
#pragma once

namespace hocket::unmodified {

/// Called at the beginning of an execution.
void forget_requests();

}  // namespace hocket::unmodified
