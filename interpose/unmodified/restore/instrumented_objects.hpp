// Which of the objects that are loaded, the program and libraries, hold instrumented code.
#pragma once

#include <cstdint>

namespace hocket::unmodified {

/// `base` is the address at which the object is loaded.
bool is_instrumented(std::uintptr_t base);
bool is_anything_instrumented();

}  // namespace hocket::unmodified
