// Whether code is libc's own.
#pragma once

namespace hocket::unmodified {

/// Whether the instruction at `code` belongs to libc or the loader.
bool is_in_system_library(const void* code);

}  // namespace hocket::unmodified
