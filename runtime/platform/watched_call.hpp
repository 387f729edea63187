// Calls a function and learns of an exception that leaves it while the stack of the throw is still there. A
// catch clause runs too late: the functions in between have been unwound by then.
#pragma once

struct _Unwind_Exception;

namespace hocket::runtime::platform {

/// Calls `function(argument)`. If an exception is thrown that nothing within the function catches, calls
/// `look()` with it on the stack of the throw, before anything is unwound. The exception then goes on to the
/// caller, which must catch it. `look` must not throw.
void call_watched(void (*function)(void*), void* argument, void (*look)(_Unwind_Exception*));

}  // namespace hocket::runtime::platform
