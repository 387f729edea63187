#include "program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hocket {

namespace {

/// Those that run; 0 is none.
constinit std::array<volatile std::sig_atomic_t, kMostPrograms> children{};
constinit volatile std::sig_atomic_t count_of_children = 0;
constinit volatile std::sig_atomic_t last_signal = 0;
constinit volatile std::sig_atomic_t count_of_signals = 0;
constinit volatile std::sig_atomic_t unseen_signal = 0;  ///< one that came while no program ran

/// A terminal sends its signals to the children, too.
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  last_signal = signal;
  count_of_signals = count_of_signals + 1;
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
    if (!goes_on_) ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  [[nodiscard]] const sigset_t& before() const { return before_; }
  void go_on() { goes_on_ = true; }

 private:
  sigset_t before_{};
  bool goes_on_ = false;
};

/// The only child that runs. To be called while signals wait.
void note_child(pid_t process) {
  children[0] = process;
  count_of_children = 1;
  if (unseen_signal != 0) ::kill(process, unseen_signal);
  unseen_signal = 0;
}

runtime::platform::Ending await_child() {
  const runtime::platform::Ending ending = runtime::platform::await_ending(children[0]);
  children[0] = 0;
  count_of_children = 0;
  return ending;
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

namespace {

/// The programs of a queue that run.
class RunningPrograms {
 public:
  explicit RunningPrograms(const ProgramQueue& queue)
      : queue_(queue),
        slots_(std::min(queue.at_once, kMostPrograms)),
        signals_before_(count_of_signals - (unseen_signal != 0 ? 1 : 0)) {
    ::sigemptyset(&end_of_child_);
    ::sigaddset(&end_of_child_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &end_of_child_, &before_);  // so that it can be waited for
  }
  RunningPrograms(const RunningPrograms&) = delete;
  RunningPrograms& operator=(const RunningPrograms&) = delete;
  ~RunningPrograms() {
    ask_to_end();
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (children[slot] != 0) static_cast<void>(end_of(slot));
    }
    count_of_children = 0;
    unseen_signal = 0;
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

  QueueEnd run() {
    count_of_children = static_cast<std::sig_atomic_t>(slots_.size());
    while (begin_others() || are_there()) {
      wait();
      queue_.meanwhile();
      end_in_time();
      for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        if (children[slot] == 0 || !has_ended(children[slot])) continue;
        ProgramEnd end = end_of(slot);
        end.was_told_to_end = signal() != 0 || is_out_of_time_;
        queue_.ended(slots_[slot], end);
      }
    }
    return {signal(), is_out_of_time_};
  }

 private:
  /// Where there is room. Returns whether any was begun.
  bool begin_others() {
    bool is_any_begun = false;
    for (std::size_t slot = 0; slot < slots_.size() && !is_closed(); ++slot) {
      while (children[slot] == 0 && !is_closed()) {
        const std::optional<Program> program = queue_.next();
        has_no_other_ = !program.has_value();
        if (!program) break;
        slots_[slot] = begun_++;
        const ProgramEnd end{{}, begin(slot, *program)};
        if (end.error != 0) queue_.ended(slots_[slot], end);
        is_any_begun = true;
      }
    }
    return is_any_begun;
  }
  [[nodiscard]] int signal() const { return count_of_signals != signals_before_ ? last_signal : 0; }
  [[nodiscard]] bool is_closed() const { return has_no_other_ || is_out_of_time_ || signal() != 0; }
  [[nodiscard]] bool are_there() const {
    return std::any_of(
        children.begin(), children.begin() + count_of_children, [](auto process) { return process != 0; });
  }

  /// Returns an error number, or 0.
  int begin(std::size_t slot, const Program& program) {
    int error = 0;
    {
      const SignalsWait wait;
      pid_t process = 0;
      error = start(program, signals_, before_, process);
      children[slot] = error == 0 ? process : 0;
    }
    // One that came in between may have gone to the others alone.
    if (children[slot] != 0 && signal() != 0) ::kill(children[slot], signal());
    return error;
  }

  void wait() const {
    constexpr timespec kAWhile{.tv_sec = 0, .tv_nsec = 50'000'000};
    ::sigtimedwait(&end_of_child_, nullptr, &kAWhile);
  }

  static bool has_ended(pid_t process) {
    siginfo_t info{};
    const int result = ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT | WNOHANG);
    return result != 0 || info.si_pid == process;
  }

  static ProgramEnd end_of(std::size_t slot) {
    ProgramEnd end;
    static_cast<runtime::platform::Ending&>(end) = runtime::platform::await_ending(children[slot]);
    children[slot] = 0;
    return end;
  }

  void end_in_time() {
    if (is_out_of_time_ || !queue_.deadline || std::chrono::steady_clock::now() < *queue_.deadline) return;
    is_out_of_time_ = true;
    ask_to_end();
  }

  void ask_to_end() const {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (children[slot] != 0) ::kill(children[slot], SIGTERM);
    }
  }

  const ProgramQueue& queue_;
  const SignalsOfPrograms signals_;
  std::vector<std::size_t> slots_;  ///< which of the queue runs there
  std::sig_atomic_t signals_before_;
  sigset_t end_of_child_{};
  sigset_t before_{};
  std::size_t begun_ = 0;
  bool has_no_other_ = false;
  bool is_out_of_time_ = false;
};

}  // namespace

QueueEnd run_programs(const ProgramQueue& queue) {
  return RunningPrograms(queue).run();
}

ProgramEnd run_program(const std::string& path, std::vector<std::string> words, Output output) {
  const SignalsOfPrograms signals;
  ProgramEnd end;
  pid_t process = 0;
  {
    const SignalsWait wait;
    end.error = start({path, std::move(words), output == Output::dropped ? "/dev/null" : ""}, signals,
        wait.before(), process);
    if (end.error != 0) return end;
    note_child(process);
  }
  static_cast<runtime::platform::Ending&>(end) = await_child();
  return end;
}

std::optional<ProgramEnd> go_on_in_child() {
  const SignalsOfPrograms signals;
  ProgramEnd end;
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
    if (process < 0) end.error = errno;
    if (end.error != 0) return end;
    note_child(process);
  }
  static_cast<runtime::platform::Ending&>(end) = await_child();
  return end;
}

}  // namespace hocket
