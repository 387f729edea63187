// The functions of the system that block, send and wait for signals.
#include "signals.hpp"

#include <cerrno>
#include <csignal>

#include <pthread.h>
#include <unistd.h>

#include "../hooks/polling.hpp"
#include "../host/call_origin.hpp"
#include "../host/logical_threads.hpp"
#include "../host/refusal.hpp"
#include "../libc/time.hpp"
#include "../libstdcxx/library_call.hpp"
#include "signal_delivery.hpp"
#include "signal_state.hpp"
#include "signal_waits.hpp"

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using namespace hocket::unmodified::signals;  // NOLINT(google-build-using-namespace)
using hocket::runtime::Thread;

#define HOCKET_CALLER __builtin_return_address(0)

namespace {

/// What sigwaitinfo() and its like return: `number`, or -1 if there was no signal.
int noted(int number, const siginfo_t* info, const void* caller) {
  if (number > 0) note_result(caller, info);
  return number;
}

}  // namespace

extern "C" {

int pthread_kill(pthread_t handle, int number) noexcept {
  HOCKET_ENTRY(pthread_kill, handle, number);
  Thread* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (number != 0 && !is_valid_signal(number)) return EINVAL;
  return (number != 0 ? send(*thread, number) : can_be_sent_to(*thread)) ? 0 : ESRCH;
}
int pthread_sigqueue(pthread_t handle, int number, const union sigval value) noexcept {
  HOCKET_ENTRY(pthread_sigqueue, handle, number, value);
  refuse("pthread_sigqueue", "use pthread_kill, and hand the value over in a variable");
  return ENOSYS;
}
int raise(int number) noexcept {
  // One of Hocket's own handlers may call this after a crash.
  if (!is_from_body() || !is_valid_signal(number) || is_of_system(number)) return HOCKET_REAL(raise)(number);
  HOCKET_CALLED_FROM_BODY();
  send(*hocket::runtime::run.current, number);
  return 0;
}
int kill(pid_t process, int number) noexcept {
  const bool is_controlled =
      is_from_body() && process == getpid() && is_valid_signal(number) && !is_of_system(number);
  if (!is_controlled) return HOCKET_REAL(kill)(process, number);
  HOCKET_CALLED_FROM_BODY();
  send_to_process(number);
  return 0;
}

int sigwait(const sigset_t* set, int* number) {
  HOCKET_ENTRY(sigwait, set, number);
  *number = wait_for(set, nullptr, hocket::runtime::kForever);
  note_result(HOCKET_CALLER, number);
  return 0;
}
int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  HOCKET_ENTRY(sigwaitinfo, set, info);
  return noted(wait_for(set, info, hocket::runtime::kForever), info, HOCKET_CALLER);
}
int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  HOCKET_ENTRY(sigtimedwait, set, info, time);
  if (time != nullptr && !is_valid(time)) return fail_with(EINVAL);
  const std::int64_t limit = time != nullptr ? nanoseconds(*time) : hocket::runtime::kForever;
  return noted(wait_for(set, info, limit), info, HOCKET_CALLER);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  HOCKET_ENTRY(pthread_sigmask, how, set, before);
  const int error = change_mask(how, set, before);
  if (error == 0) note_result(HOCKET_CALLER, before);
  return error;
}
int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  HOCKET_ENTRY(sigprocmask, how, set, before);
  const int error = change_mask(how, set, before);
  if (error == 0) note_result(HOCKET_CALLER, before);
  return error == 0 ? 0 : fail_with(error);
}
int sigpending(sigset_t* set) noexcept {
  HOCKET_ENTRY(sigpending, set);
  Delivery& delivery = hocket::unmodified::signals::delivery();
  Look look;
  if (!look_at(delivery)) return 0;
  const SignalSet pending = delivery.pending_for(hocket::runtime::run.current->index) & my_mask().blocked;
  look.found(delivery, delivery.version, true);
  to_system(pending, *set);
  note_result(HOCKET_CALLER, set);
  return 0;
}

int sigsuspend(const sigset_t* mask) {
  HOCKET_ENTRY(sigsuspend, mask);
  return wait_for_handler(from_system(*mask));
}
int pause() {
  HOCKET_ENTRY(pause);
  return wait_for_handler(my_mask().blocked);
}

}  // extern "C"
