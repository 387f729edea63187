// The thread control block of the running OS thread, which may be exchanged for that of another thread.
// thread_local variables, errno, the exceptions in flight and pthread_self() are then those of the other
// thread.
#pragma once

#include <cstdint>

#include "os_thread.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <asm/prctl.h>
#include <sys/syscall.h>
#endif

namespace hocket::runtime::platform {

#if defined(__x86_64__) && defined(__linux__)

inline constexpr bool kHasThreadControlBlocks = true;

/// Whether programs may write the register directly; otherwise the system does it, in some 100 ns.
extern const bool can_write_fs_base;

/// Makes the block at `address` that of the running OS thread. The block's own thread must be parked. Always
/// inlined: a separate function would have hooks in instrumented code, in the middle of a switch.
[[gnu::always_inline]] inline void set_thread_control_block(std::uintptr_t address) {
  if (can_write_fs_base) {
    asm volatile("wrfsbase %0" : : "r"(address) : "memory");
  } else if (os_thread_id() != address) {
    long number = SYS_arch_prctl;
    asm volatile("syscall"
                 : "+a"(number)
                 : "D"(static_cast<long>(ARCH_SET_FS)), "S"(address)
                 : "rcx", "r11", "memory");
  }
}

#else

inline constexpr bool kHasThreadControlBlocks = false;
inline void set_thread_control_block(std::uintptr_t /*address*/) {}

#endif

}  // namespace hocket::runtime::platform
