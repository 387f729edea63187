#include "ending.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

namespace hocket::runtime::platform {

namespace {

/// Whether a process that has ended has used as much of a processor as it was allowed to.
bool has_used_up_its_time(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::ifstream limits(folder + "/limits");
  constexpr std::string_view kLimit = "Max cpu time";
  for (std::string line; std::getline(limits, line);) {
    if (!line.starts_with(kLimit)) continue;
    std::istringstream words(line.substr(kLimit.size()));
    std::string soft;
    long hard = 0;  // stays so if there is none
    words >> soft >> hard;
    std::ifstream file(folder + "/stat");
    std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
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

}  // namespace

Ending await_ending(pid_t process) {
  Ending ending;
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
