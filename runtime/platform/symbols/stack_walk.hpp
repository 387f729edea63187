// Walks along the calling stack.
//
// A program may have overwritten a stack. The unwinder follows what it finds there, and reads at addresses
// that are none.
#pragma once

#include <unwind.h>

namespace hocket::runtime::platform {

/// Like _Unwind_Backtrace(), but ends where following the stack causes a fault, if leave_faulty_walk() is
/// called in the handler of SIGSEGV and SIGBUS. Only for the OS thread of the search.
void walk_stack(_Unwind_Trace_Fn visit, void* argument);

/// To be called in such a handler, which must block no signals: if the fault is one of a walk, ends the walk
/// and does not return.
void leave_faulty_walk();

}  // namespace hocket::runtime::platform
