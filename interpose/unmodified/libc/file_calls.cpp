// Calls that read and write files of every sort, and that close them.
//
// Those on pipes, sockets and counters between threads of the body wait as open_files.hpp says. All others
// are the system's.
#include "file_calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../pthread/signal_delivery.hpp"
#include "../restore/body_descriptors.hpp"
#include "../restore/kept_states.hpp"
#include "../restore/outer_files.hpp"
#include "inner_files.hpp"
#include "open_files.hpp"
#include "regular_files.hpp"
#include "timer_files.hpp"

namespace hocket::unmodified {

namespace {

using runtime::kForever;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMicrosecond = 1'000;

unsigned flags_of(int descriptor) {
  return static_cast<unsigned>(HOCKET_REAL(fcntl)(descriptor, F_GETFL));
}

/// The time after which a socket's calls give up (SO_RCVTIMEO, SO_SNDTIMEO).
std::int64_t timeout_of(int descriptor, int option) {
  timeval time{};
  socklen_t size = sizeof time;
  const int user_errno = errno;
  const bool is_known = HOCKET_REAL(getsockopt)(descriptor, SOL_SOCKET, option, &time, &size) == 0;
  errno = user_errno;
  const std::int64_t nanoseconds = time.tv_sec * kSecond + time.tv_usec * kMicrosecond;
  return is_known && nanoseconds != 0 ? nanoseconds : kForever;
}

/// While it exists, calls on the descriptor do not wait.
class DoesNotWait {
 public:
  explicit DoesNotWait(int descriptor) : descriptor_(descriptor), flags_(flags_of(descriptor)) {
    set(O_NONBLOCK);
  }
  ~DoesNotWait() {
    const int user_errno = errno;
    set(0);
    errno = user_errno;
  }
  DoesNotWait(const DoesNotWait&) = delete;
  DoesNotWait& operator=(const DoesNotWait&) = delete;

 private:
  void set(unsigned more) {
    if ((flags_ & O_NONBLOCK) == 0) HOCKET_REAL(fcntl)(descriptor_, F_SETFL, flags_ | more);
  }

  int descriptor_;
  unsigned flags_;
};

/// While it exists, a write where nobody can read any more does not end the process: SIGPIPE stays pending.
class KeepsSigpipe {
 public:
  KeepsSigpipe() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    HOCKET_REAL(pthread_sigmask)(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~KeepsSigpipe() { HOCKET_REAL(pthread_sigmask)(SIG_SETMASK, &before_, nullptr); }
  KeepsSigpipe(const KeepsSigpipe&) = delete;
  KeepsSigpipe& operator=(const KeepsSigpipe&) = delete;

  /// Whether it has come. Then it is pending no more.
  [[nodiscard]] bool takes_it() const {
    const timespec at_once{};
    return HOCKET_REAL(sigtimedwait)(&sigpipe_, nullptr, &at_once) == SIGPIPE;
  }

 private:
  sigset_t sigpipe_{};
  sigset_t before_{};
};

/// The result of a call of the system, with the errno that it leaves.
struct Result {
  ssize_t value = -1;
  int error = EAGAIN;

  void take(ssize_t result) {
    value = result;
    error = errno;
  }
  [[nodiscard]] bool is_bad_file() const { return value < 0 && error == EBADF; }
  [[nodiscard]] bool would_wait() const { return value < 0 && (error == EAGAIN || error == EWOULDBLOCK); }
  [[nodiscard]] ssize_t as_returned(Ended ended) const {
    if (ended == Ended::done && value >= 0) return value;
    errno = ended == Ended::done ? error : ended == Ended::cut ? EINTR : EAGAIN;
    return -1;
  }
};

/// How long a call waits. Another thread may set or remove O_NONBLOCK between the beginning of the call and
/// its first step.
class Patience {
 public:
  /// `timeout`: the socket's option.
  Patience(int descriptor, int timeout, bool may_wait)
      : timeout_(timeout), may_wait_(may_wait), nanoseconds_(of(descriptor)) {}

  [[nodiscard]] std::int64_t nanoseconds() const { return nanoseconds_; }
  /// Part of each attempt. Whether the call, which would wait, must not; only the first attempt looks.
  bool must_not_wait(int descriptor) {
    return std::exchange(is_first_, false) && nanoseconds_ != 0 && of(descriptor) == 0;
  }
  /// Whether the call, which did not wait, has to after all.
  [[nodiscard]] bool now_waits(int descriptor) const { return nanoseconds_ == 0 && of(descriptor) != 0; }

 private:
  [[nodiscard]] std::int64_t of(int descriptor) const {
    return may_wait_ && (flags_of(descriptor) & O_NONBLOCK) == 0 ? timeout_of(descriptor, timeout_) : 0;
  }

  int timeout_;
  bool may_wait_;
  std::int64_t nanoseconds_;
  bool is_first_ = true;
};

/// Whether closing the descriptor may end a wait.
bool closes_inner_file(int descriptor) {
  return has_locked_files() || is_inner_file(descriptor);
}

}  // namespace

bool is_inner_call(int descriptor) {
  if (!is_from_body()) return false;
  if (is_inner_file(descriptor)) return true;
  note_outer_pipe(descriptor);
  return false;
}

ssize_t take_in(const char* function, int descriptor, bool may_wait, SystemCall call) {
  note_outer_file(descriptor);
  for (;;) {
    pollfd event{descriptor, POLLIN, 0};
    Result result;
    Patience patience(descriptor, SO_RCVTIMEO, may_wait);
    const auto attempt = [&](std::span<pollfd> events) {
      pollfd& file = events.front();
      const bool ends = patience.must_not_wait(file.fd);
      if (poll(&file, 1, 0) == 0 && !is_other_end(file)) return ends ? Tried::done : Tried::would_wait;
      result.take(call(file.fd));
      if (result.is_bad_file()) return Tried::failed;
      return result.would_wait() && !ends ? Tried::would_wait : Tried::done;
    };
    FileCall reads{function, patience.nanoseconds(), Order::takes, behind(descriptor), true, {&event, 1}};
    reads.transfers = true;
    const Ended ended = make(reads, attempt);
    if (ended == Ended::expired && patience.now_waits(descriptor)) continue;
    return result.as_returned(ended);
  }
}

ssize_t give_out(const char* function, int descriptor, bool may_wait, std::span<const iovec> parts,
    SystemCallOnParts call, bool sends_sigpipe) {
  note_outer_file(descriptor);
  pollfd event{descriptor, POLLOUT, 0};
  std::array<iovec, kMostParts> rest{};
  std::copy(parts.begin(), parts.end(), rest.begin());
  std::size_t first = 0;
  std::size_t given = 0;
  Result result;
  bool gets_sigpipe = false;
  Patience patience(descriptor, SO_SNDTIMEO, may_wait);
  // A call that may wait gives out everything, in as many pieces as there is room for.
  const auto attempt = [&](std::span<pollfd> events) {
    const int file = events.front().fd;
    const bool ends = patience.must_not_wait(file);
    const DoesNotWait does_not_wait(file);
    const KeepsSigpipe keeps_sigpipe;
    const std::size_t before = given;
    for (;;) {
      result.take(call(file, std::span(rest).subspan(first, parts.size() - first)));
      if (result.value <= 0) break;
      auto size = static_cast<std::size_t>(result.value);
      given += size;
      for (; first < parts.size() && size >= rest[first].iov_len; ++first) size -= rest[first].iov_len;
      if (first == parts.size() || ends || patience.nanoseconds() == 0) return Tried::done;
      rest[first].iov_base = static_cast<char*>(rest[first].iov_base) + size;
      rest[first].iov_len -= size;
    }
    if (result.is_bad_file()) return Tried::failed;
    gets_sigpipe = result.value < 0 && result.error == EPIPE && keeps_sigpipe.takes_it();
    if (!result.would_wait() || ends) return Tried::done;
    return given != before ? Tried::partly : Tried::would_wait;
  };
  FileCall writes{function, patience.nanoseconds(), Order::gives, behind(descriptor), true, {&event, 1}};
  writes.transfers = true;
  const Ended ended = make(writes, attempt);
  if (ended == Ended::expired && given == 0 && patience.now_waits(descriptor))
    return give_out(function, descriptor, may_wait, parts, call, sends_sigpipe);
  if (gets_sigpipe && sends_sigpipe && ended == Ended::done) signals::send_sigpipe(function);
  return given != 0 ? static_cast<ssize_t>(given) : result.as_returned(ended);
}

int connect_when_there_is_room(int descriptor, FunctionView<int(int)> call) {
  return wait_for_files("connect", {behind(descriptor), descriptor},
      Patience(descriptor, SO_SNDTIMEO, true).nanoseconds(), EAGAIN, EAGAIN, [&](int socket) {
        const DoesNotWait does_not_wait(socket);
        return call(socket);
      });
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

#define HOCKET_CALLER __builtin_return_address(0)
#define HOCKET_STEP_ON_FILE(function, descriptor, does)      \
  if (is_from_body()) {                                      \
    HOCKET_CALLED_FROM_BODY();                               \
    step_on_file(function, descriptor, does, HOCKET_CALLER); \
  }

namespace {

/// The first `size` bytes of the parts were read from the program's memory, or written to it.
void note_parts(const void* caller, std::span<const iovec> parts, ssize_t size, bool are_written) {
  if (!is_from_body() || !is_in_program(caller)) return;
  const LibraryCall call{caller};
  auto left = static_cast<std::size_t>(std::max<ssize_t>(size, 0));
  for (const iovec& part : parts) {
    const std::size_t its = std::min(left, part.iov_len);
    if (its == 0) continue;
    are_written ? call.writes(part.iov_base, its) : call.reads(part.iov_base, its);
    left -= its;
  }
}

void will_be_filled(std::span<const iovec> parts) {
  for (const iovec& part : parts) WatchedPages::will_be_written(part.iov_base, part.iov_len);
}

std::span<const iovec> parts_of(const iovec* parts, int count) {
  return {parts, static_cast<std::size_t>(std::max(count, 0))};
}

/// What read() does, for the function into which it is inlined. A call of read() might be one of the
/// program's own.
[[gnu::always_inline]] inline ssize_t read_for_caller(int descriptor, void* buffer, std::size_t room) {
  note_position(descriptor);
  const iovec part{buffer, room};
  will_be_filled({&part, 1});
  const auto call = [&](int file) {
    return read_timer(file, {&part, 1}, HOCKET_REAL(read)(file, buffer, room));
  };
  ssize_t size = 0;
  const bool is_too_small = room < sizeof(std::uint64_t) && is_timer_of_body(descriptor);
  if (is_inner_call(descriptor) && !is_too_small) {
    HOCKET_CALLED_FROM_BODY();
    size = take_in("read", descriptor, true, call);
  } else {
    HOCKET_STEP_ON_FILE("read", descriptor, OnFile::moves);
    size = call(descriptor);
  }
  note_parts(HOCKET_CALLER, {&part, 1}, size, true);
  return size;
}
/// The same for write().
[[gnu::always_inline]] inline ssize_t write_for_caller(int descriptor, const void* bytes, std::size_t size) {
  note_position(descriptor);
  const iovec part{const_cast<void*>(bytes), size};
  note_parts(HOCKET_CALLER, {&part, 1}, static_cast<ssize_t>(size), false);
  if (!is_inner_call(descriptor)) {
    HOCKET_STEP_ON_FILE("write", descriptor, OnFile::changes);
    return HOCKET_REAL(write)(descriptor, bytes, size);
  }
  HOCKET_CALLED_FROM_BODY();
  const auto call = [&](int file, std::span<const iovec> rest) {
    return HOCKET_REAL(write)(file, rest.front().iov_base, rest.front().iov_len);
  };
  return give_out("write", descriptor, true, {&part, 1}, call);
}

}  // namespace

extern "C" {

ssize_t read(int descriptor, void* buffer, std::size_t room) {
  return read_for_caller(descriptor, buffer, room);
}
ssize_t readv(int descriptor, const iovec* parts, int count) {
  note_position(descriptor);
  will_be_filled(parts_of(parts, count));
  const auto call = [&](int file) {
    return read_timer(file, parts_of(parts, count), HOCKET_REAL(readv)(file, parts, count));
  };
  ssize_t size = 0;
  if (is_inner_call(descriptor)) {
    HOCKET_CALLED_FROM_BODY();
    size = take_in("readv", descriptor, true, call);
  } else {
    HOCKET_STEP_ON_FILE("readv", descriptor, OnFile::moves);
    size = call(descriptor);
  }
  note_parts(HOCKET_CALLER, parts_of(parts, count), size, true);
  return size;
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  return write_for_caller(descriptor, bytes, size);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  note_position(descriptor);
  const std::span<const iovec> all = parts_of(parts, count);
  for (const iovec& part : all)
    note_parts(HOCKET_CALLER, {&part, 1}, static_cast<ssize_t>(part.iov_len), false);
  if (all.empty() || all.size() > kMostParts || !is_inner_call(descriptor)) {
    HOCKET_STEP_ON_FILE("writev", descriptor, OnFile::changes);
    return HOCKET_REAL(writev)(descriptor, parts, count);
  }
  HOCKET_CALLED_FROM_BODY();
  const auto call = [&](int file, std::span<const iovec> rest) {
    return HOCKET_REAL(writev)(file, rest.data(), static_cast<int>(rest.size()));
  };
  return give_out("writev", descriptor, true, all, call);
}

int eventfd_read(int descriptor, eventfd_t* value) {
  return read_for_caller(descriptor, value, sizeof *value) == sizeof *value ? 0 : -1;
}
int eventfd_write(int descriptor, eventfd_t value) {
  return write_for_caller(descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

int close(int descriptor) {
  if (descriptor <= STDERR_FILENO) note_descriptor(descriptor);
  const auto call = [&] {  // an execution that is cut short before it leaves the descriptor open
    note_closed(descriptor);
    note_closed_in_waits(descriptor);
    return HOCKET_REAL(close)(descriptor);
  };
  HOCKET_ENTRY_OR(call());
  step_on_number("close", descriptor, HOCKET_CALLER);
  if (!closes_inner_file(descriptor)) return call();
  return change_files("close", Order::gives, behind(descriptor), call);
}
int dup(int from) noexcept {
  // An execution may be cut short right after the call: it is noted at once.
  const auto call = [&, caller = HOCKET_CALLER] { return note_opened(HOCKET_REAL(dup)(from), caller); };
  if (!is_from_body() || !is_inner_file(from)) return call();
  HOCKET_CALLED_FROM_BODY();
  return change_files("dup", Order::none, behind(from), call);
}
int dup2(int from, int descriptor) noexcept {
  if (descriptor <= STDERR_FILENO) note_descriptor(descriptor);
  const auto call = [&, caller = HOCKET_CALLER] {
    note_closed_in_waits(descriptor);
    return note_opened(HOCKET_REAL(dup2)(from, descriptor), caller);
  };
  HOCKET_ENTRY_OR(call());
  step_on_number("dup2", descriptor, HOCKET_CALLER);
  return closes_inner_file(descriptor) ? change_files("dup2", Order::gives, behind(descriptor), call)
                                       : call();
}
int dup3(int from, int descriptor, int flags) noexcept {
  if (descriptor <= STDERR_FILENO) note_descriptor(descriptor);
  const auto call = [&, caller = HOCKET_CALLER] {
    note_closed_in_waits(descriptor);
    return note_opened(HOCKET_REAL(dup3)(from, descriptor, flags), caller);
  };
  HOCKET_ENTRY_OR(call());
  step_on_number("dup3", descriptor, HOCKET_CALLER);
  return closes_inner_file(descriptor) ? change_files("dup3", Order::gives, behind(descriptor), call)
                                       : call();
}

}  // extern "C"
