// Whether an object lives in the program's own writable data: a global or a static.
#pragma once

#include <cstdint>

extern "C" {
// Set by the linker: the ends of the program's writable data.
extern char __data_start;
extern char _end;
}

namespace hocket::runtime::platform {

inline bool is_in_static_storage(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= reinterpret_cast<std::uintptr_t>(&__data_start) &&
         at < reinterpret_cast<std::uintptr_t>(&_end);
}

}  // namespace hocket::runtime::platform
