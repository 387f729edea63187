#include "debugger_stop.hpp"

#if defined(__x86_64__) && defined(__linux__)

// A context begins with the address to continue at, then come rbx, rbp and the red zone (fiber_switch.hpp).
// This address is put before them, so that it is continued at first and finds the other as its return
// address. The debug information of the function that was left does not know of the words that the switch put
// on the stack; the lines below take them off for a debugger. They call rsp 7, the return address 16, rbx 3,
// rbp 6 and rax 0. The jump is no return, because the processor may compare returns with calls.
asm(R"(
  .pushsection .text
  .globl hocket_thread_stops
  .hidden hocket_thread_stops
  .type hocket_thread_stops, @function
hocket_thread_stops:
  .cfi_startproc
  .cfi_def_cfa 7, 152
  .cfi_offset 16, -152
  .cfi_offset 3, -144
  .cfi_offset 6, -136
  int3
  pop %rax
  .cfi_adjust_cfa_offset -8
  .cfi_register 16, 0
  jmp *%rax
  .cfi_endproc
  .size hocket_thread_stops, . - hocket_thread_stops
  .popsection
)");

extern "C" void hocket_thread_stops();

namespace hocket::runtime::platform {

[[gnu::noinline]] void stop_for_debugger() {
  asm volatile("int3");
}

// Below the context, where frames that have ended may have left marks of AddressSanitizer.
[[gnu::no_sanitize_address]] bool stop_when_resumed(void*& context) {
  void** const words = static_cast<void**>(context) - 1;
  words[0] = reinterpret_cast<void*>(&hocket_thread_stops);
  context = words;
  return true;
}

}  // namespace hocket::runtime::platform

#else

#include <csignal>

namespace hocket::runtime::platform {

[[gnu::noinline]] void stop_for_debugger() {
  static_cast<void>(std::raise(SIGTRAP));
}

bool stop_when_resumed(void*& /*context*/) {
  return false;
}

}  // namespace hocket::runtime::platform

#endif
