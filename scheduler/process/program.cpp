#include "program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace hocket {

namespace {

/// Those that run; 0 is none.
constinit std::array<volatile std::sig_atomic_t, kMostPrograms> children{};
constinit volatile std::sig_atomic_t count_of_children = 0;
constinit volatile std::sig_atomic_t last_signal = 0;
constinit volatile std::sig_atomic_t unseen_signal = 0;  ///< one that came while no program ran

/// A terminal sends its signals to the children, too.
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  last_signal = signal;
  if (count_of_children == 0) unseen_signal = signal;
  const bool is_of_terminal = info->si_code == SI_KERNEL && signal != SIGHUP;
  if (is_of_terminal) return;
  for (std::sig_atomic_t n = 0; n < count_of_children; ++n) {
    const std::sig_atomic_t child = children[static_cast<std::size_t>(n)];
    if (child != 0) ::kill(static_cast<pid_t>(child), signal);
  }
}

}  // namespace

SignalsOfPrograms::SignalsOfPrograms() {
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

SignalsOfPrograms::~SignalsOfPrograms() {
  for (std::size_t n = 0; n < kSignals.size(); ++n) ::sigaction(kSignals[n], &previous_[n], nullptr);
}

int SignalsOfPrograms::last() {
  return last_signal;
}

int SignalsOfPrograms::see_last() {
  unseen_signal = 0;
  return last_signal;
}

namespace {

/// While it exists, signals wait, so that none comes between the start of a child and the note of it.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before_);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait() {
    if (!go_on_waiting_) ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  [[nodiscard]] const sigset_t& before() const { return before_; }
  void go_on() { go_on_waiting_ = true; }

 private:
  sigset_t before_{};
  bool go_on_waiting_ = false;
};

/// To be called while signals wait. Those of the children that could not be started are 0.
void note_children(const std::vector<pid_t>& processes) {
  for (std::size_t n = 0; n < processes.size(); ++n) children[n] = processes[n];
  count_of_children = static_cast<std::sig_atomic_t>(processes.size());
  for (const pid_t process : processes) {
    if (process != 0 && unseen_signal != 0) ::kill(process, unseen_signal);
  }
  unseen_signal = 0;
}

/// Waits for the ends of those children that could be started.
void await_children(std::vector<ProgramEnd>& ends) {
  for (std::size_t n = 0; n < ends.size(); ++n) {
    if (children[n] == 0) continue;
    static_cast<runtime::platform::Ending&>(ends[n]) = runtime::platform::await_ending(children[n]);
    children[n] = 0;
  }
  count_of_children = 0;
}

/// Starts the program. Returns an error number, or 0.
int start(Program program, const SignalsOfPrograms& signals, const sigset_t& mask, pid_t& process) {
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigdefault(&attributes, &signals.default_in_child());
  ::posix_spawnattr_setsigmask(&attributes, &mask);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  const auto put_into = [&](int stream, const std::string& file) {
    constexpr mode_t kOfTheUser = 0600;
    if (!file.empty())
      ::posix_spawn_file_actions_addopen(
          &files, stream, file.c_str(), O_WRONLY | O_CREAT | O_APPEND, kOfTheUser);
  };
  put_into(STDOUT_FILENO, program.output);
  put_into(STDERR_FILENO, program.errors);
  std::vector<char*> pointers;
  for (std::string& word : program.words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int error =
      ::posix_spawn(&process, program.path.c_str(), &files, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

std::vector<ProgramEnd> run_programs(const std::vector<Program>& programs) {
  std::vector<ProgramEnd> ends(programs.size());
  std::vector<pid_t> processes(programs.size());
  const SignalsOfPrograms signals;
  {
    const SignalsWait wait;
    for (std::size_t n = 0; n < programs.size(); ++n) {
      ends[n].error = start(programs[n], signals, wait.before(), processes[n]);
      if (ends[n].error != 0) processes[n] = 0;
    }
    note_children(processes);
  }
  await_children(ends);
  return ends;
}

ProgramEnd run_program(const std::string& path, std::vector<std::string> words, Output output) {
  return run_programs({{path, std::move(words), output == Output::dropped ? "/dev/null" : ""}}).front();
}

std::optional<ProgramEnd> go_on_in_child() {
  const SignalsOfPrograms signals;
  std::vector<ProgramEnd> ends(1);
  {
    SignalsWait wait;
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) {
      wait.go_on();
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // nobody would wait for its end
      if (::getppid() != parent) ::_exit(1);
      return std::nullopt;
    }
    if (process < 0) ends[0].error = errno;
    note_children({std::max(process, 0)});
  }
  await_children(ends);
  return ends[0];
}

}  // namespace hocket
