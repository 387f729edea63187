// Which of the loaded objects (the program and its shared libraries) contain instrumented code.
#pragma once

#include <cstdint>

namespace hocket::unmodified {

/// `base` is the address at which the object is loaded.
bool is_instrumented(std::uintptr_t base);
bool is_anything_instrumented();

}  // namespace hocket::unmodified
