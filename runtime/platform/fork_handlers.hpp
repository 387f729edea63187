// pthread_atfork(), under a name that a program cannot use for something of its own. pthread_atfork() itself
// is not in libc's shared library, where Hocket's other calls are looked up, but in each program that calls
// it.
#pragma once

extern "C" {
extern char __dso_handle __attribute__((visibility("hidden")));  // its address identifies the program
int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* module) noexcept;
}

namespace hocket::runtime::platform {

/// Each may be nullptr. Returns an error number, or 0.
inline int register_fork_handlers(void (*prepare)(), void (*parent)(), void (*child)()) {
  return __register_atfork(prepare, parent, child, &__dso_handle);
}

}  // namespace hocket::runtime::platform
