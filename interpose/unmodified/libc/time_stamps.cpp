// The processor's time stamp counter. In instrumented code, the instructions that read it are calls of the
// functions below (cmake/HocketTimeStamps.h). A body reads the virtual clock, as with clock_gettime(): the
// counter counts nanoseconds.
#include <cstdint>

#include <cpuid.h>

#include "../host/call_origin.hpp"
#include "time.hpp"

namespace hocket::unmodified {

namespace {

std::uint64_t time_stamp() {
  return static_cast<std::uint64_t>(now(CLOCK_MONOTONIC));
}

/// Whether the system lets programs use the instruction xsave.
bool can_xsave() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & static_cast<unsigned>(bit_OSXSAVE)) != 0;
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

/// Read by the assembly below. Before it is initialised no body runs.
[[gnu::used, gnu::visibility("hidden")]] bool hocket_can_xsave = can_xsave();

/// Called by the assembly below for the code that `caller` points to, which has the given stack pointer.
[[gnu::used]] std::uint64_t hocket_time_stamp_for(const void* caller, std::uintptr_t stack_pointer) noexcept {
  if (!is_from_body()) return __builtin_ia32_rdtsc();
  called_from_body(caller, stack_pointer);
  return time_stamp();
}

// What Clang's intrinsic functions become.
std::uint64_t hocket_time_stamp() noexcept {
  HOCKET_ENTRY_OR(__builtin_ia32_rdtsc());
  return time_stamp();
}
std::uint64_t hocket_time_stamp_and_processor(unsigned* processor) noexcept {
  HOCKET_ENTRY_OR(__builtin_ia32_rdtscp(processor));
  *processor = 0;
  return time_stamp();
}
}

// Like the instructions, these leave every register as it was except rax and rdx, which hold the two halves
// of the time stamp, and rcx with rdtscp, which holds the number of a processor: 0. Flags, too, stay as they
// were. The vector registers go to an area of 2 688 bytes, in which there is room for those of AVX-512, with
// 64 bytes to spare.
__asm__(R"(
  .text
  .p2align 4
  .globl hocket_rdtscp
  .type hocket_rdtscp, @function
hocket_rdtscp:
  movl $0, %ecx  # and on to hocket_rdtsc; not by xorl, which changes flags
  .size hocket_rdtscp, . - hocket_rdtscp

  .globl hocket_rdtsc
  .type hocket_rdtsc, @function
hocket_rdtsc:
  .cfi_startproc
  pushfq
  .cfi_adjust_cfa_offset 8
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset rbp, 0
  movq %rsp, %rbp
  .cfi_def_cfa_register rbp
  pushq %rcx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  subq $2752, %rsp
  andq $-64, %rsp

  cmpb $0, hocket_can_xsave(%rip)
  je 1f
  xorl %eax, %eax
  movq %rax, 512(%rsp)
  movq %rax, 520(%rsp)
  movq %rax, 528(%rsp)
  movq %rax, 536(%rsp)
  movq %rax, 544(%rsp)
  movq %rax, 552(%rsp)
  movq %rax, 560(%rsp)
  movq %rax, 568(%rsp)
  xorl %edx, %edx
  movl $0xe7, %eax
  xsave64 (%rsp)
  jmp 2f
1:
  fxsave64 (%rsp)
2:
  movq 16(%rbp), %rdi
  leaq 24(%rbp), %rsi
  call hocket_time_stamp_for
  movq %rax, %rcx
  cmpb $0, hocket_can_xsave(%rip)
  je 3f
  xorl %edx, %edx
  movl $0xe7, %eax
  xrstor64 (%rsp)
  jmp 4f
3:
  fxrstor64 (%rsp)
4:
  movl %ecx, %eax
  shrq $32, %rcx
  movq %rcx, %rdx
  leaq -56(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rcx
  popq %rbp
  .cfi_def_cfa rsp, 16
  .cfi_restore rbp
  popfq
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size hocket_rdtsc, . - hocket_rdtsc
)");
