// What belongs to the standard library's streams, which are not made anew in each execution.
#pragma once

namespace hocket::unmodified {

/// Gives std::cin, std::cout and the others the buffers that std::ios_base::sync_with_stdio(false) has made
/// for them. They are the program's data and have been put back; whether they are synchronised is the
/// library's.
void keep_streams_as_library_has_them();

}  // namespace hocket::unmodified
