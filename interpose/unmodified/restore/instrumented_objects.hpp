// Which of the loaded objects (the program and its shared libraries) contain instrumented code.
#pragma once

#include <cstdint>

namespace hocket::unmodified {

/// `base` is the address at which the object is loaded.
bool is_instrumented(std::uintptr_t base);
bool is_anything_instrumented();

/// Whether this is code of the program or of a library with hooks, whose data is put back before each
/// execution. Other libraries keep what they have mapped or opened.
bool is_instrumented_code(const void* code);

}  // namespace hocket::unmodified
