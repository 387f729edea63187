#include "exit_guard.hpp"

#include <cxxabi.h>
#include <cstdlib>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/execution/step.hpp"
#include "../../runtime/platform/fork_handlers.hpp"
#include "../deaths/dying_process.hpp"

namespace hocket {

namespace {

char handlers_of_a_search = 0;  ///< its address identifies them
pid_t process = 0;  ///< the searching process; a child of vfork() shares this variable but has another ID

bool is_called_by_the_body() {
  return runtime::is_controlled() && getpid() == process;
}

void before_handlers() {
  if (is_called_by_the_body())
    DyingProcess::tell_and_end(Death::exit, " called exit() inside a test body; a body must return");
}

/// Called where libc itself has called exit(), as err() does.
void at_exit(void* /*nothing*/) {
  before_handlers();
}

void at_quick_exit() {
  if (is_called_by_the_body())
    DyingProcess::tell_and_end(Death::exit, " called quick_exit() inside a test body; a body must return");
}

void before_fork() {
  if (is_called_by_the_body()) {
    DyingProcess::tell_and_end(Death::fork,
        " called fork() in an execution, which would copy the search in the middle: start processes with "
        "posix_spawn() or system(), or fork outside the body");
  }
}

[[noreturn]] void end_at_once(int status) {
  if (before_exit != nullptr) before_exit();
  if (is_called_by_the_body())
    DyingProcess::tell_and_end(Death::exit, " called _exit() inside a test body; a body must return");
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

void ExitGuard::guard_this_process() {
  process = getpid();
}

ExitGuard::ExitGuard() {
  guard_this_process();
  static const bool once = [] {
    std::at_quick_exit(&at_quick_exit);
    runtime::platform::register_fork_handlers(&before_fork, nullptr, nullptr);
    return true;
  }();
  static_cast<void>(once);
  // Registered again for each search, so that it runs before the handlers that the program has registered
  // meanwhile, such as destructors of statics.
  abi::__cxa_atexit(&at_exit, nullptr, &handlers_of_a_search);
}

ExitGuard::~ExitGuard() {
  process = 0;
  abi::__cxa_finalize(&handlers_of_a_search);  // calls it, and takes it off the list
}

}  // namespace hocket

// Replaces the function of the C library, which would first destroy the statics that a model or a body has
// created, and the thread_local objects of its thread. It is weak because hocket::unmodified has one, which
// calls this one.
extern "C" [[gnu::weak]] void exit(int status) noexcept {
  if (hocket::before_exit != nullptr) hocket::before_exit();
  hocket::before_handlers();
  using Exit = void (*)(int);
  reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "exit"))(status);
  std::abort();  // not reached
}
// Replaces the function of the C library, which calls no handlers.
extern "C" void _exit(int status) {
  hocket::end_at_once(status);
}
extern "C" void _Exit(int status) noexcept {
  hocket::end_at_once(status);
}
