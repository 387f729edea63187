#include "ending.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hocket::runtime::platform {

namespace {

/// The fields of /proc/PID/stat that follow the name of the program: see proc(5).
std::istringstream state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return std::istringstream(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
}

/// Whether a process that has ended has used as much of a processor as it was allowed to.
bool has_used_up_its_time(pid_t process) {
  std::ifstream limits("/proc/" + std::to_string(process) + "/limits");
  constexpr std::string_view kLimit = "Max cpu time";
  for (std::string line; std::getline(limits, line);) {
    if (!line.starts_with(kLimit)) continue;
    std::istringstream words(line.substr(kLimit.size()));
    std::string soft;
    long hard = 0;  // stays so if there is none
    words >> soft >> hard;
    std::istringstream fields = state_of(process);
    constexpr int kBeforeTimes = 11;
    std::string left_out;
    for (int n = 0; n < kBeforeTimes; ++n) fields >> left_out;
    long user = 0;
    long system = 0;
    fields >> user >> system;
    // The kernel counts whole ticks against the limit, and tells the time that was really used: on a busy
    // machine that is less.
    return hard > 0 && 4 * (user + system) >= 3 * hard * ::sysconf(_SC_CLK_TCK);
  }
  return false;
}

/// Whether the main thread was ended by a signal, as under a strict seccomp filter, and others go on.
bool has_lost_main_thread(pid_t process) {
  std::istringstream fields = state_of(process);
  std::string state;
  fields >> state;
  std::string last;
  for (std::string field; fields >> field;) last = field;
  return state == "Z" && !last.empty() && WIFSIGNALED(std::stoi(last));
}

/// Waits until the process has ended. Returns whether this had to end it.
bool ends_with_main_thread(pid_t process) {
  constexpr int kPatience = 200;  // milliseconds
  const auto file = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (file < 0) return false;  // an old kernel, or too many files: the caller waits for longer
  pollfd waiting{.fd = file, .events = POLLIN, .revents = 0};
  bool was_lost = false;
  bool is_lost = false;
  while (!(was_lost && is_lost) && ::poll(&waiting, 1, kPatience) <= 0) {
    was_lost = std::exchange(is_lost, has_lost_main_thread(process));  // twice: others may be about to end
  }
  if (was_lost && is_lost) ::kill(process, SIGKILL);
  ::close(file);
  return was_lost && is_lost;
}

}  // namespace

Ending await_ending(pid_t process) {
  Ending ending;
  ending.lost_main_thread = ends_with_main_thread(process);
  siginfo_t info{};  // the process is looked at before nothing is known of it any more
  while (::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT | __WALL) < 0 && errno == EINTR)
    continue;
  if (info.si_code != CLD_EXITED && info.si_status == SIGKILL)
    ending.reached_limit_of_time = has_used_up_its_time(process);
  int status = 0;
  while (::waitpid(process, &status, __WALL) < 0 && errno == EINTR) continue;
  ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending.status = WIFSIGNALED(status) ? 0 : WEXITSTATUS(status);
  return ending;
}

std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

std::string to_text(const Ending& ending) {
  return ending.signal != 0 ? "was ended by " + signal_name(ending.signal)
                            : "ended with status " + std::to_string(ending.status);
}

}  // namespace hocket::runtime::platform
