#include "in_child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../deaths/supervisor.hpp"
#include "../options/settings.hpp"
#include "../process/interrupt.hpp"
#include "../process/output_gate.hpp"

namespace hocket {

namespace {

/// Both ends of a pipe.
class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_.data()) != 0) throw std::system_error(errno, std::generic_category(), "hocket: pipe()");
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int operator[](unsigned end) const { return ends_.at(end); }
  void close(unsigned end) {
    if (ends_.at(end) >= 0) ::close(ends_.at(end));
    ends_.at(end) = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Reads until the other end is closed. Passes a signal on that asks this process to stop.
std::string read_all(int file, pid_t child) {
  constexpr int kPatience = 100;  // milliseconds
  std::string text;
  bool is_passed_on = false;
  for (;;) {
    if (was_interrupted() && !is_passed_on) {
      is_passed_on = true;
      ::kill(child, SIGTERM);
    }
    pollfd waiting{.fd = file, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kPatience) <= 0) continue;
    std::array<char, 4096> part;
    const ssize_t count = ::read(file, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

constexpr char kEnd = '\0';

[[noreturn]] void work_as_child(
    Supervisor& supervisor, const Pipe& pipe, const std::function<void(const Tell& tell)>& work) {
  supervisor.become_supervised();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  work([&pipe](std::string_view text) { write_all(pipe[1], text); });
  write_all(pipe[1], {&kEnd, 1});
  flush_standard_streams();
  ::_exit(0);
}

}  // namespace

bool can_work_in_child() {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  return !error && std::distance(begin(threads), end(threads)) == 1;
}

ChildWork work_in_child(const std::function<void(const Tell& tell)>& work) {
  const InterruptGuard guard;
  Pipe pipe;
  flush_standard_streams();  // otherwise the child would print their contents again
  Supervisor supervisor(Supervisor::Starts::a_child_of_this_process);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "hocket: fork()");
  if (child == 0) work_as_child(supervisor, pipe, work);
  pipe.close(1);
  ChildWork done;
  done.text = read_all(pipe[0], child);
  done.ending = runtime::platform::await_ending(child);
  // What the user has asked for is no failure.
  if (!was_interrupted() || done.ending.signal == 0)
    supervisor.tell_of_lost_execution(done.ending, replay_command(), settings().report_file);
  done.is_complete = done.text.ends_with(kEnd);
  if (done.is_complete) done.text.pop_back();
  return done;
}

}  // namespace hocket
