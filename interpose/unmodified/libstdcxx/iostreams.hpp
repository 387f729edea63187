// What belongs to the standard library's streams, which are not made anew in each execution.
#pragma once

namespace hocket::unmodified {

/// Gives std::cin, std::cout and the others the buffers that std::ios_base::sync_with_stdio(false) has made
/// for them. They are the program's data and have been put back; whether they are synchronised is the
/// library's.
void keep_streams_as_library_has_them();

/// At the beginning of a search: the formats, states and buffers of the streams. They are the program's data
/// where it was linked with copies of them, and the library's where it was not, as by Clang.
void hold_settings_of_streams();
/// When an execution is over.
void put_settings_of_streams_back();

}  // namespace hocket::unmodified
