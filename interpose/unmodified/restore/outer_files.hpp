// What the system keeps behind descriptors from before the search: bytes in pipes, counts of events, flags.
// An execution that changes it would leave that to the next one. So it is put back, where that can be done
// without loss; of all else the report says that it was not.
#pragma once

#include <vector>

#include "../../../runtime/execution/execution_options.hpp"
#include "../../../runtime/threads/host.hpp"

namespace hocket::unmodified {

/// To be called before a body changes what is behind the descriptor. `sort`: what that is, for reports, if it
/// cannot be put back; nullptr for a pipe, a counter or a socket.
void note_outer_file(int descriptor, const char* sort = nullptr);
/// The same if it is a pipe or a socket, and nothing otherwise.
void note_outer_pipe(int descriptor);
/// To be called before a body changes the flags of the descriptor.
void note_outer_flags(int descriptor);

/// To be called when `code` changes something that is not put back; descriptor: -1 for none.
void note_left_changed(const char* sort, int descriptor, const void* code);

/// Called when a search begins.
void find_outer_files();
/// Called when an execution is over, and when one begins: a child process may have ended before.
void put_outer_files_back(const runtime::ExecutionOptions& options);

/// Those that were not put back in this search.
const std::vector<runtime::HostSearches::LeftChanged>& files_left_changed();

}  // namespace hocket::unmodified
