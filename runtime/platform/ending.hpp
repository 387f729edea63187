// How another process has ended, as its parent sees it.
#pragma once

#include <string>

#include <sys/types.h>

namespace hocket::runtime::platform {

struct Ending {
  int status = 0;                      ///< with which it exited, if no signal ended it
  int signal = 0;                      ///< that ended it, or 0
  bool reached_limit_of_time = false;  ///< that was SIGKILL, as it had used all its time of a processor
  bool lost_main_thread = false;       ///< that was SIGKILL, after the system had ended its main thread alone
};

/// Waits for the end of a child of this process, which is no zombie afterwards. A child of which the system
/// has ended the main thread alone is ended: nothing else would.
Ending await_ending(pid_t process);

/// "SIGSEGV", or "signal 64" for one without a name.
std::string signal_name(int signal);

/// "was ended by SIGSEGV", "ended with status 1"
std::string to_text(const Ending& ending);

}  // namespace hocket::runtime::platform
