// Catches a body that ends the process or forks it.
#pragma once

namespace hocket {

/// While an object of this class and a DyingProcess exist, a call of exit(), quick_exit(), _exit() or fork()
/// on a logical thread is reported and the schedule is saved. Then the process ends with status 1, whatever
/// status the body asked for, because the search has not passed. Statics are not destroyed, because this is a
/// fiber in the middle of a search.
///
/// posix_spawn(), system(), popen() and vfork() work, because they start a process without copying this one.
class ExitGuard {
 public:
  ExitGuard();
  ~ExitGuard();

  /// From here on, the existing guard applies to the calling process.
  static void guard_this_process();

  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
};

/// Called by exit() and _exit() first; may go elsewhere. nullptr: nobody wants to know.
using BeforeExit = void (*)();
inline constinit BeforeExit before_exit = nullptr;

}  // namespace hocket
