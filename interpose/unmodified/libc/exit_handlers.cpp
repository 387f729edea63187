#include "exit_handlers.hpp"

#include <cstdlib>
#include <vector>

#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/platform/fork_handlers.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"

namespace hocket::unmodified {

namespace {

struct Handler {
  void (*call)(void*);                   ///< or nullptr, for a handler of on_exit()
  void (*call_with_status)(int, void*);  ///< for a handler of on_exit()
  void* object;
};

std::vector<Handler>& handlers() {
  static auto* const all = new std::vector<Handler>;
  return *all;
}

}  // namespace

void (*end_whole_program)(int status, ExitManner manner) = nullptr;

void run_exit_handlers(int status) {
  while (!handlers().empty()) {
    const Handler last = handlers().back();
    handlers().pop_back();
    if (last.call != nullptr) {
      last.call(last.object);
    } else {
      last.call_with_status(status, last.object);
    }
  }
}

void forget_exit_handlers() {
  handlers().clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

// The names under which cmake/HocketLinkUnmodified.cmake keeps the exit and the _exit that report exits from
// a body.
[[noreturn]] void hocket_guarded_orderly_exit(int status);
[[noreturn]] void hocket_guarded_exit(int status);

// atexit() also ends up here.
int __cxa_atexit(void (*destructor)(void*), void* object, void* module) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(__cxa_atexit, destructor, object, module);
  // Statics of libraries are not constructed anew in each execution, so they must outlive it.
  if (module != nullptr && module != &__dso_handle) return 0;
  const hocket::runtime::OwnMemory own;
  handlers().push_back({destructor, nullptr, object});
  return 0;
}
int on_exit(void (*function)(int, void*), void* argument) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(on_exit, function, argument);
  const hocket::runtime::OwnMemory own;
  handlers().push_back({nullptr, function, argument});
  return 0;
}
// at_quick_exit() and pthread_atfork(). What a body registers with them is never called, because quick_exit()
// and fork() in a body end its process with a message.
int __cxa_at_quick_exit(void (*function)(void*), void* module) noexcept;
int __cxa_at_quick_exit(void (*function)(void*), void* module) noexcept {
  if (is_from_body() && module == &__dso_handle) return 0;
  return HOCKET_REAL(__cxa_at_quick_exit)(function, module);
}
int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* module) noexcept {
  if (is_from_body() && module == &__dso_handle) return 0;
  return HOCKET_REAL(__register_atfork)(prepare, parent, child, module);
}

void exit(int status) noexcept {
  if (is_from_body() && end_whole_program != nullptr) {
    HOCKET_CALLED_FROM_BODY();
    end_whole_program(status, ExitManner::with_handlers);
  }
  hocket_guarded_orderly_exit(status);
}
void _exit(int status) {
  if (is_from_body() && end_whole_program != nullptr) {
    HOCKET_CALLED_FROM_BODY();
    end_whole_program(status, ExitManner::at_once);
  }
  hocket_guarded_exit(status);
}
void _Exit(int status) noexcept {
  _exit(status);
}

}  // extern "C"
