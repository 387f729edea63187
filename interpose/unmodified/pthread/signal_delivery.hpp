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

/// Whether the handle that a thread is to be sent a signal by is still that of a thread. Until it has been
/// joined, it is, and while another thread is about to join it. It is a failure if nothing orders the two.
bool can_be_sent_to(const runtime::Thread& target);
/// To be called when the running thread has joined `thread`. It is a failure if another thread has sent it a
/// signal, and nothing orders the two.
void check_senders_to(const runtime::Thread& thread);

/// Sends a signal to a thread. Returns false if that has been joined.
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
