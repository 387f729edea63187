// The signals that kill a process.
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

}  // namespace hocket
