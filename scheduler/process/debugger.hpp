// The data by which tools/gdb/hocket.py and tools/lldb/hocket.py find the logical threads of a process, and
// stop it before a step. The scripts may have no debug information about the process. They read its memory
// and write one word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../../runtime/diagnosis/trace.hpp"

namespace hocket {

/// Records where everything is. To be called before a search.
void tell_debuggers();

/// What a replay shows a debugger while it runs.
namespace debugger {

/// The replay stops before this step, counted from 1; 0: before none. A debugger may change it.
extern volatile std::uint64_t stop_before;

/// The report of the failure that is replayed, and its steps.
void set_report(std::string text, std::uint64_t steps);
/// A step is about to be made, `said` in words.
void set_step(const runtime::Trace& trace, std::string_view said);
/// The execution fails now; `headline` is how the message begins, which may be that of the report.
void set_failed(std::string_view headline);

}  // namespace debugger

}  // namespace hocket

extern "C" {

/// Called when a replay begins, as a place for a breakpoint.
void hocket_gdb_replay_begins();

}  // extern "C"
