// Whether code belongs to libc or to the C++ library.
#pragma once

namespace hocket::unmodified {

/// Whether the instruction at `code` belongs to libc or the loader.
bool is_in_system_library(const void* code);

/// Finds where libc and the loader are mapped. is_in_system_library() returns false until this has been
/// called.
void find_system_libraries();

/// Whether the instruction belongs to the C++ library or the exception library, if those are shared
/// libraries.
bool is_in_cxx_library(const void* code);

}  // namespace hocket::unmodified
