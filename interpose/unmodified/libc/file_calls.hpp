// Calls on files between threads of the body, made as steps.
#pragma once

#include <cerrno>
#include <cstddef>
#include <span>

#include <sys/types.h>
#include <sys/uio.h>

#include "../../../runtime/execution/step.hpp"
#include "open_files.hpp"

namespace hocket::unmodified {

/// Makes a call on the descriptor.
using SystemCall = FunctionView<ssize_t(int)>;
using SystemCallOnParts = FunctionView<ssize_t(int, std::span<const iovec>)>;

inline constexpr std::size_t kMostParts = 16;  ///< of what give_out() gives out

/// Whether a body makes the call, by which a file may change, and whose other side is in this process. A pipe
/// or a socket of which it is not, and that was there before the search, is noted: it may not be put back.
bool is_inner_call(int descriptor);

/// A call that takes something in from the descriptor, as soon as there is something; if it may not wait, and
/// if the descriptor is one that does not wait (O_NONBLOCK), at once. Returns what `call` does, which is made
/// when it need not wait. `function`: its name, for reports.
ssize_t take_in(const char* function, int descriptor, bool may_wait, SystemCall call);

/// connect() to a UNIX socket, which waits while the other side has too many connections that nobody has
/// accepted. Whether there is room again shows only when it is tried.
int connect_when_there_is_room(int descriptor, FunctionView<int(int)> call);

/// A call that gives `parts` out, at most kMostParts of them. `call` is made with those that are left.
/// `sends_sigpipe`: the thread gets SIGPIPE where nobody can read any more.
ssize_t give_out(const char* function, int descriptor, bool may_wait, std::span<const iovec> parts,
    SystemCallOnParts call, bool sends_sigpipe = true);

/// A call that never waits, and that may end the wait of another thread. Returns what it does.
template <class Call>
auto change_files(const char* function, Order order, KeptThing thing, const Call& call) {
  decltype(call()) result = -1;
  int error = EINTR;
  const auto attempt = [&](std::span<pollfd> /*events*/) {
    result = call();
    error = errno;
    return Tried::done;
  };
  make({function, runtime::kForever, order, thing}, attempt);
  if (result == -1) errno = error;
  return result;
}

/// What a call waits for, in ways that only the system knows.
struct Awaited {
  KeptThing thing;
  int descriptor = -1;         ///< -1: none
  bool is_of_process = false;  ///< as in FileCall
};

/// A call that another one like it makes wait: for a lock of a file, for a message in a queue. `attempt_call`
/// is called with the awaited descriptor, or with one of Hocket's for it; it does not wait, but fails with
/// `would_wait`. Waits for at most so many virtual nanoseconds, and fails with `on_expiry` then.
template <class Call>
auto wait_for_files(const char* function, Awaited awaited, std::int64_t nanoseconds, int would_wait,
    int on_expiry, const Call& attempt_call) {
  decltype(attempt_call(-1)) result = -1;
  int error = EINTR;
  const auto attempt = [&](std::span<pollfd> events) {
    result = attempt_call(events.empty() ? -1 : events.front().fd);
    error = errno;
    return result == -1 && error == would_wait ? Tried::would_wait : Tried::done;
  };
  pollfd file{awaited.descriptor, 0, 0};
  const std::span<pollfd> files(&file, awaited.descriptor >= 0 ? 1 : 0);
  const Ended ended = make({function, nanoseconds, Order::takes_and_gives, awaited.thing, true, files, false,
                               awaited.is_of_process},
      attempt);
  if (ended == Ended::expired) error = on_expiry;
  if (ended == Ended::cut) error = EINTR;
  if (ended == Ended::too_late) {
    result = -1;
    error = EBADF;
  }
  if (result == -1) errno = error;
  return result;
}

/// Whether a lock of a file was asked for in this execution: closing any file may then end a wait.
bool has_locked_files();
void note_locked_files();

}  // namespace hocket::unmodified
