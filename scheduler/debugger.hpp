// What tools/gdb/hocket.py asks the process that it holds: of which logical threads an execution consists and
// where they are. Plain C functions, which a debugger can call without debug information.
#pragma once

extern "C" {

/// Called when a replay begins: a place for a breakpoint.
void hocket_gdb_replay_begins();
/// How many logical threads the running execution has so far; 0: none runs.
unsigned hocket_gdb_threads();
/// The index of the one that runs.
unsigned hocket_gdb_current();
/// "thread 1 (producer)"; valid until the next call.
const char* hocket_gdb_name(unsigned index);
/// What it is about to do: "mutex.lock".
const char* hocket_gdb_state(unsigned index);
/// The stack pointer with which its fiber left, as fiber_switch.hpp has it; nullptr: it runs or has ended.
const void* const* hocket_gdb_context(unsigned index);

}  // extern "C"
