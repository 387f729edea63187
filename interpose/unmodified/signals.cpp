#include <hocket/interpose/unmodified/signals.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>

#include <pthread.h>
#include <unistd.h>

#include <hocket/interpose/unmodified/address_map.hpp>
#include <hocket/interpose/unmodified/entry.hpp>
#include <hocket/interpose/unmodified/logical_threads.hpp>
#include <hocket/interpose/unmodified/real.hpp>
#include <hocket/interpose/unmodified/refusal.hpp>
#include <hocket/interpose/unmodified/time.hpp>
#include <hocket/runtime/allocations.hpp>

namespace hocket::unmodified {

namespace {

using runtime::Access;
using runtime::execution;
using runtime::Operation;
using runtime::Thread;
using runtime::Where;

/// A set of signals, number 1 in the lowest bit.
using SignalSet = std::uint64_t;

constexpr SignalSet bit_of(int number) {
  return SignalSet{1} << static_cast<unsigned>(number - 1);
}
constexpr int kFirstOfLibrary = 32;  ///< 32 and 33 are the C library's own
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
/// Of the thread of the system that runs bodies, whose mask they do not change.
sigset_t blocked_by_system() {
  sigset_t set;
  HOCKET_REAL(pthread_sigmask)(SIG_BLOCK, nullptr, &set);
  return set;
}
/// The lowest of them.
int first_of(SignalSet set) {
  int number = 1;
  while ((set & bit_of(number)) == 0) ++number;
  return number;
}

/// What is sent to a thread is an atomic, which others set and which it waits for.
struct Signals : runtime::Object {
  explicit Signals(runtime::FoundAt place);

  SignalSet blocked = 0;
  SignalSet waited_for = 0;
  SignalSet pending = 0;
};

constexpr runtime::ObjectKind kSignalsKind{"signals", [](const runtime::Object&) -> void* { return nullptr; },
    [](runtime::Object&, const void*) {}, [](void*) {},
    [](const runtime::Object& object) { return static_cast<const Signals&>(object).pending; }};

Signals::Signals(runtime::FoundAt place) : Object(kSignalsKind, place) {}

/// Those of the threads of an execution.
class AllSignals {
 public:
  void begin() { is_in_use_ = false; }
  [[nodiscard]] bool is_in_use() const { return is_in_use_; }

  void created(const Thread& thread) {
    if (is_in_use_) of_[thread.index] = {nullptr, blocked_at_first(*thread.creator)};
  }

  Signals& of(const Thread& thread) {
    if (!is_in_use_) begin_to_use();
    OfThread& its = of_[thread.index];
    if (its.signals == nullptr) its.signals = &make(thread, its.blocked_at_first);
    return *its.signals;
  }

 private:
  struct OfThread {
    Signals* signals;  ///< nullptr: nobody has used them yet
    SignalSet blocked_at_first;
  };

  void begin_to_use() {
    const SignalSet blocked = from_system(blocked_by_system());
    made_.clear();
    for (unsigned t = 0; t < execution.thread_count(); ++t) of_[t] = {nullptr, blocked};
    is_in_use_ = true;
  }
  /// What a thread blocks at first that `creator` makes now.
  [[nodiscard]] SignalSet blocked_at_first(const Thread& creator) const {
    const OfThread& its = of_[creator.index];
    return its.signals != nullptr ? its.signals->blocked : its.blocked_at_first;
  }
  Signals& make(const Thread& thread, SignalSet blocked) {
    const runtime::OwnMemory own;
    constexpr std::uint64_t kOfSignals = 0x5167;
    Signals& made = made_.make(runtime::FoundAt{runtime::mix(thread.key, kOfSignals)});
    made.blocked = blocked;
    if (execution.recording) execution.name(made, "signals of " + execution.describe(thread));
    return made;
  }

  bool is_in_use_ = false;  ///< in this execution
  std::array<OfThread, runtime::kMaxThreads> of_{};
  Pool<Signals> made_;
};

AllSignals& signals() {
  static auto* const all = new AllSignals;
  return *all;
}
Signals& mine() {
  return signals().of(*execution.current);
}

/// One step on them. Returns whether the execution goes on.
bool step(Signals& those, Operation operation, Access access) {
  if (!execution.arrive(those, operation, true, Where{})) return false;
  execution.act(those, operation, access);
  return true;
}

void note(int number) {
  if (!execution.recording) return;
  const runtime::OwnMemory own;
  const char* const name = sigabbrev_np(number);
  execution.note_value(name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number));
}

// ---------------------------------------------------------------------------------------------------------------------
// Sending

bool is_ignored(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return true;
  const bool is_ignored_by_default =
      number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
  return action.sa_handler == SIG_DFL && is_ignored_by_default;
}

int send(Thread& target, int number) {
  Signals& its = signals().of(target);
  const SignalSet bit = bit_of(number);
  if (&target == execution.current && (its.blocked & bit) == 0) return HOCKET_REAL(raise)(number);
  if (!step(its, Operation::atomic_fetch_or, Access::write)) return 0;
  note(number);
  if (((its.blocked | its.waited_for) & bit) != 0) {
    its.pending |= bit;
    if ((its.waited_for & bit) != 0) execution.atomic_notify(its, true, Where{});
  } else if (!is_ignored(number)) {
    refuse("pthread_kill",
        "the handler would interrupt the other thread anywhere: let that thread block the signal and wait "
        "for "
        "it with sigwait");
  }
  return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Waiting

/// One of `set` that is sent to the current thread, or 0 when the time is over.
int take_one_of(SignalSet set, std::int64_t nanoseconds) {
  Signals& my = mine();
  // From here on, whoever sends one knows that it is waited for.
  if (!step(my, Operation::atomic_exchange, Access::write)) return 0;
  my.waited_for = set;
  if ((my.pending & set) == 0) {
    struct Context {
      const Signals& my;
      SignalSet set;
    } context{my, set};
    bool expired = false;
    execution.atomic_wait(
        my,
        [](const void* argument) {
          const auto& c = *static_cast<const Context*>(argument);
          return (c.my.pending & c.set) == 0;
        },
        &context, std::memory_order_acquire, nanoseconds, expired, Where{});
    if (!step(my, Operation::atomic_fetch_and, Access::write)) return 0;
  }
  my.waited_for = 0;
  const SignalSet there = my.pending & set;
  if (there == 0) return 0;
  const int taken = first_of(there);
  my.pending &= ~bit_of(taken);
  note(taken);
  return taken;
}

/// As sigtimedwait; returns -1 and sets errno when the time is over.
int wait_for(const sigset_t* set, siginfo_t* info, std::int64_t nanoseconds) {
  const int taken = take_one_of(from_system(*set), nanoseconds);
  if (taken == 0) {
    errno = EAGAIN;
    return -1;
  }
  if (info != nullptr) {
    *info = {};
    info->si_signo = taken;
    info->si_code = SI_TKILL;
    info->si_pid = getpid();
    info->si_uid = getuid();
  }
  return taken;
}

// ---------------------------------------------------------------------------------------------------------------------
// Blocking

int change_mask(int how, const sigset_t* set, sigset_t* before) {
  Signals& my = mine();
  const SignalSet old = my.blocked;
  if (set != nullptr) {
    const SignalSet change = from_system(*set);
    SignalSet next = change;
    if (how == SIG_BLOCK) {
      next = old | change;
    } else if (how == SIG_UNBLOCK) {
      next = old & ~change;
    } else if (how != SIG_SETMASK) {
      return EINVAL;
    }
    if (next != old) {
      if (!step(my, Operation::atomic_exchange, Access::write)) return 0;
      my.blocked = next & ~(bit_of(SIGKILL) | bit_of(SIGSTOP));
    }
  }
  if (before != nullptr) to_system(old, *before);
  while ((my.pending & ~my.blocked) != 0) {
    const int number = first_of(my.pending & ~my.blocked);
    my.pending &= ~bit_of(number);
    HOCKET_REAL(raise)(number);
  }
  return 0;
}

int fail_with(int error) {
  errno = error;
  return -1;
}

}  // namespace

void begin_signals_of(const runtime::Thread& thread) {
  if (thread.creator == nullptr) {
    signals().begin();
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
  if (number == 0 || thread->state == Thread::State::ended) return 0;
  return send(*thread, number);
}
int raise(int number) noexcept {
  if (!is_from_body() || !is_valid_signal(number)) return HOCKET_REAL(raise)(number);
  // Without memory: a handler may come here after a crash.
  const sigset_t blocked = blocked_by_system();
  if (!signals().is_in_use() && sigismember(&blocked, number) == 0) return HOCKET_REAL(raise)(number);
  HOCKET_CALLED_FROM_BODY();
  return send(*execution.current, number);
}
int kill(pid_t process, int number) noexcept {
  const bool is_to_itself = is_from_body() && process == getpid() && is_valid_signal(number);
  if (!is_to_itself || (mine().blocked & bit_of(number)) == 0) return HOCKET_REAL(kill)(process, number);
  HOCKET_CALLED_FROM_BODY();
  refuse("kill", "send the signal to a thread, with pthread_kill");
  return 0;
}

int sigwait(const sigset_t* set, int* number) {
  if (!is_from_body()) return HOCKET_REAL(sigwait)(set, number);
  HOCKET_CALLED_FROM_BODY();
  *number = wait_for(set, nullptr, Execution::kForever);
  return 0;
}
int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!is_from_body()) return HOCKET_REAL(sigwaitinfo)(set, info);
  HOCKET_CALLED_FROM_BODY();
  return wait_for(set, info, Execution::kForever);
}
int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  if (!is_from_body()) return HOCKET_REAL(sigtimedwait)(set, info, time);
  HOCKET_CALLED_FROM_BODY();
  if (time == nullptr) return wait_for(set, info, Execution::kForever);
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
  Signals& my = mine();
  if (step(my, hocket::runtime::Operation::atomic_load, hocket::runtime::Access::read))
    to_system(my.pending, *set);
  return 0;
}

int sigsuspend(const sigset_t* mask) {
  if (!is_from_body()) return HOCKET_REAL(sigsuspend)(mask);
  HOCKET_CALLED_FROM_BODY();
  refuse("sigsuspend", "wait for the signal with sigwait");
  return fail_with(EINTR);
}
int pause() {
  if (!is_from_body()) return HOCKET_REAL(pause)();
  HOCKET_CALLED_FROM_BODY();
  refuse("pause", "wait for a signal with sigwait");
  return fail_with(EINTR);
}

}  // extern "C"
