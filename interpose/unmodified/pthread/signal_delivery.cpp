#include "signal_delivery.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <ucontext.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../restore/kept_states.hpp"
#include "signal_state.hpp"

namespace hocket::unmodified::signals {

using runtime::execution;
using runtime::run;
using runtime::Thread;

namespace {

bool has_handler(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  return action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL;
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

bool is_joined(const Thread& thread) {
  return thread.handle == Thread::Handle::joined && thread.state == Thread::State::ended;
}
/// Whether what `thread` did at that time is ordered before what the running thread does now.
bool comes_after(const Thread& thread, runtime::Epoch epoch) {
  if (runtime::is_sabotaged(runtime::Sabotage::joined_threads_take_none)) return true;
  if (&thread == run.current || !execution.races.is_looking()) return true;
  return execution.races.races().known_to(*run.current).at(thread.index) >= runtime::time_of(epoch);
}
void fail_for_want_of_order(const Thread& sender, const Thread& target) {
  const runtime::OwnMemory own;
  runtime::step::fail(runtime::FailureKind::misuse,
      describe(sender) + " calls pthread_kill() for " + describe(target) +
          ", and nothing makes it do so before that is joined: the handle of a joined thread must not be "
          "used",
      runtime::Where{});
}

}  // namespace

siginfo_t info_of(int number) {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_TKILL;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return info;
}

bool is_ignored(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return true;
  const bool is_ignored_by_default =
      number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
  return action.sa_handler == SIG_DFL && is_ignored_by_default;
}

bool is_of_system(int number) {
  constexpr std::array kTheirs{
      SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGKILL, SIGSTOP, SIGURG};
  return std::find(kTheirs.begin(), kTheirs.end(), number) != kTheirs.end();
}

// ---------------------------------------------------------------------------------------------------------------------
// Handling

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

void handle_what_is_not_blocked() {
  Mask& mask = my_mask();
  Delivery& delivery = signals::delivery();
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

// ---------------------------------------------------------------------------------------------------------------------
// Masks

void set_mask(SignalSet blocked) {
  Mask& mask = my_mask();
  const SignalSet old = mask.blocked;
  blocked &= ~(bit_of(SIGKILL) | bit_of(SIGSTOP));
  if (blocked == old || !change(mask)) return;
  mask.blocked = blocked;
  if ((old & ~blocked) != 0) handle_what_is_not_blocked();
}

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

// ---------------------------------------------------------------------------------------------------------------------
// Sending

bool can_be_sent_to(const Thread& target) {
  if (&target == run.current) return true;
  senders_to(target).add(*run.current);
  if (!is_joined(target)) return true;
  if (!comes_after(target, target.epoch)) fail_for_want_of_order(*run.current, target);
  return false;
}
void check_senders_to(const Thread& thread) {
  for (const Senders::Sender& sender : senders_to(thread).all) {
    if (!comes_after(*sender.thread, sender.epoch)) return fail_for_want_of_order(*sender.thread, thread);
  }
}

bool send(const Thread& target, int number) {
  const SignalSet bit = bit_of(number);
  Mask& mask = mask_of(target);
  if (&target == run.current && (mask.blocked & bit) == 0) {
    handle(number);
    return true;
  }
  Delivery& delivery = signals::delivery();
  Delivery::ToThread& its = delivery.to[target.index];
  if (!can_be_sent_to(target)) return false;
  if (!add_to(delivery)) return true;
  note(number);
  its.pending.add(number);
  if ((its.waited_for & bit) != 0) {
    runtime::step::atomic_notify(delivery, true, runtime::Where{});
    return true;
  }
  // It makes no difference whether the thread has ended: until it is joined, it might still be running.
  if (!look_at(mask) || (mask.blocked & bit) != 0 || mask.is_unblocking || !take_from(delivery)) return true;
  if (!its.pending.has(number)) return true;  // the thread has taken it in the meantime
  its.pending.take(number);
  deliver_to(target, number, "pthread_kill");
  return true;
}

void send_sigpipe(const char* function) {
  struct sigaction action {};
  sigaction(SIGPIPE, nullptr, &action);
  const bool ends_process = (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
  if (!ends_process || (my_mask().blocked & bit_of(SIGPIPE)) != 0) {
    send(*run.current, SIGPIPE);
    return;
  }
  const runtime::OwnMemory own;
  runtime::step::fail(runtime::FailureKind::terminate,
      describe(*run.current) + " was ended by SIGPIPE: in " + function +
          "() it writes where nobody can read any more",
      runtime::Where{});
}

void send_to_process(int number) {
  const SignalSet bit = bit_of(number);
  Delivery& delivery = signals::delivery();
  if (!add_to(delivery)) return;
  note(number);
  const bool is_awaited = delivery.is_awaited(bit);
  delivery.to_process.add(number);
  if (is_awaited) {
    runtime::step::atomic_notify(delivery, true, runtime::Where{});
    return;
  }
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    const Thread& thread = execution.thread(t);
    if (is_joined(thread) && comes_after(thread, thread.epoch)) continue;
    Mask& mask = mask_of(thread);
    if (!look_at(mask)) return;
    if ((mask.blocked & bit) != 0 || mask.is_unblocking) continue;
    if (!take_from(delivery) || !delivery.to_process.has(number)) return;
    delivery.to_process.take(number);
    deliver_to(thread, number, "kill");
    return;
  }
}

}  // namespace hocket::unmodified::signals
