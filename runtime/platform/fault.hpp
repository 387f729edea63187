// What the system reports about a SIGSEGV, beyond siginfo_t; and what a handler of such signals has to put
// right.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>
#endif

namespace hocket::runtime::platform {

/// Whether the faulting instruction was a write. `context` is the third argument of the signal handler.
inline bool is_write_fault([[maybe_unused]] const void* context) {
#if defined(__x86_64__) && defined(__linux__)
  constexpr greg_t kWrite = 2;  // bit of the processor's error code
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  return false;
#endif
}

/// To be called where a signal handler begins: it has the flags of the code that it interrupts, which may
/// have asked the processor to refuse accesses that are not aligned, as those of the C library are not.
inline void allow_unaligned_accesses() {
#if defined(__x86_64__)
  constexpr unsigned long long kAlignmentCheck = 1U << 18U;
  const auto flags = __builtin_ia32_readeflags_u64();
  if ((flags & kAlignmentCheck) != 0) [[unlikely]]
    __builtin_ia32_writeeflags_u64(flags & ~kAlignmentCheck);
#endif
}

}  // namespace hocket::runtime::platform
