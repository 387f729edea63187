#include "signals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../hooks/polling.hpp"
#include "../host/call_origin.hpp"
#include "../host/logical_threads.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../libc/time.hpp"
#include "../memory/address_map.hpp"
#include "../restore/kept_states.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Access;
using runtime::describe;
using runtime::Execution;
using runtime::execution;
using runtime::run;
namespace recording = runtime::recording;
using runtime::Operation;
using runtime::Thread;
using runtime::Where;

/// A set of signals. Signal 1 is the lowest bit.
using SignalSet = std::uint64_t;

constexpr SignalSet bit_of(int number) {
  return SignalSet{1} << static_cast<unsigned>(number - 1);
}
constexpr int kFirstOfLibrary = 32;  ///< signals 32 and 33 are the C library's own
constexpr int kLastOfLibrary = 33;

bool is_valid_signal(int number) {
  return number >= 1 && number < NSIG && (number < kFirstOfLibrary || number > kLastOfLibrary);
}
SignalSet from_system(const sigset_t& system) {
  SignalSet set = 0;
  for (int n = 1; n < NSIG; ++n) {
    if (sigismember(&system, n) == 1) set |= bit_of(n);
  }
  return set;
}
void to_system(SignalSet set, sigset_t& system) {
  sigemptyset(&system);
  for (int n = 1; n < NSIG; ++n) {
    if ((set & bit_of(n)) != 0) sigaddset(&system, n);
  }
}
/// The mask of the OS thread that runs bodies. Bodies do not change it.
sigset_t blocked_by_system() {
  sigset_t set;
  HOCKET_REAL(pthread_sigmask)(SIG_BLOCK, nullptr, &set);
  return set;
}
/// The lowest signal of the set.
int first_of(SignalSet set) {
  return std::countr_zero(set) + 1;
}

constexpr std::uint64_t fingerprint_of_signals(const runtime::Object& object) {
  return object.version;
}
constexpr runtime::ObjectKind kind_of_signals(const char* name) {
  runtime::ObjectKind kind{name, [](const runtime::Object&) -> void* { return nullptr; },
      [](runtime::Object&, const void*) {}, [](void*) {}, &fingerprint_of_signals};
  kind.awaited = "a signal";
  return kind;
}
constexpr runtime::ObjectKind kMaskKind = kind_of_signals("signal mask");
constexpr runtime::ObjectKind kDeliveryKind = kind_of_signals("signals");

/// The signal mask of a thread. Only that thread changes it; threads that send signals read it.
struct Mask : runtime::Object {
  explicit Mask(runtime::FoundAt place) : Object(kMaskKind, place) {}

  SignalSet blocked = 0;
  bool is_unblocking = false;  ///< the thread is about to check what has been sent to it
};

/// The signals that have been sent and not yet taken, and which thread waits for which signals.
///
/// A thread that sends a signal writes this and then reads masks. A thread that unblocks a signal writes its
/// mask and then reads this. So at least one of the two sees what the other has done.
struct Delivery : runtime::Object {
  explicit Delivery(runtime::FoundAt place) : Object(kDeliveryKind, place) {}

  /// A set of pending signals. Real-time signals are queued once for each time they are sent.
  struct Pending {
    SignalSet set = 0;
    std::vector<int> more;

    void add(int number) {
      const SignalSet bit = bit_of(number);
      if ((set & bit) != 0 && number >= SIGRTMIN) {
        const runtime::OwnMemory own;
        more.push_back(number);
      }
      set |= bit;
    }
    void take(int number) {
      const auto again = std::find(more.begin(), more.end(), number);
      if (again != more.end()) {
        more.erase(again);
      } else {
        set &= ~bit_of(number);
      }
    }
    [[nodiscard]] bool has(int number) const { return (set & bit_of(number)) != 0; }
  };
  struct ToThread {
    Pending pending;
    SignalSet waited_for = 0;
  };
  std::array<ToThread, runtime::kMaxThreads> to{};
  Pending to_process;

  [[nodiscard]] SignalSet pending_for(unsigned thread) const {
    return to[thread].pending.set | to_process.set;
  }
  /// Removes and returns the lowest signal of `set` that is pending for the thread, or returns 0.
  int take(unsigned thread, SignalSet set) {
    const SignalSet there = pending_for(thread) & set;
    if (there == 0) return 0;
    const int taken = first_of(there);
    Pending& from = to[thread].pending.has(taken) ? to[thread].pending : to_process;
    from.take(taken);
    return taken;
  }
};

/// The state of signals in an execution.
class AllSignals {
 public:
  void created(const Thread& thread) { of_[thread.index] = {nullptr, blocked_at_first(*thread.creator)}; }

  Mask& mask_of(const Thread& thread) {
    begin_to_use();
    OfThread& its = of_[thread.index];
    if (its.mask == nullptr) its.mask = &make(thread, its.blocked_at_first);
    return *its.mask;
  }
  Delivery& delivery() {
    begin_to_use();
    return *delivery_;
  }

 private:
  struct OfThread {
    Mask* mask;  ///< nullptr: not needed so far
    SignalSet blocked_at_first;
  };

  void begin_to_use() {
    if (are_signals_in_use) return;
    const runtime::OwnMemory own;
    constexpr std::uint64_t kKey = 0x5166;
    const SignalSet blocked = from_system(blocked_by_system());
    masks_.clear();
    for (unsigned t = 0; t < execution.thread_count(); ++t) of_[t] = {nullptr, blocked};
    delivery_.emplace(runtime::FoundAt{kKey});
    if (run.recording) recording::name(*delivery_, "signals");
    are_signals_in_use = true;
  }
  /// The initial signal mask of a thread that `creator` creates now.
  [[nodiscard]] SignalSet blocked_at_first(const Thread& creator) const {
    const OfThread& its = of_[creator.index];
    return its.mask != nullptr ? its.mask->blocked : its.blocked_at_first;
  }
  Mask& make(const Thread& thread, SignalSet blocked) {
    const runtime::OwnMemory own;
    constexpr std::uint64_t kOfMask = 0x5167;
    Mask& made = masks_.make(runtime::FoundAt{runtime::mix(thread.key, kOfMask)});
    made.blocked = blocked;
    if (run.recording) recording::name(made, "signal mask of " + describe(thread));
    return made;
  }

  std::array<OfThread, runtime::kMaxThreads> of_{};
  Pool<Mask> masks_;
  std::optional<Delivery> delivery_;
};

// Not a local static: a body may be the first to call this, and the guard would then be the body's.
constinit AllSignals* all_signals = nullptr;

[[gnu::noinline]] AllSignals& make_signals() {
  const runtime::OwnMemory own;
  return *(all_signals = new AllSignals);
}
AllSignals& signals() {
  return all_signals != nullptr ? *all_signals : make_signals();
}
Mask& my_mask() {
  return signals().mask_of(*run.current);
}

/// Steps. They return whether the execution continues.
bool step(runtime::Object& object, Operation operation, Access access) {
  if (!execution.scheduling.arrive(object, operation, true, Where{})) return false;
  execution.actions.act(object, operation, access);
  return true;
}
bool look_at(runtime::Object& object) {
  return step(object, Operation::atomic_load, Access::read);
}
bool add_to(runtime::Object& object) {
  return step(object, Operation::atomic_fetch_or, Access::write);
}
bool take_from(runtime::Object& object) {
  return step(object, Operation::atomic_fetch_and, Access::write);
}

/// Records which signal the step is about.
void note(int number) {
  if (!run.recording) return;
  const runtime::OwnMemory own;
  const char* const name = sigabbrev_np(number);
  recording::note_value(name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number));
}

// ---------------------------------------------------------------------------------------------------------------------
// Sending

siginfo_t info_of(int number) {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_TKILL;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return info;
}

bool has_handler(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  return action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL;
}
bool is_ignored(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return true;
  const bool is_ignored_by_default =
      number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
  return action.sa_handler == SIG_DFL && is_ignored_by_default;
}

/// Changes the signal mask of the current thread. Pending signals that become unblocked are handled before
/// this returns.
void set_mask(SignalSet blocked);

/// Whether the signal is left to the system. This includes those that Hocket itself handles.
bool is_of_system(int number) {
  constexpr std::array kTheirs{
      SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGKILL, SIGSTOP, SIGURG};
  return std::find(kTheirs.begin(), kTheirs.end(), number) != kTheirs.end();
}

/// Runs the handler, if any, as a function. The kernel would block signals for all threads until the handler
/// returns, which it may never do.
void handle(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  const bool is_siginfo = (action.sa_flags & SA_SIGINFO) != 0;
  if (is_of_system(number) || (!is_siginfo && action.sa_handler == SIG_DFL && !is_ignored(number))) {
    HOCKET_REAL(raise)(number);
    return;
  }
  if (is_ignored(number)) return;
  if ((static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) != 0) {
    note_disposition(number);
    signal(number, SIG_DFL);
  }
  const SignalSet before = my_mask().blocked;
  const SignalSet itself = (action.sa_flags & SA_NODEFER) != 0 ? 0 : bit_of(number);
  set_mask(before | from_system(action.sa_mask) | itself);
  if (is_siginfo) {
    siginfo_t info = info_of(number);
    ucontext_t context{};
    action.sa_sigaction(number, &info, &context);
  } else {
    action.sa_handler(number);
  }
  set_mask(before);
}

/// Delivers a signal to `thread`, which does not block it. The signal is no longer pending.
void deliver_to(const Thread& thread, int number, const char* function) {
  if (&thread == run.current) {
    handle(number);
  } else if (!is_ignored(number)) {
    refuse(function,
        has_handler(number)
            ? "the signal's handler would interrupt another thread anywhere: let that thread block the "
              "signal, and wait for it with sigwait or sigsuspend"
            : "the signal would end the program, since another thread does not block it");
  }
}

void send(const Thread& target, int number) {
  const SignalSet bit = bit_of(number);
  Mask& mask = signals().mask_of(target);
  if (&target == run.current && (mask.blocked & bit) == 0) {
    handle(number);
    return;
  }
  Delivery& delivery = signals().delivery();
  Delivery::ToThread& its = delivery.to[target.index];
  if (!add_to(delivery)) return;
  note(number);
  its.pending.add(number);
  if ((its.waited_for & bit) != 0) {
    execution.blocking.atomic_notify(delivery, true, Where{});
    return;
  }
  // It makes no difference whether the thread has ended: until it is joined, it might still be running.
  if (!look_at(mask) || (mask.blocked & bit) != 0 || mask.is_unblocking || !take_from(delivery)) return;
  if (!its.pending.has(number)) return;  // the thread has taken it in the meantime
  its.pending.take(number);
  deliver_to(target, number, "pthread_kill");
}

/// Sends a signal to the process; any thread may take it.
void send_to_process(int number) {
  const SignalSet bit = bit_of(number);
  Delivery& delivery = signals().delivery();
  if (!add_to(delivery)) return;
  note(number);
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    Delivery::ToThread& its = delivery.to[t];
    if ((its.waited_for & bit) == 0 || its.pending.has(number)) continue;
    its.pending.add(number);
    execution.blocking.atomic_notify(delivery, true, Where{});
    return;
  }
  delivery.to_process.add(number);
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    const Thread& thread = execution.thread(t);
    if (thread.handle == Thread::Handle::joined) continue;
    Mask& mask = signals().mask_of(thread);
    if (!look_at(mask)) return;
    if ((mask.blocked & bit) != 0 || mask.is_unblocking) continue;
    if (!take_from(delivery) || !delivery.to_process.has(number)) return;
    delivery.to_process.take(number);
    deliver_to(thread, number, "kill");
    return;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Handling

/// Handles pending signals until there are none that the current thread does not block.
void handle_what_is_not_blocked() {
  Mask& mask = my_mask();
  Delivery& delivery = signals().delivery();
  const unsigned self = run.current->index;
  for (mask.is_unblocking = true; mask.is_unblocking;) {
    int taken = 0;
    if (!look_at(delivery)) return;
    if ((delivery.pending_for(self) & ~mask.blocked) != 0) {
      if (!take_from(delivery)) return;
      taken = delivery.take(self, ~mask.blocked);
    }
    mask.is_unblocking = taken != 0;
    if (taken != 0) handle(taken);
  }
}

void set_mask(SignalSet blocked) {
  Mask& mask = my_mask();
  const SignalSet old = mask.blocked;
  blocked &= ~(bit_of(SIGKILL) | bit_of(SIGSTOP));
  if (blocked == old || !step(mask, Operation::atomic_exchange, Access::write)) return;
  mask.blocked = blocked;
  if ((old & ~blocked) != 0) handle_what_is_not_blocked();
}

// ---------------------------------------------------------------------------------------------------------------------
// Waiting

/// Waits for one of `set` and takes it. Returns 0 when the time is over; with a time of 0 it does not wait.
int wait_for_one_of(SignalSet set, std::int64_t nanoseconds) {
  Delivery& delivery = signals().delivery();
  const unsigned self = run.current->index;
  if (!add_to(delivery)) return 0;
  int taken = delivery.take(self, set);
  if (taken == 0 && nanoseconds != 0) {
    delivery.to[self].waited_for = set;
    struct Context {
      const Delivery& delivery;
      unsigned self;
      SignalSet set;
    } context{delivery, self, set};
    bool expired = false;
    const bool goes_on = execution.blocking.atomic_wait(
        delivery,
        [](const void* argument) {
          const auto& c = *static_cast<const Context*>(argument);
          return (c.delivery.pending_for(c.self) & c.set) == 0;
        },
        &context, std::memory_order_acquire, nanoseconds, expired, Where{});
    if (!goes_on || !take_from(delivery)) return 0;
    delivery.to[self].waited_for = 0;
    taken = delivery.take(self, set);
  }
  if (taken != 0) note(taken);
  if ((delivery.pending_for(self) & ~my_mask().blocked) != 0) handle_what_is_not_blocked();
  return taken;
}

/// Like sigtimedwait.
int wait_for(const sigset_t* set, siginfo_t* info, std::int64_t nanoseconds) {
  const int taken = wait_for_one_of(from_system(*set), nanoseconds);
  if (taken == 0) return fail_with(EAGAIN);
  if (info != nullptr) *info = info_of(taken);
  return taken;
}

/// Waits for a signal that is not in `blocked`, and runs its handler.
int wait_for_handler(SignalSet blocked) {
  SignalSet set = 0;
  for (int n = 1; n < NSIG; ++n) {
    const bool is_meant = is_valid_signal(n) && (blocked & bit_of(n)) == 0 && !is_ignored(n);
    if (is_meant) set |= bit_of(n);
  }
  const int taken = wait_for_one_of(set, runtime::Blocking::kForever);
  if (taken != 0) handle(taken);
  return fail_with(EINTR);
}

// ---------------------------------------------------------------------------------------------------------------------
// Blocking

int change_mask(int how, const sigset_t* set, sigset_t* before) {
  const SignalSet old = my_mask().blocked;
  if (before != nullptr) to_system(old, *before);
  if (set == nullptr) return 0;
  const SignalSet change = from_system(*set);
  if (how == SIG_BLOCK) {
    set_mask(old | change);
  } else if (how == SIG_UNBLOCK) {
    set_mask(old & ~change);
  } else if (how == SIG_SETMASK) {
    set_mask(change);
  } else {
    return EINVAL;
  }
  return 0;
}

}  // namespace

constinit bool are_signals_in_use = false;

void begin_signals_slowly_of(const runtime::Thread& thread) {
  if (thread.creator == nullptr) {
    are_signals_in_use = false;  // a new execution begins
  } else {
    signals().created(thread);
  }
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::execution;
using hocket::runtime::Execution;
using hocket::runtime::Thread;

extern "C" {

int pthread_kill(pthread_t handle, int number) noexcept {
  if (!is_from_body()) return HOCKET_REAL(pthread_kill)(handle, number);
  HOCKET_CALLED_FROM_BODY();
  Thread* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (number != 0 && !is_valid_signal(number)) return EINVAL;
  if (thread->handle == Thread::Handle::joined) return ESRCH;
  if (number != 0) send(*thread, number);
  return 0;
}
int pthread_sigqueue(pthread_t handle, int number, const union sigval value) noexcept {
  if (!is_from_body()) return HOCKET_REAL(pthread_sigqueue)(handle, number, value);
  HOCKET_CALLED_FROM_BODY();
  refuse("pthread_sigqueue", "use pthread_kill, and hand the value over in a variable");
  return ENOSYS;
}
int raise(int number) noexcept {
  // One of Hocket's own handlers may call this after a crash.
  if (!is_from_body() || !is_valid_signal(number) || is_of_system(number)) return HOCKET_REAL(raise)(number);
  HOCKET_CALLED_FROM_BODY();
  send(*run.current, number);
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
  if (!is_from_body()) return HOCKET_REAL(sigwait)(set, number);
  HOCKET_CALLED_FROM_BODY();
  *number = wait_for(set, nullptr, hocket::runtime::Blocking::kForever);
  return 0;
}
int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!is_from_body()) return HOCKET_REAL(sigwaitinfo)(set, info);
  HOCKET_CALLED_FROM_BODY();
  return wait_for(set, info, hocket::runtime::Blocking::kForever);
}
int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  if (!is_from_body()) return HOCKET_REAL(sigtimedwait)(set, info, time);
  HOCKET_CALLED_FROM_BODY();
  if (time == nullptr) return wait_for(set, info, hocket::runtime::Blocking::kForever);
  if (!is_valid(time)) return fail_with(EINVAL);
  return wait_for(set, info, nanoseconds(*time));
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  if (!is_from_body()) return HOCKET_REAL(pthread_sigmask)(how, set, before);
  HOCKET_CALLED_FROM_BODY();
  return change_mask(how, set, before);
}
int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  if (!is_from_body()) return HOCKET_REAL(sigprocmask)(how, set, before);
  HOCKET_CALLED_FROM_BODY();
  const int error = change_mask(how, set, before);
  return error == 0 ? 0 : fail_with(error);
}
int sigpending(sigset_t* set) noexcept {
  if (!is_from_body()) return HOCKET_REAL(sigpending)(set);
  HOCKET_CALLED_FROM_BODY();
  Delivery& delivery = signals().delivery();
  Look look;
  if (!look_at(delivery)) return 0;
  const SignalSet pending = delivery.pending_for(run.current->index) & my_mask().blocked;
  look.found(delivery, delivery.version, true);
  to_system(pending, *set);
  return 0;
}

int sigsuspend(const sigset_t* mask) {
  if (!is_from_body()) return HOCKET_REAL(sigsuspend)(mask);
  HOCKET_CALLED_FROM_BODY();
  return wait_for_handler(from_system(*mask));
}
int pause() {
  if (!is_from_body()) return HOCKET_REAL(pause)();
  HOCKET_CALLED_FROM_BODY();
  return wait_for_handler(my_mask().blocked);
}

}  // extern "C"
