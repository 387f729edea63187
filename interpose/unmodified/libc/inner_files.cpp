#include "inner_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "../host/next_symbol.hpp"
#include "open_files.hpp"
#include "timer_files.hpp"

namespace hocket::unmodified {

namespace {

/// Whether the descriptor is an end of that pipe which can be written to, or read from.
bool is_end_of(const struct stat& pipe, int descriptor, bool for_writing) {
  struct stat other {};
  if (fstat(descriptor, &other) != 0 || !S_ISFIFO(other.st_mode)) return false;
  if (other.st_ino != pipe.st_ino || other.st_dev != pipe.st_dev) return false;
  const auto access = static_cast<unsigned>(fcntl(descriptor, F_GETFL)) & O_ACCMODE;
  return access == O_RDWR || access == (for_writing ? O_WRONLY : O_RDONLY);
}

/// Whether it is clear that there is no other end any more. While a process that the body has started runs,
/// that depends on how fast it is.
bool has_no_other_end(int pipe) {
  if (has_process_started()) return false;
  pollfd end{pipe, 0, 0};
  return poll(&end, 1, 0) == 1 && (static_cast<unsigned>(end.revents) & (POLLHUP | POLLERR)) != 0;
}

// Where both ends are here, or were, a part of what is read is another thread's loss.
bool is_inner_pipe(int descriptor, const struct stat& pipe) {
  if (is_pipe_of_body(pipe) || has_no_other_end(descriptor)) return true;
  const auto access = static_cast<unsigned>(fcntl(descriptor, F_GETFL)) & O_ACCMODE;
  const bool is_read = access == O_RDONLY;
  if (access == O_RDWR) return true;
  // pipe() mostly gives two neighbours.
  if (is_end_of(pipe, descriptor + (is_read ? 1 : -1), is_read)) return true;
  constexpr int kMost = 1024;
  for (int other = 0; other < kMost; ++other) {
    if (is_end_of(pipe, other, is_read)) return true;
  }
  return false;
}

bool is_of_this_machine(const sockaddr_storage& name) {
  if (name.ss_family == AF_INET) {
    const auto& its = reinterpret_cast<const sockaddr_in&>(name);
    constexpr unsigned kLoopback = 127;
    return ntohl(its.sin_addr.s_addr) >> 24U == kLoopback;
  }
  const auto& its = reinterpret_cast<const sockaddr_in6&>(name);
  return IN6_IS_ADDR_LOOPBACK(&its.sin6_addr) || IN6_IS_ADDR_V4MAPPED(&its.sin6_addr);
}

int option_of(int socket, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 ? value : 0;
}

enum class Side : std::uint8_t { outer, inner, open_to_all };

Side side_of_socket(int socket) {
  const int family = option_of(socket, SO_DOMAIN);
  if (family != AF_UNIX && family != AF_INET && family != AF_INET6) return Side::outer;
  if (option_of(socket, SO_ACCEPTCONN) != 0) return Side::open_to_all;
  if (family == AF_UNIX) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid == 0)
      return Side::open_to_all;
    return peer.pid == getpid() ? Side::inner : Side::outer;
  }
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return Side::open_to_all;
  return is_of_this_machine(peer) ? Side::open_to_all : Side::outer;
}

/// What the system calls a file that has no name, such as "[eventfd]".
bool is_called(int descriptor, std::string_view name) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
  std::array<char, 64> target{};
  const ssize_t size = readlink(path.data(), target.data(), target.size());
  return size > 0 && std::string_view(target.data(), static_cast<std::size_t>(size)).ends_with(name);
}

/// Whether it is a message queue of POSIX, which in Linux is a file that poll() and epoll can wait for.
bool is_queue(int descriptor) {
  constexpr auto kQueues = 0x19800202;  // of the file system of such queues: mq_overview(7)
  struct statfs system {};
  return HOCKET_REAL(fstatfs)(descriptor, &system) == 0 && system.f_type == kQueues;
}

Side side_of_epoll(int epoll);

Side side_of(int descriptor) {
  struct stat file {};
  if (descriptor <= STDERR_FILENO) return Side::outer;
  if (fstat(descriptor, &file) != 0)
    return Side::inner;  // another thread may open it meanwhile, or has closed it
  if (S_ISFIFO(file.st_mode)) return is_inner_pipe(descriptor, file) ? Side::inner : Side::outer;
  if (S_ISSOCK(file.st_mode)) return side_of_socket(descriptor);
  if (S_ISREG(file.st_mode) && is_queue(descriptor)) return Side::open_to_all;
  if ((file.st_mode & S_IFMT) != 0) return Side::outer;
  if (is_called(descriptor, "[eventfd]") || is_timer_of_body(descriptor)) return Side::inner;
  return is_called(descriptor, "[eventpoll]") ? side_of_epoll(descriptor) : Side::outer;
}

/// That of what it watches. If it watches nothing, another thread may add something.
Side side_of_epoll(int epoll) {
  bool is_any_inner = false;
  bool is_any_outer = false;
  for_each_watched(epoll, [&](int watched, unsigned /*events*/) {
    const Side side = side_of(watched);
    is_any_inner |= side != Side::outer;
    is_any_outer |= side != Side::inner;
  });
  if (!is_any_outer) return Side::inner;
  return is_any_inner ? Side::open_to_all : Side::outer;
}

}  // namespace

bool is_inner_file(int descriptor) {
  const KeepsErrno keeps;
  return side_of(descriptor) != Side::outer;
}

bool may_be_reached_from_outside(int descriptor) {
  const KeepsErrno keeps;
  return side_of(descriptor) != Side::inner;
}

bool is_epoll(int descriptor) {
  const KeepsErrno keeps;
  return is_called(descriptor, "[eventpoll]");
}

bool is_counter(int descriptor) {
  const KeepsErrno keeps;
  return is_called(descriptor, "[eventfd]");
}

void for_each_watched(int epoll, FunctionView<void(int, unsigned)> look) {
  std::array<char, 40> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fdinfo/%d", epoll);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  // A line for each: "tfd:        5 events:       19 …"
  std::array<char, std::size_t{16} * 1024> text{};
  std::size_t size = 0;
  for (ssize_t more = 1; more > 0 && size + 1 < text.size(); size += static_cast<std::size_t>(more))
    more = std::max<ssize_t>(read(file, text.data() + size, text.size() - 1 - size), 0);
  close(file);
  std::string_view rest(text.data(), size);
  constexpr std::string_view kField = "tfd:";
  constexpr std::string_view kEvents = "events:";
  for (std::size_t at = rest.find(kField); at != std::string_view::npos; at = rest.find(kField)) {
    rest.remove_prefix(at + kField.size());
    const int watched = std::atoi(rest.data());
    const std::size_t events = rest.find(kEvents);
    if (watched == epoll || events == std::string_view::npos) continue;
    constexpr int kHexadecimal = 16;
    look(watched,
        static_cast<unsigned>(std::strtoul(rest.data() + events + kEvents.size(), nullptr, kHexadecimal)));
  }
}

}  // namespace hocket::unmodified
