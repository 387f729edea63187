#include "fibers.hpp"

#include "../platform/sanitizer_fiber.hpp"

namespace hocket::runtime::fibers {

namespace {

constinit Thread* switched_from = nullptr;

}  // namespace

void sanitizer_before_switch(Thread& self, const Thread& next) {
  switched_from = &self;
  __sanitizer_start_switch_fiber(&self.sanitizer_stack, next.stack.bottom, next.stack.size());
}

void sanitizer_after_switch(Thread& self) {
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(self.sanitizer_stack, &bottom, &size);
  if (switched_from == run.driver) {  // the OS thread's own stack: only the sanitizer knows its place
    run.driver->stack.bottom = static_cast<char*>(const_cast<void*>(bottom));
    run.driver->stack.top = run.driver->stack.bottom + size;
  }
}

}  // namespace hocket::runtime::fibers
