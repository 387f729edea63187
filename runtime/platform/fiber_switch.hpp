// The one switch function, inlined into every operation: a return after a switch is mispredicted by the
// processor, so the call chain from the operation to the jump has to be flat.
//
// Contexts are Boost.Context's. On x86-64 the jump itself is ours, on Boost's frame layout, for two reasons:
// only the registers that are in use are saved, and the floating-point control words are compared instead of
// reloaded. Reloading them costs a few nanoseconds on some processors and more than fifty on others
// (measured: 58 ns a jump_fcontext against 1 ns without them on a Xeon of 2023). Elsewhere Boost's jump
// serves.
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/context/detail/fcontext.hpp>

namespace hocket::runtime::platform {

/// What a fiber finds when somebody jumps to it: that one's context, and the word it was given.
struct Transfer {
  void* context;
  void* data;
};

#if defined(__x86_64__) && defined(__linux__)

/// The rounding mode and exception masks of the SSE and x87 units, which belong to a thread.
struct FloatControl {
  std::uint32_t sse = 0x1f80;  ///< as every process begins
  std::uint16_t x87 = 0x037f;

  /// Notes the current words, and makes those of `next` current where they differ.
  [[gnu::always_inline]] void exchange(const FloatControl& next) {
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
    if (sse != next.sse || x87 != next.x87) [[unlikely]] {
      asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(next.sse), "m"(next.x87));
    }
  }
};

/// Leaves the running fiber and goes on in `context`. When somebody jumps back, returns that one's context
/// and `data`.
[[gnu::always_inline]] inline Transfer jump(void* context, void* data) {
  void* from;
  void* word;
  // The frame that Boost.Context 1.81 makes and expects: r12 to r15 at 0x10, rbx, rbp, and where to go on at
  // 0x40. The callee-saved registers are declared as overwritten but for rbx and rbp, which some code may not
  // declare. 0x88 bytes skip the red zone.
  asm volatile(
      "lea -0xd0(%%rsp), %%rsp\n\t"
      "mov %%rbx, 0x30(%%rsp)\n\t"
      "mov %%rbp, 0x38(%%rsp)\n\t"
      "lea 1f(%%rip), %%rax\n\t"
      "mov %%rax, 0x40(%%rsp)\n\t"
      "mov %%rsp, %%rax\n\t"
      "mov %%rdi, %%rsp\n\t"
      "mov 0x40(%%rsp), %%r8\n\t"
      "mov 0x10(%%rsp), %%r12\n\t"
      "mov 0x18(%%rsp), %%r13\n\t"
      "mov 0x20(%%rsp), %%r14\n\t"
      "mov 0x28(%%rsp), %%r15\n\t"
      "mov 0x30(%%rsp), %%rbx\n\t"
      "mov 0x38(%%rsp), %%rbp\n\t"
      "lea 0x48(%%rsp), %%rsp\n\t"
      "mov %%rax, %%rdi\n\t"
      "mov %%rsi, %%rdx\n\t"
      "jmp *%%r8\n"
      "1:\n\t"
      "lea 0x88(%%rsp), %%rsp"
      : "=a"(from), "=d"(word), "+D"(context), "+S"(data)
      :
      : "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1", "xmm2",
      "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
      "xmm15");
  return {from, word};
}

#else

struct FloatControl {  // Boost's jump takes care of it
  void exchange(const FloatControl& /*next*/) {}
};

inline Transfer jump(void* context, void* data) {
  const auto [from, word] = boost::context::detail::jump_fcontext(context, data);
  return {from, word};
}

#endif

/// A context that will call `entry` on the stack below `top`.
inline void* make_context(void* top, std::size_t size, void (*entry)(boost::context::detail::transfer_t)) {
  return boost::context::detail::make_fcontext(top, size, entry);
}

}  // namespace hocket::runtime::platform
