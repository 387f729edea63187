// What tools/gdb/hocket.py needs to know to find the logical threads of a process that it may only look at,
// and of which it may have no debug information.
#pragma once

namespace hocket {

/// Writes down where everything is; before a search.
void tell_debuggers();

}  // namespace hocket

extern "C" {

/// Called when a replay begins: a place for a breakpoint.
void hocket_gdb_replay_begins();

}  // extern "C"
