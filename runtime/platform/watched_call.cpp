// The unwinder asks the personality routine of each frame twice: first whether it has a handler, from the
// innermost frame on, and only then to clean up. In C++ source a frame has the language's own routine, which
// tells nobody. So the frame of the call is written in assembly.
#include "watched_call.hpp"

#include <unwind.h>

#if defined(__x86_64__) && defined(__linux__)

extern "C" {

[[gnu::visibility("hidden")]] void hocket_call_watched(
    void (*function)(void*), void* argument, void (*look)(_Unwind_Exception*));

[[gnu::visibility("hidden"), gnu::used]] _Unwind_Reason_Code hocket_look_at_exception(int /*version*/,
    _Unwind_Action actions, _Unwind_Exception_Class /*of*/, _Unwind_Exception* exception,
    _Unwind_Context* context) {
  if ((actions & _UA_SEARCH_PHASE) != 0) {
    // The frame's last word at the time of its call: see below.
    using Look = void (*)(_Unwind_Exception*);
    (*reinterpret_cast<const Look*>(_Unwind_GetCFA(context)))(exception);
  }
  return _URC_CONTINUE_UNWIND;
}

}  // extern "C"

// 0x1b: the routine's address is given relative to its place, in four bytes.
asm(R"(
  .pushsection .text.hocket_call_watched, "ax", @progbits
  .hidden hocket_call_watched
  .globl hocket_call_watched
  .type hocket_call_watched, @function
hocket_call_watched:
  .cfi_startproc
  .cfi_personality 0x1b, hocket_look_at_exception
  push %rdx
  .cfi_adjust_cfa_offset 8
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  pop %rdx
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size hocket_call_watched, . - hocket_call_watched
  .popsection
)");

namespace hocket::runtime::platform {

void call_watched(void (*function)(void*), void* argument, void (*look)(_Unwind_Exception*)) {
  hocket_call_watched(function, argument, look);
}

}  // namespace hocket::runtime::platform

#else

namespace hocket::runtime::platform {

void call_watched(void (*function)(void*), void* argument, void (* /*look*/)(_Unwind_Exception*)) {
  function(argument);
}

}  // namespace hocket::runtime::platform

#endif
