// Calls on files between threads of the body, made as steps.
#pragma once

#include <cerrno>
#include <cstddef>
#include <span>

#include <sys/types.h>
#include <sys/uio.h>

#include "../../../runtime/execution/execution.hpp"
#include "open_files.hpp"

namespace hocket::unmodified {

/// Makes a call on the descriptor.
using SystemCall = FunctionView<ssize_t(int)>;
using SystemCallOnParts = FunctionView<ssize_t(int, std::span<const iovec>)>;

inline constexpr std::size_t kMostParts = 16;  ///< of what give_out() gives out

/// Whether a body makes the call, on a file whose other side is in this process.
bool is_inner_call(int descriptor);

/// A call that takes something in from the descriptor, as soon as there is something; if it may not wait, and
/// if the descriptor is one that does not wait (O_NONBLOCK), at once. Returns what `call` does, which is made
/// when it need not wait. `function`: its name, for reports.
ssize_t take_in(const char* function, int descriptor, bool may_wait, SystemCall call);

/// connect() to a UNIX socket, which waits while the other side has too many connections that nobody has
/// accepted. Whether there is room again shows only when it is tried.
int connect_when_there_is_room(int descriptor, FunctionView<int()> call);

/// A call that gives `parts` out, at most kMostParts of them. `call` is made with those that are left.
ssize_t give_out(const char* function, int descriptor, bool may_wait, std::span<const iovec> parts,
    SystemCallOnParts call);

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
  make({function, runtime::Blocking::kForever, order, thing}, attempt);
  if (result == -1) errno = error;
  return result;
}

/// A call that another one like it makes wait, in ways that only the system knows: for a lock of a file, for
/// a message in a queue. `attempt_call` does not wait, but fails with `would_wait`. Waits for at most so many
/// virtual nanoseconds, and fails with `on_expiry` then.
template <class Call>
auto wait_for_files(const char* function, KeptThing thing, std::int64_t nanoseconds, int would_wait,
    int on_expiry, const Call& attempt_call) {
  decltype(attempt_call()) result = -1;
  int error = EINTR;
  const auto attempt = [&](std::span<pollfd> /*events*/) {
    result = attempt_call();
    error = errno;
    return result == -1 && error == would_wait ? Tried::would_wait : Tried::done;
  };
  const Ended ended = make({function, nanoseconds, Order::takes_and_gives, thing}, attempt);
  if (ended == Ended::expired) error = on_expiry;
  if (ended == Ended::cut) error = EINTR;
  if (result == -1) errno = error;
  return result;
}

/// Whether a lock of a file was asked for in this execution: closing any file may then end a wait.
bool has_locked_files();
void note_locked_files();

}  // namespace hocket::unmodified
