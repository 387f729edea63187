#include "socket_program.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hocket::runtime::platform {

namespace {

/// The descriptors that the program's end of the socket may have. They are far from 0, 1 and 2, which may be
/// free and would then receive what the body prints.
constexpr int kFirstFarEnd = 100;
constexpr std::size_t kFarEnds = 16;

/// For each of those descriptors, what posix_spawn() does with the files. posix_spawn() itself uses no heap
/// memory, but these lists do, and a thread that crashed may hold the heap's lock. So they are made before
/// main() begins.
class SpawnActions {
 public:
  SpawnActions() {
    int far_end = kFirstFarEnd;
    for (posix_spawn_file_actions_t& actions : of_far_end_) {
      posix_spawn_file_actions_init(&actions);
      posix_spawn_file_actions_adddup2(&actions, far_end, STDIN_FILENO);
      posix_spawn_file_actions_adddup2(&actions, far_end, STDOUT_FILENO);
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
      // The program must not keep a body's pipe open that the body has closed.
      posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
#endif
      ++far_end;
    }
  }
  [[nodiscard]] const posix_spawn_file_actions_t& of(int far_end) const {
    return of_far_end_.at(static_cast<std::size_t>(far_end - kFirstFarEnd));
  }

 private:
  std::array<posix_spawn_file_actions_t, kFarEnds> of_far_end_{};
};

const SpawnActions spawn_actions;

/// Runs the first of the commands whose program exists, with the socket as its input and output. Returns the
/// process, or -1 if none exists.
pid_t run(std::span<const CommandWords> commands, int socket) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A process group of its own: Ctrl-C is for the search, which still has to show its results.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = -1;
  for (const CommandWords& command : commands) {
    const int error =
        posix_spawnp(&child, command[0], &spawn_actions.of(socket), &attributes, command.data(), environ);
    if (error == 0) break;
    child = -1;
  }
  posix_spawnattr_destroy(&attributes);
  return child;
}

}  // namespace

bool SocketProgram::start(std::span<const CommandWords> commands) {
  stop();
  owner_ = getpid();
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  const int far_end = fcntl(ends[1], F_DUPFD_CLOEXEC, kFirstFarEnd);
  socket_ = fcntl(ends[0], F_DUPFD_CLOEXEC, kFirstFarEnd);
  close(ends[0]);
  close(ends[1]);
  const bool has_actions = far_end >= 0 && static_cast<std::size_t>(far_end - kFirstFarEnd) < kFarEnds;
  if (socket_ >= 0 && has_actions) child_ = run(commands, far_end);
  if (far_end >= 0) close(far_end);
  if (!is_running()) stop();
  return is_running();
}

bool SocketProgram::send(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t size = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

void SocketProgram::end_questions() const {
  shutdown(socket_, SHUT_WR);
}

std::size_t SocketProgram::receive(std::span<char> answers, int milliseconds) const {
  for (;;) {
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, milliseconds);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return 0;
    const ssize_t size = recv(socket_, answers.data(), answers.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }
}

void SocketProgram::stop() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  // The body may have reaped it while waiting for a child of its own, and the process number may have been
  // reused.
  if (child_ > 0 && owner_ == getpid() && waitpid(child_, nullptr, WNOHANG) == 0) {
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  child_ = -1;
}

}  // namespace hocket::runtime::platform
