// Calls of the system that a signal interrupts.
#pragma once

namespace hocket::runtime::platform {

/// To be called in the handler of a signal that the interrupted code is not to notice. `context` is the third
/// argument of the handler, which must be installed with SA_RESTART.
///
/// The system begins most calls that a handler has interrupted anew, if they are to. Some never: poll,
/// select, epoll_wait, sleeps, pause and others (signal(7)) fail with EINTR. If libc has made such a call,
/// this has it made once more when the handler returns, with the same arguments: a timeout begins anew. A
/// call by inline assembly or by syscall() fails as ever.
void restart_interrupted_call(void* context);

}  // namespace hocket::runtime::platform
