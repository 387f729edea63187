// Whether code is libc's own, or the C++ library's.
#pragma once

namespace hocket::unmodified {

/// Whether the instruction at `code` belongs to libc or the loader.
bool is_in_system_library(const void* code);

/// Looks where they are; is_in_system_library() is false until then.
void find_system_libraries();

/// Whether it belongs to the C++ library, or to that for exceptions, where they are shared libraries.
bool is_in_cxx_library(const void* code);

}  // namespace hocket::unmodified
