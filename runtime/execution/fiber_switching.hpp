// The switch from one logical thread to another.
#pragma once

#include "../platform/fiber_switch.hpp"
#include "../platform/thread_control_block.hpp"
#include "../terms/inlined.hpp"
#include "../threads/thread.hpp"
#include "execution_view.hpp"

namespace hocket::runtime {

/// Logical threads are fibers on one OS thread.
class FiberSwitching : public ExecutionView {
 public:
  /// Gives the OS thread to `next`, which may be the current thread. Returns when something switches back to
  /// the current thread.
  HOCKET_INLINED void switch_to(Thread& next) {
    Thread& self = *current;
    if (switches_with_care) [[unlikely]] {
      if (sanitized) {
        if (&next == &self) return;
        sanitizer_before_switch(self, next);
      }
      if (host != nullptr && platform::kHasThreadControlBlocks) {
        os_thread = next.control_block;
        platform::set_thread_control_block(next.control_block);  // the exceptions in flight are stored in it
      } else {
        exchange_exceptions(self, next);
      }
    } else {
      exchange_exceptions(self, next);
    }
    self.float_control.exchange(next.float_control);
    current = &next;
    platform::jump(self.context, next.context);
    if (sanitized) [[unlikely]]
      sanitizer_after_switch(self);
  }

 protected:
  [[gnu::always_inline]] void exchange_exceptions(Thread& self, const Thread& next) {
    self.exceptions = *exception_state;
    *exception_state = next.exceptions;
  }
  void sanitizer_before_switch(Thread& self, const Thread& next);
  void sanitizer_after_switch(Thread& self);
};

}  // namespace hocket::runtime
