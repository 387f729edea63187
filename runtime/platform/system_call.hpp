// A call of the system that does not go through libc, and leaves errno alone.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#define HOCKET_HAS_SYSTEM_CALLS 1
#endif

namespace hocket::runtime::platform {

#ifdef HOCKET_HAS_SYSTEM_CALLS

/// Returns what the system returns: an error number, negated, if the call failed.
[[gnu::always_inline]] inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  register long fourth asm("r10") = d;
  asm volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
  return number;
}

template <class T>
[[gnu::always_inline]] inline long as_argument(const T* pointer) {
  return reinterpret_cast<long>(pointer);
}

#endif

}  // namespace hocket::runtime::platform
