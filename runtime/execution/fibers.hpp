// The switch from one logical thread to another.
#pragma once

#include "../platform/fiber_switch.hpp"
#include "../platform/thread_control_block.hpp"
#include "../terms/inlined.hpp"
#include "../threads/thread.hpp"
#include "run.hpp"

namespace hocket::runtime {

namespace fibers {

/// For AddressSanitizer, if Run::sanitized: called before a switch, and at the beginning of a fiber and after
/// each switch to it.
void sanitizer_before_switch(Thread& self, const Thread& next);
void sanitizer_after_switch(Thread& self);

[[gnu::always_inline]] inline void exchange_exceptions(Thread& self, const Thread& next) {
  self.exceptions = *run.exception_state;
  *run.exception_state = next.exceptions;
}

}  // namespace fibers

/// Gives the OS thread to `next`, which may be the current thread. Returns when something switches back to
/// the current thread. Logical threads are fibers on one OS thread.
HOCKET_INLINED inline void switch_to(Thread& next) {
  Thread& self = *run.current;
  if (run.switches_with_care) [[unlikely]] {
    if (run.sanitized) {
      if (&next == &self) return;
      fibers::sanitizer_before_switch(self, next);
    }
    if (run.host != nullptr && platform::kHasThreadControlBlocks) {
      run.os_thread = next.control_block;
      platform::set_thread_control_block(next.control_block);  // the exceptions in flight are stored in it
    } else {
      fibers::exchange_exceptions(self, next);
    }
  } else {
    fibers::exchange_exceptions(self, next);
  }
  self.float_control.exchange(next.float_control);
  run.current = &next;
  platform::jump(self.context, next.context);
  if (run.sanitized) [[unlikely]]
    fibers::sanitizer_after_switch(self);
}

}  // namespace hocket::runtime
