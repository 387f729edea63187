// Catches signals that kill a process, and a body that starts a thread outside of Hocket's control.
#pragma once

namespace hocket {

/// While an object of this class and a DyingProcess exist, SIGSEGV, SIGABRT, SIGFPE, SIGBUS and SIGILL on a
/// logical thread are reported and the schedule is saved. Then the program begins anew, or the previous
/// handler gets the signal.
class CrashSignals {
 public:
  /// `lets_host_fault`: the host may detect writes by SIGSEGV. False if a debugger may be attached, because
  /// it would stop at every such signal.
  explicit CrashSignals(bool lets_host_fault);
  ~CrashSignals();
  CrashSignals(const CrashSignals&) = delete;
  CrashSignals& operator=(const CrashSignals&) = delete;
};

/// While an object of this class exists, pthread_create() on a logical thread, and so std::thread, makes the
/// execution fail. What the new thread does would not be part of any schedule, and the search would pass
/// without having seen it. In unmodified code under Hocket's control, new threads are logical ones, and this
/// guard does nothing.
class ThreadGuard {
 public:
  ThreadGuard();
};

}  // namespace hocket
