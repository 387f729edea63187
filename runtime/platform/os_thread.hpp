// Which OS thread is running: one word, compared before every controlled operation.
#pragma once

#include <cstdint>

#if !defined(__x86_64__) || !defined(__linux__)
#include <pthread.h>
#endif

namespace hocket::runtime::platform {

/// A nonzero word that is different for each live OS thread.
[[gnu::always_inline]] inline std::uintptr_t os_thread_id() {
#if defined(__x86_64__) && defined(__linux__)
  // The thread control block begins with its own address; pthread_self() returns the same word through a
  // call.
  std::uintptr_t self;
  asm("mov %%fs:0, %0" : "=r"(self));
  return self;
#else
  return reinterpret_cast<std::uintptr_t>(pthread_self());
#endif
}

}  // namespace hocket::runtime::platform
