// A body that ends the process, or copies it.
#pragma once

namespace hocket {

/// While one lives, and a CrashFile, exit(), quick_exit(), _exit() and fork() on a logical thread are told
/// of, the schedule is saved, and the process ends with status 1, whatever the body has asked for: the search
/// has not passed. Statics are not destroyed, on a fiber and with a search half done, but for those that the
/// body itself has made.
///
/// posix_spawn(), system(), popen() and vfork() start a process without copying this one, and work.
class ExitGuard {
 public:
  ExitGuard();
  ~ExitGuard();

  /// From here on the guard that lives is for the process that calls this.
  static void guard_this_process();

  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
};

}  // namespace hocket
