#include "program.hpp"

#include <array>
#include <csignal>
#include <cstddef>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace hocket {

namespace {

constinit volatile std::sig_atomic_t child = 0;

/// A terminal sends its signals to the child, too.
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  const bool is_of_terminal = info->si_code == SI_KERNEL && signal != SIGHUP;
  if (child != 0 && !is_of_terminal) ::kill(static_cast<pid_t>(child), signal);
}

/// While it exists, this process ignores signals from the terminal and forwards others to the child.
class Signals {
 public:
  Signals() {
    ::sigemptyset(&default_in_child_);
    for (std::size_t n = 0; n < kSignals.size(); ++n) {
      struct sigaction action {};
      action.sa_sigaction = &pass_on;
      action.sa_flags = SA_SIGINFO;
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
  static_cast<runtime::platform::Ending&>(end) = runtime::platform::await_ending(process);
  child = 0;
  return end;
}

}  // namespace hocket
