#include "fiber_switching.hpp"

#include "../platform/sanitizer_fiber.hpp"

namespace hocket::runtime {

void FiberSwitching::sanitizer_before_switch(Thread& self, const Thread& next) {
  sanitized_from_ = &self;
  __sanitizer_start_switch_fiber(&self.sanitizer_stack, next.stack.bottom, next.stack.size());
}

void FiberSwitching::sanitizer_after_switch(Thread& self) {
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(self.sanitizer_stack, &bottom, &size);
  if (sanitized_from_ == driver_) {  // the OS thread's own stack: only the sanitizer knows its place
    driver_->stack.bottom = static_cast<char*>(const_cast<void*>(bottom));
    driver_->stack.top = driver_->stack.bottom + size;
  }
}

}  // namespace hocket::runtime
