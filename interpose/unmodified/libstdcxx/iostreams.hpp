// State of the standard library's streams, which are not constructed anew in each execution.
#pragma once

namespace hocket::unmodified {

/// Gives std::cin, std::cout and the other streams the buffers that std::ios_base::sync_with_stdio(false) has
/// made for them. The stream objects are the program's data and have been restored, but the library records
/// whether they are synchronised.
void keep_streams_as_library_has_them();

/// Saves the formats, states and buffers of the streams. Called at the beginning of a search. The streams are
/// the program's data if it was linked with copies of them. Otherwise, as with Clang, they are the library's.
void hold_settings_of_streams();
/// Restores those settings. Called when an execution is over.
void put_settings_of_streams_back();

}  // namespace hocket::unmodified
