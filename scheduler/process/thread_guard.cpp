#include "thread_guard.hpp"

#include <cerrno>

#include <dlfcn.h>
#include <pthread.h>

#include "../../runtime/execution/recording.hpp"
#include "../../runtime/execution/step.hpp"

namespace hocket {

namespace {

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

Create real_create() {
  static const auto found = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return found;
}

}  // namespace

ThreadGuard::ThreadGuard() {
  real_create();
}

}  // namespace hocket

// Replaces the function of the C library. It is weak because hocket::unmodified has one that creates a
// logical thread.
extern "C" [[gnu::weak]] int pthread_create(
    pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) noexcept {
  using hocket::runtime::describe;
  using hocket::runtime::run;
  if (!hocket::runtime::is_controlled() || run.own_memory != 0)
    return hocket::real_create()(handle, attributes, function, argument);
  hocket::runtime::step::fail(hocket::runtime::FailureKind::misuse,
      describe(*run.current) +
          " starts a thread of the system (std::thread, pthread_create), which is not under control: use "
          "hocket::thread, or compile the code under test with hocket_instrument()",
      hocket::runtime::Where{});
  return EAGAIN;  // the execution is being ended
}
