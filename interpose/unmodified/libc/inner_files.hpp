// Which open files are shared by threads of the body alone: pipes of which both ends are in this process,
// sockets that are connected to this process, counters of events.
//
// What another process or the system does to a file comes at a time that no schedule determines. So calls on
// such files are the system's own, as they are outside of bodies.
#pragma once

#include <cerrno>

#include "open_files.hpp"

namespace hocket::unmodified {

/// While it exists, errno may change: it is then as before.
class KeepsErrno {
 public:
  KeepsErrno() = default;
  ~KeepsErrno() { errno = kept_; }
  KeepsErrno(const KeepsErrno&) = delete;
  KeepsErrno& operator=(const KeepsErrno&) = delete;

 private:
  int kept_ = errno;
};

/// Whether what comes through the descriptor comes from this process, or could: nobody else is known to be at
/// the other side. Descriptors 0 to 2 are never inner ones, nor are files and terminals. One of epoll is one
/// if it watches an inner one, or nothing as yet.
bool is_inner_file(int descriptor);

/// Whether it is one for which another process may be at the other side, too: a socket that others can reach,
/// a descriptor of epoll that also watches what is outside.
bool may_be_reached_from_outside(int descriptor);

/// Whether the descriptor is one of epoll's.
bool is_epoll(int descriptor);

/// Whether the descriptor is one of eventfd's.
bool is_counter(int descriptor);

/// Calls `look` for each descriptor that the one of epoll watches, by the number with which it was added,
/// with the events that are still reported (EPOLLONESHOT).
void for_each_watched(int epoll, FunctionView<void(int, unsigned)> look);

}  // namespace hocket::unmodified
