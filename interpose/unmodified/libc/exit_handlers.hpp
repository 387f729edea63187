// What the body registers to run when the program ends: destructors of function-local statics, and atexit()
// handlers.
#pragma once

namespace hocket::unmodified {

enum class ExitManner { with_handlers, at_once };

/// What exit() does in a body that is a whole program; nullptr where bodies have to return.
extern void (*end_whole_program)(int status, ExitManner manner);

/// Runs the handlers, the last one first. `status`: the program's exit status.
void run_exit_handlers(int status);

/// Forgets the handlers: the statics are constructed anew in the next execution.
void forget_exit_handlers();

}  // namespace hocket::unmodified
