// The signals that kill a process.
#pragma once

namespace hocket {

/// While one lives, and a CrashFile, SIGSEGV, SIGABRT, SIGFPE, SIGBUS and SIGILL on a logical thread are told
/// of and the schedule is saved. Then the signal takes its course with the handler that was there before.
class CrashSignals {
 public:
  /// `lets_host_fault`: they may learn by SIGSEGV who writes to what. Not while somebody may look on
  /// with a debugger, which would stop each time.
  explicit CrashSignals(bool lets_host_fault);
  ~CrashSignals();
  CrashSignals(const CrashSignals&) = delete;
  CrashSignals& operator=(const CrashSignals&) = delete;
};

}  // namespace hocket
