// What the body leaves to be done when the program ends: destructors of function-local statics, atexit().
#pragma once

namespace hocket::unmodified {

enum class ExitManner { with_handlers, at_once };

/// What exit() does in a body that is a whole program; or nullptr, where bodies have to return.
extern void (*end_whole_program)(int status, ExitManner manner);

/// Does it, the last first. `status`: with which the program ends.
void run_exit_handlers(int status);

/// Forgets it: the statics begin anew with the next execution.
void forget_exit_handlers();

}  // namespace hocket::unmodified
