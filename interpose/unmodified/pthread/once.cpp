// pthread_once and the guards of function-local statics. std::call_once also ends up here.
//
// Both work the same way: the first thread runs a function while it holds a mutex, and the others wait until
// the function is done. The fact that it is done is stored in the program's object, as usual. Later threads
// only read that object, so two of them are not ordered with each other by it.
#include <cstdint>

#include <cxxabi.h>
#include <pthread.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/locking.hpp"
#include "../hooks/memory_atomic.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../host/system_library.hpp"
#include "../shadow/models.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Mutex;
using runtime::Operation;
using runtime::run;
using runtime::Where;

Mutex& model_of(const void* flag) {
  return models().mutexes.find(
      flag, [](auto& pool, runtime::FoundAt place) -> Mutex& { return pool.make(place); });
}

/// Waits until no thread runs the function, and acquires the right to run it. A thread that enters again
/// while it runs the function itself would wait for itself forever; that is reported as misuse.
void enter(const void* flag) {
  Mutex& model = model_of(flag);
  const unsigned self = run.current->index;
  if (model.state.owner == self) {
    hocket::runtime::misuse::locked_twice(model, Where{});
    return;
  }
  if (runtime::arrive_to_take(model, Operation::mutex_lock, Where{}))
    hocket::runtime::lock(model, Operation::mutex_lock);
}

void leave(const void* flag) {
  Mutex& model = model_of(flag);
  if (runtime::step::arrive(model, Operation::mutex_unlock, true, Where{}))
    static_cast<void>(hocket::runtime::unlock(model, Where{}));
}

using Guard = __cxxabiv1::__guard;

constexpr int kDone = 2;  ///< the value that glibc leaves in a pthread_once_t

/// Reads the first byte, which compiled code also checks before it calls these functions.
bool is_done(const Guard* guard) {
  return *reinterpret_cast<const char*>(guard) != 0;
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int pthread_once(pthread_once_t* flag, void (*function)()) {
  HOCKET_ENTRY_WITHOUT_STEP(pthread_once, flag, function);
  if (is_in_cxx_library(flag)) {
    // The C++ library calls this whenever a stream or a locale is made, and what it initialises stays for
    // good.
    const hocket::runtime::OwnMemory own;
    return HOCKET_REAL(pthread_once)(flag, function);
  }
  HOCKET_CALLED_FROM_BODY();
  if (load<std::uint32_t>(flag, __ATOMIC_ACQUIRE) == kDone) return 0;
  enter(flag);
  struct Leave {
    pthread_once_t* flag;
    ~Leave() { leave(flag); }
  } const leaves{flag};
  if (*flag != kDone) {
    function();  // if it throws, the flag stays unset
    store<std::uint32_t>(flag, kDone, __ATOMIC_RELEASE);
  }
  return 0;
}

int __cxa_guard_acquire(Guard* guard) {
  HOCKET_ENTRY(__cxa_guard_acquire, guard);
  enter(guard);
  if (!is_done(guard)) return 1;
  leave(guard);
  return 0;
}
void __cxa_guard_release(Guard* guard) {
  if (!is_from_body()) {
    HOCKET_REAL(__cxa_guard_release)(guard);
    return;
  }
  HOCKET_CALLED_FROM_BODY();
  // Compiled code reads this byte as an atomic. Its readers are ordered after the initialisation.
  store<std::uint8_t>(guard, 1, __ATOMIC_RELEASE);
  leave(guard);
}
void __cxa_guard_abort(Guard* guard) {
  if (!is_from_body()) {
    HOCKET_REAL(__cxa_guard_abort)(guard);
    return;
  }
  leave(guard);
}

}  // extern "C"
