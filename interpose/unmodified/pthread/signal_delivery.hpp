// What becomes of signals: how they are sent to logical threads, and when their handlers run.
#pragma once

#include <csignal>

#include "../../../runtime/threads/thread.hpp"
#include "signal_sets.hpp"

namespace hocket::unmodified::signals {

/// Whether the signal is left to the system. This includes those that Hocket itself handles.
bool is_of_system(int number);
bool is_ignored(int number);
/// What the system would tell a handler of the signal.
siginfo_t info_of(int number);

/// Whether the thread has been joined. While another one is about to join it, it lives on.
bool is_joined(const runtime::Thread& thread);

/// Sends a signal to a thread. Returns whether it has not been joined.
bool send(const runtime::Thread& target, int number);
/// Sends a signal to the process; any thread may take it.
void send_to_process(int number);

/// What becomes of the current thread, which has written in `function` where nobody can read any more.
void send_sigpipe(const char* function);

/// Runs the handler, if any, as a function. The kernel would block signals for all threads until the handler
/// returns, which it may never do.
void handle(int number);
/// Handles pending signals until there are none that the current thread does not block.
void handle_what_is_not_blocked();

/// Changes the signal mask of the current thread. Pending signals that become unblocked are handled before
/// this returns.
void set_mask(SignalSet blocked);
/// Like pthread_sigmask: returns an error number.
int change_mask(int how, const sigset_t* set, sigset_t* before);

}  // namespace hocket::unmodified::signals
