#include "program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hocket {

namespace {

constinit volatile std::sig_atomic_t child = 0;

void pass_on(int signal) {
  if (child != 0) ::kill(static_cast<pid_t>(child), signal);
}

/// While it exists, this process ignores signals from the terminal and forwards others to the child.
class Signals {
 public:
  Signals() {
    ::sigemptyset(&default_in_child_);
    for (std::size_t n = 0; n < kSignals.size(); ++n) {
      struct sigaction action {};
      action.sa_handler = kSignals[n] == SIGINT || kSignals[n] == SIGQUIT ? SIG_IGN : &pass_on;
      ::sigaction(kSignals[n], nullptr, &previous_[n]);
      if (previous_[n].sa_handler == SIG_IGN) continue;  // as under nohup: then the child ignores it too
      ::sigaddset(&default_in_child_, kSignals[n]);
      ::sigaction(kSignals[n], &action, nullptr);
    }
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    for (std::size_t n = 0; n < kSignals.size(); ++n) ::sigaction(kSignals[n], &previous_[n], nullptr);
  }
  [[nodiscard]] const sigset_t& default_in_child() const { return default_in_child_; }

 private:
  static constexpr std::array kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> previous_{};
  sigset_t default_in_child_{};
};

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

ProgramEnd run_program(const std::string& path, std::vector<std::string> words, Output output) {
  const Signals signals;
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigdefault(&attributes, &signals.default_in_child());
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  if (output == Output::dropped)
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  ProgramEnd end;
  end.error = ::posix_spawn(&process, path.c_str(), &files, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (end.error != 0) return end;

  child = process;
  int status = 0;
  siginfo_t info{};  // the process is looked at before nothing is known of it any more
  while (::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  if (info.si_code != CLD_EXITED && info.si_status == SIGKILL)
    end.reached_limit_of_time = has_used_up_its_time(process);
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.status = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace hocket
