// Sockets. Those between threads of the body wait as open_files.hpp says; all others are the system's.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../restore/body_descriptors.hpp"
#include "../restore/outer_files.hpp"
#include "file_calls.hpp"

namespace hocket::unmodified {

namespace {

bool may_wait(int flags) {
  return (static_cast<unsigned>(flags) & MSG_DONTWAIT) == 0;
}

/// With MSG_WAITALL the system would wait for the rest of what is wanted.
int without_waiting_for_all(int flags) {
  return static_cast<int>(static_cast<unsigned>(flags) & ~static_cast<unsigned>(MSG_WAITALL));
}

bool waits_for_all(int flags) {
  return (static_cast<unsigned>(flags) & MSG_WAITALL) != 0;
}

void note_taken_in(const void* caller, const void* buffer, ssize_t size) {
  if (size > 0) note_result(caller, buffer, static_cast<std::size_t>(size));
}
/// The call, unless it has failed, has written a name.
void note_name(
    const void* caller, const sockaddr* name, socklen_t had_room, const socklen_t* room, ssize_t result) {
  if (result < 0 || name == nullptr || room == nullptr) return;
  note_result(caller, name, std::min(had_room, *room));
  note_result(caller, room);
}
void note_message(const void* caller, const msghdr& message, socklen_t had_room, ssize_t size) {
  if (size < 0) return;
  auto left = static_cast<std::size_t>(size);
  for (std::size_t n = 0; n < message.msg_iovlen && left != 0; ++n) {
    const std::size_t its = std::min(left, message.msg_iov[n].iov_len);
    note_result(caller, message.msg_iov[n].iov_base, its);
    left -= its;
  }
  note_result(
      caller, message.msg_name, message.msg_name != nullptr ? std::min(had_room, message.msg_namelen) : 0);
  note_result(caller, message.msg_control, message.msg_control != nullptr ? message.msg_controllen : 0);
  note_result(caller, &message);
}
void note_given_out(const void* caller, const void* bytes, std::size_t size) {
  if (is_from_body() && is_in_program(caller)) LibraryCall{caller}.reads(bytes, size);
}

void will_be_filled(sockaddr* name, socklen_t* room) {
  if (room == nullptr) return;
  WatchedPages::will_be_written(room, sizeof *room);
  if (name != nullptr) WatchedPages::will_be_written(name, *room);
}
void will_be_filled(msghdr* message) {
  WatchedPages::will_be_written(message, sizeof *message);
  if (message->msg_name != nullptr) WatchedPages::will_be_written(message->msg_name, message->msg_namelen);
  if (message->msg_control != nullptr)
    WatchedPages::will_be_written(message->msg_control, message->msg_controllen);
  for (std::size_t n = 0; n < message->msg_iovlen; ++n)
    WatchedPages::will_be_written(message->msg_iov[n].iov_base, message->msg_iov[n].iov_len);
}

/// recv() and recvfrom() on an inner socket. `receive(socket, at, room, flags)` makes one such call.
template <class Receive>
ssize_t take_in_all(
    const char* function, int socket, void* buffer, std::size_t room, int flags, Receive receive) {
  auto* const bytes = static_cast<char*>(buffer);
  ssize_t taken = 0;
  do {
    const auto left = room - static_cast<std::size_t>(taken);
    const ssize_t size = take_in(function, socket, may_wait(flags),
        [&](int file) { return receive(file, bytes + taken, left, without_waiting_for_all(flags)); });
    if (size <= 0) return taken != 0 ? taken : size;
    taken += size;
  } while (waits_for_all(flags) && static_cast<std::size_t>(taken) < room);
  return taken;
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

#define HOCKET_CALLER __builtin_return_address(0)

extern "C" {

ssize_t recv(int socket, void* buffer, std::size_t room, int flags) {
  WatchedPages::will_be_written(buffer, room);
  ssize_t size = 0;
  if (is_inner_call(socket)) {
    HOCKET_CALLED_FROM_BODY();
    size =
        take_in_all("recv", socket, buffer, room, flags, [&](int file, void* at, std::size_t left, int how) {
          return HOCKET_REAL(recv)(file, at, left, how);
        });
  } else {
    size = HOCKET_REAL(recv)(socket, buffer, room, flags);
  }
  note_taken_in(HOCKET_CALLER, buffer, size);
  return size;
}
ssize_t recvfrom(
    int socket, void* buffer, std::size_t room, int flags, sockaddr* name, socklen_t* name_room) {
  WatchedPages::will_be_written(buffer, room);
  will_be_filled(name, name_room);
  const socklen_t had_room = name_room != nullptr ? *name_room : 0;
  ssize_t size = 0;
  if (is_inner_call(socket)) {
    HOCKET_CALLED_FROM_BODY();
    size = take_in_all(
        "recvfrom", socket, buffer, room, flags, [&](int file, void* at, std::size_t left, int how) {
          return HOCKET_REAL(recvfrom)(file, at, left, how, name, name_room);
        });
  } else {
    size = HOCKET_REAL(recvfrom)(socket, buffer, room, flags, name, name_room);
  }
  note_taken_in(HOCKET_CALLER, buffer, size);
  note_name(HOCKET_CALLER, name, had_room, name_room, size);
  return size;
}
ssize_t recvmsg(int socket, msghdr* message, int flags) {
  will_be_filled(message);
  const socklen_t had_room = message->msg_namelen;
  const auto call = [&](int file) { return HOCKET_REAL(recvmsg)(file, message, flags); };
  ssize_t size = 0;
  if (waits_for_all(flags) || !is_inner_call(socket)) {
    size = call(socket);
  } else {
    HOCKET_CALLED_FROM_BODY();
    size = take_in("recvmsg", socket, may_wait(flags), call);
  }
  note_message(HOCKET_CALLER, *message, had_room, size);
  return size;
}

ssize_t send(int socket, const void* bytes, std::size_t size, int flags) {
  note_given_out(HOCKET_CALLER, bytes, size);
  if (!is_inner_call(socket)) return HOCKET_REAL(send)(socket, bytes, size, flags);
  HOCKET_CALLED_FROM_BODY();
  const iovec part{const_cast<void*>(bytes), size};
  return give_out("send", socket, may_wait(flags), {&part, 1}, [&](int file, std::span<const iovec> rest) {
    return HOCKET_REAL(send)(file, rest.front().iov_base, rest.front().iov_len, flags);
  });
}
ssize_t sendto(
    int socket, const void* bytes, std::size_t size, int flags, const sockaddr* name, socklen_t name_size) {
  note_given_out(HOCKET_CALLER, bytes, size);
  if (!is_inner_call(socket)) return HOCKET_REAL(sendto)(socket, bytes, size, flags, name, name_size);
  HOCKET_CALLED_FROM_BODY();
  const iovec part{const_cast<void*>(bytes), size};
  return give_out("sendto", socket, may_wait(flags), {&part, 1}, [&](int file, std::span<const iovec> rest) {
    return HOCKET_REAL(sendto)(file, rest.front().iov_base, rest.front().iov_len, flags, name, name_size);
  });
}
ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  const std::span<const iovec> parts(message->msg_iov, message->msg_iovlen);
  if (parts.empty() || parts.size() > kMostParts || !is_inner_call(socket))
    return HOCKET_REAL(sendmsg)(socket, message, flags);
  HOCKET_CALLED_FROM_BODY();
  msghdr left = *message;
  return give_out("sendmsg", socket, may_wait(flags), parts, [&](int file, std::span<const iovec> rest) {
    left.msg_iov = const_cast<iovec*>(rest.data());
    left.msg_iovlen = rest.size();
    const ssize_t size = HOCKET_REAL(sendmsg)(file, &left, flags);
    if (size >= 0) left.msg_controllen = 0;  // it went with the first bytes
    return size;
  });
}

int accept(int socket, sockaddr* name, socklen_t* room) {
  will_be_filled(name, room);
  const socklen_t had_room = room != nullptr ? *room : 0;
  const auto call = [&, caller = HOCKET_CALLER](int file) -> ssize_t {
    return note_opened(HOCKET_REAL(accept)(file, name, room), caller);
  };
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  const ssize_t result = is_inner_call(socket) ? take_in("accept", socket, true, call) : call(socket);
  note_name(HOCKET_CALLER, name, had_room, room, result);
  return static_cast<int>(result);
}
int accept4(int socket, sockaddr* name, socklen_t* room, int flags) {
  will_be_filled(name, room);
  const socklen_t had_room = room != nullptr ? *room : 0;
  const auto call = [&, caller = HOCKET_CALLER](int file) -> ssize_t {
    return note_opened(HOCKET_REAL(accept4)(file, name, room, flags), caller);
  };
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  const ssize_t result = is_inner_call(socket) ? take_in("accept4", socket, true, call) : call(socket);
  note_name(HOCKET_CALLER, name, had_room, room, result);
  return static_cast<int>(result);
}
// Whether another thread can connect, and what it is sent gets here, depends on these two.
int bind(int socket, const sockaddr* name, socklen_t size) noexcept {
  const auto call = [&] { return HOCKET_REAL(bind)(socket, name, size); };
  if (!is_inner_call(socket)) return call();
  HOCKET_CALLED_FROM_BODY();
  note_outer_file(socket);
  return change_files("bind", Order::gives, behind(socket), call);
}
int listen(int socket, int most) noexcept {
  const auto call = [&] { return HOCKET_REAL(listen)(socket, most); };
  if (!is_inner_call(socket)) return call();
  HOCKET_CALLED_FROM_BODY();
  note_outer_file(socket);
  return change_files("listen", Order::gives, behind(socket), call);
}
/// It waits only if the other side has too many connections that were not accepted.
int connect(int socket, const sockaddr* name, socklen_t size) {
  const auto call = [&](int held) { return HOCKET_REAL(connect)(held, name, size); };
  if (!is_inner_call(socket)) return call(socket);
  HOCKET_CALLED_FROM_BODY();
  note_outer_file(socket);
  if (name != nullptr && name->sa_family == AF_UNIX) return connect_when_there_is_room(socket, call);
  return change_files("connect", Order::takes_and_gives, behind(socket), [&] { return call(socket); });
}
int shutdown(int socket, int how) noexcept {
  const auto call = [&] { return HOCKET_REAL(shutdown)(socket, how); };
  if (!is_inner_call(socket)) return call();
  HOCKET_CALLED_FROM_BODY();
  note_outer_file(socket);
  return change_files("shutdown", Order::gives, behind(socket), call);
}

}  // extern "C"
