// The data by which tools/gdb/hocket.py finds the logical threads of a process. The script may only read the
// process and may have no debug information about it.
#pragma once

namespace hocket {

/// Records where everything is. To be called before a search.
void tell_debuggers();

}  // namespace hocket

extern "C" {

/// Called when a replay begins, as a place for a breakpoint.
void hocket_gdb_replay_begins();

}  // extern "C"
