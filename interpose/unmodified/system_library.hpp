// Whether code is libc's own.
#pragma once

namespace hocket::unmodified {

/// Whether the instruction at `code` belongs to libc or the loader.
bool is_in_system_library(const void* code);

/// Looks where they are; is_in_system_library() is false until then.
void find_system_libraries();

}  // namespace hocket::unmodified
