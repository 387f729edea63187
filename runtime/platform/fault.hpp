// What the system reports about a SIGSEGV, beyond siginfo_t.
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

}  // namespace hocket::runtime::platform
