// The one switch function, inlined into every operation. The processor mispredicts a return after a switch,
// so there must be none between the jump and the code that continues.
//
// On x86-64 the jump is our own, for two reasons: it saves only the registers that are in use, and it
// compares the floating-point control words instead of reloading them. Reloading them costs a few nanoseconds
// on some processors and more than fifty on others (measured on a Xeon of 2023: 58 ns for a jump_fcontext,
// against 1 ns without the reload). On other processors Boost.Context's jump is used.
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/context/detail/fcontext.hpp>

namespace hocket::runtime::platform {

/// The first function of a fiber. It takes no arguments and never returns.
using FiberEntry = void (*)();

#if defined(__x86_64__) && defined(__linux__)

/// The rounding mode and exception masks of the SSE and x87 units, which belong to a thread.
struct FloatControl {
  std::uint32_t sse = 0x1f80;  ///< the initial value in every process
  std::uint16_t x87 = 0x037f;

  /// Takes over the current words, which a new thread has from the one that creates it.
  void begin() { asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87)); }

  /// Saves the current words, and loads those of `next` if they differ.
  [[gnu::always_inline]] void exchange(const FloatControl& next) {
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
    if (sse != next.sse || x87 != next.x87) [[unlikely]] {
      asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(next.sse), "m"(next.x87));
    }
  }
};

/// Leaves the running fiber, saving its context in `from`, and continues in `to`. Returns when something
/// jumps back to `from`. The two may be the same.
[[gnu::always_inline]] inline void jump(void*& from, void*& to) {
  void** save_to = &from;
  void** restore_from = &to;
  // A context is the stack pointer; at it lie the address to continue at and the data which the code there
  // expects. rbx and rbp are saved there because some code may not declare them as overwritten; the other
  // callee-saved registers are declared so. The 0x80 bytes skip the red zone.
  asm volatile(
      "lea -0x80(%%rsp), %%rsp\n\t"
      "push %%rbp\n\t"
      "push %%rbx\n\t"
      "lea 1f(%%rip), %%rax\n\t"
      "push %%rax\n\t"
      "mov %%rsp, (%[save_to])\n\t"
      "mov (%[restore_from]), %%rsp\n\t"
      "pop %%rax\n\t"
      "jmp *%%rax\n"
      "1:\n\t"
      "pop %%rbx\n\t"
      "pop %%rbp\n\t"
      "lea 0x80(%%rsp), %%rsp"
      : [save_to] "+D"(save_to), [restore_from] "+S"(restore_from)
      :
      : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0",
      "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
      "xmm13", "xmm14", "xmm15");
}

/// A context that will call `entry` on the stack below `top`.
inline void* make_context(void* top, std::size_t /*size*/, FiberEntry entry) {
  // The stack is aligned as after a call. The return address is null, which ends unwinding.
  void** const context = static_cast<void**>(top) - 2;
  context[0] = reinterpret_cast<void*>(entry);
  context[1] = nullptr;
  return context;
}

#else

struct FloatControl {  // Boost's jump takes care of it
  void begin() {}
  void exchange(const FloatControl& /*next*/) {}
};

inline void jump(void*& from, void*& to) {
  if (&from == &to) return;
  // The other side is told where to store this fiber's context.
  const auto back = boost::context::detail::jump_fcontext(to, &from);
  *static_cast<void**>(back.data) = back.fctx;
}

inline void* make_context(void* top, std::size_t size, FiberEntry entry) {
  const auto begin = [](boost::context::detail::transfer_t made) {
    const auto run = reinterpret_cast<FiberEntry>(made.data);
    const auto begun = boost::context::detail::jump_fcontext(made.fctx, nullptr);
    *static_cast<void**>(begun.data) = begun.fctx;
    run();
  };
  void* const context = boost::context::detail::make_fcontext(top, size, begin);
  return boost::context::detail::jump_fcontext(context, reinterpret_cast<void*>(entry)).fctx;
}

#endif

}  // namespace hocket::runtime::platform
