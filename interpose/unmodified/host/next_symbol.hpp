// The system's definitions of the functions that this library interposes.
#pragma once

#include <dlfcn.h>

namespace hocket::unmodified {

/// The definition of the function `name` that follows the program's own in symbol lookup: the system's.
void* find_real(const char* name);

/// The system's version of `function`, which this library also defines. It is looked up once. A local static
/// would not do, because its guard calls a function that may be one of those interposed.
#define HOCKET_REAL(function) HOCKET_REAL_AS(decltype(&::function), #function)

/// The same for a function that no header declares by this symbol.
#define HOCKET_REAL_AS(Pointer, symbol)                                                               \
  ([] {                                                                                               \
    static constinit Pointer found = nullptr;                                                         \
    if (found == nullptr) found = reinterpret_cast<Pointer>(::hocket::unmodified::find_real(symbol)); \
    return found;                                                                                     \
  }())

}  // namespace hocket::unmodified
