// The functions that this library takes the place of.
#pragma once

#include <dlfcn.h>

namespace hocket::unmodified {

/// The next definition of the function `name` after the program's own: the system's.
void* find_real(const char* name);

/// The system's `function`, which this library defines too. Looked up once; not a local static, whose guard
/// would be one of the functions.
#define HOCKET_REAL(function)                                                                      \
  ([] {                                                                                            \
    static constinit decltype(&::function) found = nullptr;                                        \
    if (found == nullptr)                                                                          \
      found = reinterpret_cast<decltype(&::function)>(::hocket::unmodified::find_real(#function)); \
    return found;                                                                                  \
  }())

}  // namespace hocket::unmodified
