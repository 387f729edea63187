#include "addr2line.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hocket::runtime::platform {

namespace {

using Command = std::array<char*, 5>;

/// The words of a command. exec does not change them.
char* word(const char* text) {
  return const_cast<char*>(text);
}

/// What the child process is to do.
struct Launch {
  std::span<const Command> commands;
  int socket;        ///< its input and output
  sigset_t signals;  ///< those that it is to block
  /// The child shares the memory until it executes another program.
  volatile bool is_found = true;
};

/// In the child: becomes the first of the programs that exists.
int become_program(void* argument) {
  Launch& launch = *static_cast<Launch*>(argument);
  setpgid(0, 0);  // Ctrl-C is for the search, which still has to show its results
  dup2(launch.socket, STDIN_FILENO);
  dup2(launch.socket, STDOUT_FILENO);
  dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
  pthread_sigmask(SIG_SETMASK, &launch.signals, nullptr);
  for (const Command& command : launch.commands) execvp(command[0], command.data());
  launch.is_found = false;
  return 1;
}

/// Runs the first of the commands whose program exists. Returns the process, or -1 if none exists.
///
/// posix_spawn() cannot be used because it allocates heap memory for the files to be opened, and the thread
/// that crashed may hold the heap's lock. Nor can vfork(): AddressSanitizer takes it to be called on the
/// thread's own stack, and a handler of signals runs on another one. So this does what posix_spawn() does,
/// without the heap.
pid_t run(std::span<const Command> commands, int socket) {
  constexpr std::size_t kStack = std::size_t{64} << 10U;
  void* const stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return -1;
  Launch launch{commands, socket, {}};
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &launch.signals);  // no handler of this process may run in the child
  const pid_t child =
      clone(&become_program, static_cast<char*>(stack) + kStack, CLONE_VM | CLONE_VFORK | SIGCHLD, &launch);
  pthread_sigmask(SIG_SETMASK, &launch.signals, nullptr);
  munmap(stack, kStack);
  if (child > 0 && !launch.is_found) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return launch.is_found ? child : -1;
}

}  // namespace

bool Addr2line::start(const char* options, const char* file) {
  stop();
  owner_ = getpid();
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  // Avoid 0, 1 and 2, which may be free and would then receive what the body prints.
  socket_ = fcntl(ends[0], F_DUPFD_CLOEXEC, 100);
  const int far_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 100);
  close(ends[0]);
  close(ends[1]);
  // Do not use the program's path: the file there may have been rebuilt since this process began.
  std::array<char, 40> program{};
  std::snprintf(program.data(), program.size(), "/proc/%d/exe", static_cast<int>(owner_));
  char* const name = *file != '\0' ? word(file) : program.data();
  // The addr2line of binutils 2.40 loses the callers of inlined functions in Clang's DWARF 5.
#if defined(__clang__)
  constexpr std::array kPrograms{"llvm-addr2line", "addr2line"};
#else
  constexpr std::array kPrograms{"addr2line", "llvm-addr2line"};
#endif
  std::array<Command, kPrograms.size()> commands;
  for (std::size_t n = 0; n < commands.size(); ++n)
    commands[n] = {word(kPrograms[n]), word(options), word("-e"), name, nullptr};
  if (socket_ >= 0 && far_end >= 0) child_ = run(commands, far_end);
  if (far_end >= 0) close(far_end);
  if (!is_running()) stop();
  return is_running();
}

bool Addr2line::send(std::string_view addresses) const {
  while (!addresses.empty()) {
    const ssize_t size = ::send(socket_, addresses.data(), addresses.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    addresses.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

void Addr2line::end_addresses() const {
  shutdown(socket_, SHUT_WR);
}

std::size_t Addr2line::receive(std::span<char> answers, int milliseconds) const {
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

void Addr2line::stop() {
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
