// The stack pointer of the calling code.
#pragma once

#include <cstdint>

namespace hocket::runtime::platform {

#if defined(__x86_64__)
[[gnu::always_inline]] inline std::uintptr_t stack_pointer() {
  std::uintptr_t pointer = 0;
  __asm__("movq %%rsp, %0" : "=r"(pointer));
  return pointer;
}
#else
[[gnu::always_inline]] inline std::uintptr_t stack_pointer() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}
#endif

}  // namespace hocket::runtime::platform
