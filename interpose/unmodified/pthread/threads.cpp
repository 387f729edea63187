// pthread_create and the other functions for threads. std::thread also ends up here.
#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <string_view>

#include <pthread.h>
#include <unwind.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/threads/host.hpp"
#include "../host/call_origin.hpp"
#include "../host/logical_threads.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../host/single_thread.hpp"
#include "../host/system_library.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../restore/instrumented_objects.hpp"
#include "signal_delivery.hpp"
#include "signals.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::run;

namespace recording = runtime::recording;
using runtime::Thread;
using runtime::Where;

constexpr std::size_t kRoomForName = 16;  ///< bytes for a thread's name, with its terminator

// The outermost function of a logical thread. pthread_exit jumps back to it.
void run_function(runtime::Task& /*task*/) {
  LogicalThread& self = logical_thread(run.current->index);
  std::jmp_buf exit;
  self.exit = &exit;
  if (setjmp(exit) == 0) self.result = self.function(self.argument);
}

_Unwind_Reason_Code unwind_to_the_end(int /*version*/, _Unwind_Action actions,
    _Unwind_Exception_Class /*class*/, _Unwind_Exception* /*exception*/, _Unwind_Context* context,
    void* /*argument*/) {
  LogicalThread& self = logical_thread(run.current->index);
  // The frame of run_function() begins above the address of its jump buffer. No frame of the program's does.
  const bool is_at_the_end = (actions & _UA_END_OF_STACK) != 0 ||
                             _Unwind_GetCFA(context) > reinterpret_cast<std::uintptr_t>(self.exit);
  if (is_at_the_end) std::longjmp(*self.exit, 1);
  return _URC_NO_REASON;
}

int create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  Thread* const made = make_thread(function, argument);
  if (made == nullptr) return EAGAIN;
  *handle = made->control_block;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  if (state == PTHREAD_CREATE_DETACHED) runtime::step::detach(*made, Where{});
  runtime::step::start(*made);
  return 0;
}

}  // namespace

runtime::Thread* make_thread(void* (*function)(void*), void* argument) {
  Thread* const made = runtime::step::create_thread(Where{});
  if (made == nullptr) return nullptr;
  LogicalThread& thread = logical_thread(made->index);
  thread.function = function;
  thread.argument = argument;
  made->task.call = &run_function;
  return made;
}

void join_if_open(Thread& thread) {
  if (thread.handle == Thread::Handle::open) runtime::step::join(thread, Where{});
}

runtime::Thread* find_thread(pthread_t handle) {
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    if (execution.thread(t).control_block == handle) return &execution.thread(t);
  }
  return nullptr;
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::execution;
using hocket::runtime::Where;

extern "C" {

int pthread_create(
    pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) noexcept {
  if (!is_from_body()) {
    // Those of other libraries are not meant.
    const void* const caller = __builtin_return_address(0);
    if (is_instrumented_code(caller) || is_in_cxx_library(caller)) hocket::runtime::has_real_threads = true;
    return make_real_thread(handle, attributes, function, argument);
  }
  HOCKET_CALLED_FROM_BODY();
  return create(handle, attributes, function, argument);
}

int pthread_join(pthread_t handle, void** result) {
  HOCKET_ENTRY(pthread_join, handle, result);
  hocket::runtime::Thread* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (thread == run.current) return EDEADLK;
  if (thread->handle != hocket::runtime::Thread::Handle::open) return EINVAL;
  hocket::runtime::step::join(*thread, Where{});
  if (hocket::unmodified::are_signals_in_use) hocket::unmodified::signals::check_senders_to(*thread);
  if (result != nullptr) *result = logical_thread(thread->index).result;
  note_result(__builtin_return_address(0), result);
  return 0;
}

int pthread_detach(pthread_t handle) noexcept {
  HOCKET_ENTRY(pthread_detach, handle);
  hocket::runtime::Thread* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (thread->handle != hocket::runtime::Thread::Handle::open) return EINVAL;
  hocket::runtime::step::detach(*thread, Where{});
  return 0;
}

void pthread_exit(void* result) {
  if (!is_from_body()) HOCKET_REAL(pthread_exit)(result);
  HOCKET_CALLED_FROM_BODY();
  if (run.current->index == 0) {
    refuse("pthread_exit", "in the body itself, return from it");
  }
  LogicalThread& self = logical_thread(run.current->index);
  self.result = result;
  self.unwinding = {};
  _Unwind_ForcedUnwind(&self.unwinding, &unwind_to_the_end, nullptr);
  std::longjmp(*self.exit, 1);  // reached only if unwind information is missing
}

int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(pthread_setname_np, handle, name);
  hocket::runtime::Thread* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (std::strlen(name) >= kRoomForName) return ERANGE;
  const hocket::runtime::OwnMemory own;
  logical_thread(thread->index).name = name;
  recording::name(*thread, name);
  return 0;
}
int pthread_getname_np(pthread_t handle, char* name, std::size_t size) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(pthread_getname_np, handle, name, size);
  const hocket::runtime::Thread* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (size < kRoomForName) return ERANGE;
  const std::string& given = logical_thread(thread->index).name;
  const std::string_view shown = given.empty() ? std::string_view(program_invocation_short_name) : given;
  name[shown.copy(name, kRoomForName - 1)] = '\0';
  return 0;
}

// Returns the stack of the fiber that runs the thread. The system would return the stack of the parked thread
// that owns the control block. A program that released the unused part of that stack would take memory that
// is used by other code.
int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(pthread_getattr_np, handle, attributes);
  const hocket::runtime::Thread* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (const int error = pthread_attr_init(attributes); error != 0) return error;
  const bool is_detached = thread->handle == hocket::runtime::Thread::Handle::detached;
  pthread_attr_setdetachstate(attributes, is_detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  pthread_attr_setguardsize(attributes, static_cast<std::size_t>(thread->stack.bottom - thread->stack.guard));
  return pthread_attr_setstack(attributes, thread->stack.bottom, thread->stack.size());
}

int pthread_cancel(pthread_t handle) {
  HOCKET_ENTRY(pthread_cancel, handle);
  refuse("pthread_cancel", "use a flag to tell the thread to end");
  return ENOSYS;
}
int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  HOCKET_ENTRY(pthread_tryjoin_np, handle, result);
  refuse("pthread_tryjoin_np", "use pthread_join");
  return ENOSYS;
}
int pthread_timedjoin_np(pthread_t handle, void** result, const struct timespec* time) {
  HOCKET_ENTRY(pthread_timedjoin_np, handle, result, time);
  refuse("pthread_timedjoin_np", "use pthread_join");
  return ENOSYS;
}

}  // extern "C"
