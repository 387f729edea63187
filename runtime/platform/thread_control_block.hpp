// The thread control block of the running OS thread, which may be exchanged for that of another one: then
// thread_local variables, errno, the exceptions in flight and pthread_self() are that one's.
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

/// Whether the processor lets programs write the register; else the system does it, in some 100 ns.
extern const bool can_write_fs_base;

/// Makes the block at `address`, whose own thread must be parked, that of the running OS thread. Always a
/// part of what calls it: a function of its own would have hooks in instrumented code, in the middle of a
/// switch.
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
