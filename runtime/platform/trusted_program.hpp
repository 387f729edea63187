// Whether a program that Hocket finds by itself is one that it may run.
#pragma once

namespace hocket::runtime::platform {

/// Whether nobody but root and the user can have put the program where it is, or can change it: the file, the
/// link if it is one, and their folder belong to one of them, and not everybody may write them. Uses no heap
/// memory. `path`: absolute.
[[nodiscard]] bool may_be_trusted(const char* path);

}  // namespace hocket::runtime::platform
