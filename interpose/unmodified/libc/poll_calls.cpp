// poll, select and epoll.
//
// If one of the descriptors is for what comes from another thread of the body, the call is a step, and a wait
// like others; its time is virtual. Otherwise it is the system's own.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "../../../runtime/diagnosis/untracked_calls.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../restore/outer_files.hpp"
#include "file_calls.hpp"
#include "inner_files.hpp"
#include "time.hpp"

namespace hocket::unmodified {

namespace {

using runtime::kForever;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t nanoseconds_of(int milliseconds) {
  return milliseconds < 0 ? kForever : milliseconds * kMillisecond;
}
std::int64_t nanoseconds_of(const timespec* time) {
  return time == nullptr ? kForever : nanoseconds(*time);
}
std::int64_t nanoseconds_of(const timeval* time) {
  return time == nullptr ? kForever : time->tv_sec * kSecond + time->tv_usec * kMicrosecond;
}

/// What a call does that waits for no descriptor, only for its time: it sleeps, in virtual time.
int sleep_for(std::int64_t nanoseconds) {
  const timespec time{nanoseconds / kSecond, nanoseconds % kSecond};
  return hocket_clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}
bool is_sleep(bool names_descriptors, std::int64_t nanoseconds) {
  return !names_descriptors && nanoseconds > 0 && is_from_body();
}

bool is_any_inner(std::span<const pollfd> events) {
  return std::any_of(
      events.begin(), events.end(), [](const pollfd& one) { return one.fd >= 0 && is_inner_file(one.fd); });
}

/// What is behind the only descriptor; nothing if there are several, of which any may have an event.
KeptThing thing_of(std::span<const pollfd> events) {
  return events.size() == 1 ? behind(events.front().fd) : KeptThing{};
}

/// Returns what poll() does.
int look(const char* function, std::span<pollfd> events, std::int64_t nanoseconds, bool changes_mask) {
  int ready = 0;
  const auto attempt = [&](std::span<pollfd> files) {
    ready = HOCKET_REAL(poll)(files.data(), files.size(), 0);
    for (std::size_t n = 0; n < files.size(); ++n) events[n].revents = files[n].revents;
    return ready != 0 ? Tried::done : Tried::would_wait;
  };
  if (changes_mask && nanoseconds != 0 && HOCKET_REAL(poll)(events.data(), events.size(), 0) == 0) {
    refuse(function,
        "with a set of signals: a signal would have to interrupt it; wait for signals with sigwait in a "
        "thread of its own, and for files without such a set");
    return fail_with(EINTR);
  }
  const Ended ended = make({function, nanoseconds, Order::takes, thing_of(events), false, events}, attempt);
  if (ended == Ended::cut) return fail_with(EINTR);
  return ended == Ended::expired ? 0 : ready;
}

constexpr short kToRead = POLLIN | POLLHUP | POLLERR;
constexpr short kToWrite = POLLOUT | POLLERR;

/// The sets of select() as one list.
struct Selected {
  std::array<pollfd, FD_SETSIZE> events{};
  std::size_t count = 0;

  Selected(int end, const fd_set* to_read, const fd_set* to_write, const fd_set* special) {
    for (int descriptor = 0; descriptor < end; ++descriptor) {
      short wanted = 0;
      if (to_read != nullptr && FD_ISSET(descriptor, to_read)) wanted |= POLLIN;
      if (to_write != nullptr && FD_ISSET(descriptor, to_write)) wanted |= POLLOUT;
      if (special != nullptr && FD_ISSET(descriptor, special)) wanted |= POLLPRI;
      if (wanted != 0) events.at(count++) = {descriptor, wanted, 0};
    }
  }
  [[nodiscard]] std::span<pollfd> all() { return std::span(events).first(count); }

  /// What select() returns when it has left in the sets what has come.
  [[nodiscard]] int fill(fd_set* to_read, fd_set* to_write, fd_set* special) const {
    int ready = 0;
    const auto put = [&ready](fd_set* set, const pollfd& one, short wanted, short found) {
      if (set == nullptr || (one.events & wanted) == 0) return;
      if ((one.revents & found) != 0) {
        ++ready;
      } else {
        FD_CLR(one.fd, set);
      }
    };
    for (const pollfd& one : std::span(events).first(count)) {
      put(to_read, one, POLLIN, kToRead);
      put(to_write, one, POLLOUT, kToWrite);
      put(special, one, POLLPRI, POLLPRI);
    }
    return ready;
  }
};

/// select() on descriptors of which one is an inner one; no value otherwise.
std::optional<int> select_inner(
    const char* function, int end, std::array<fd_set*, 3> sets, std::int64_t nanoseconds, bool changes_mask) {
  if (!is_from_body() || end > FD_SETSIZE) return {};
  Selected selected(end, sets[0], sets[1], sets[2]);
  if (is_sleep(selected.count != 0, nanoseconds) && !changes_mask) return sleep_for(nanoseconds);
  if (!is_any_inner(selected.all())) return {};
  const int found = look(function, selected.all(), nanoseconds, changes_mask);
  if (found < 0) return found;
  for (const pollfd& one : selected.all()) {
    if ((one.revents & POLLNVAL) != 0) return fail_with(EBADF);
  }
  return selected.fill(sets[0], sets[1], sets[2]);
}

void will_be_filled(std::array<fd_set*, 3> sets) {
  for (fd_set* const set : sets) {
    if (set != nullptr) WatchedPages::will_be_written(set, sizeof *set);
  }
}

/// poll() has written what has come.
void note_events(const void* caller, std::span<const pollfd> events, int ready) {
  if (ready < 0) return;
  for (const pollfd& one : events) note_result(caller, &one.revents);
}
void note_sets(const void* caller, int end, std::array<fd_set*, 3> sets, int ready) {
  constexpr std::size_t kBits = 64;  // in a word, of which whole ones are written
  const std::size_t words = (static_cast<std::size_t>(std::max(end, 0)) + kBits - 1) / kBits;
  for (const fd_set* const set : sets) {
    if (ready >= 0) note_result(caller, set, words * sizeof(std::uint64_t));
  }
}

/// The code that has added a file with EPOLLEXCLUSIVE to some set while no body ran, or nullptr.
constinit std::atomic<const void*> exclusive_from_outside = nullptr;

/// Linux may stop at the first set in which a thread waits. Here each set has the event.
void note_exclusive(const void* caller) {
  runtime::add_untracked_call({"epoll_ctl", "whom EPOLLEXCLUSIVE wakes", caller});
}
void note_exclusive_from_outside(int epoll) {
  const void* const caller = exclusive_from_outside;
  if (caller == nullptr) return;
  const KeepsErrno keeps;
  bool is_exclusive = false;
  for_each_watched(
      epoll, [&](int, unsigned events) { is_exclusive |= (events & unsigned{EPOLLEXCLUSIVE}) != 0; });
  if (is_exclusive) note_exclusive(caller);
}

/// epoll_wait() on a descriptor that watches an inner one, or nothing. It may take events away (EPOLLET,
/// EPOLLONESHOT).
int wait_in_epoll(const char* function, int epoll, epoll_event* events, int most, std::int64_t nanoseconds,
    bool changes_mask) {
  note_exclusive_from_outside(epoll);
  pollfd come{epoll, POLLIN, 0};
  if (changes_mask && nanoseconds != 0 && HOCKET_REAL(poll)(&come, 1, 0) == 0)
    return look(function, {&come, 1}, nanoseconds, true);
  int count = 0;
  int error = EINTR;
  const auto attempt = [&](std::span<pollfd> files) {
    count = HOCKET_REAL(epoll_wait)(files.front().fd, events, most, 0);
    error = errno;
    return count != 0 ? Tried::done : Tried::would_wait;
  };
  const bool takes = !runtime::is_sabotaged(runtime::Sabotage::waits_in_sets_take_nothing);
  const Ended ended = make({function, nanoseconds, Order::takes, {}, takes, {&come, 1}}, attempt);
  if (ended == Ended::expired) return 0;
  if (ended == Ended::cut || count < 0) return fail_with(ended == Ended::cut ? EINTR : error);
  return count;
}

bool is_inner_epoll(int epoll) {
  return is_from_body() && is_epoll(epoll) && is_inner_file(epoll);
}

void will_be_filled(epoll_event* events, int most) {
  if (most > 0) WatchedPages::will_be_written(events, static_cast<std::size_t>(most) * sizeof *events);
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

#define HOCKET_CALLER __builtin_return_address(0)

extern "C" {

int poll(pollfd* events, nfds_t count, int milliseconds) {
  WatchedPages::will_be_written(events, count * sizeof *events);
  if (is_sleep(count != 0, nanoseconds_of(milliseconds))) return sleep_for(nanoseconds_of(milliseconds));
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  const int ready = is_from_body() && is_any_inner({events, count})
                        ? look("poll", {events, count}, nanoseconds_of(milliseconds), false)
                        : HOCKET_REAL(poll)(events, count, milliseconds);
  note_events(HOCKET_CALLER, {events, count}, ready);
  return ready;
}
int ppoll(pollfd* events, nfds_t count, const timespec* time, const sigset_t* mask) {
  WatchedPages::will_be_written(events, count * sizeof *events);
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  const int ready = is_from_body() && is_any_inner({events, count})
                        ? look("ppoll", {events, count}, nanoseconds_of(time), mask != nullptr)
                        : HOCKET_REAL(ppoll)(events, count, time, mask);
  note_events(HOCKET_CALLER, {events, count}, ready);
  return ready;
}

int select(int end, fd_set* to_read, fd_set* to_write, fd_set* special, timeval* time) {
  will_be_filled({to_read, to_write, special});
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  const auto inner = select_inner("select", end, {to_read, to_write, special}, nanoseconds_of(time), false);
  const int ready = inner ? *inner : HOCKET_REAL(select)(end, to_read, to_write, special, time);
  note_sets(HOCKET_CALLER, end, {to_read, to_write, special}, ready);
  return ready;
}
int pselect(
    int end, fd_set* to_read, fd_set* to_write, fd_set* special, const timespec* time, const sigset_t* mask) {
  will_be_filled({to_read, to_write, special});
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  const auto inner =
      select_inner("pselect", end, {to_read, to_write, special}, nanoseconds_of(time), mask != nullptr);
  const int ready = inner ? *inner : HOCKET_REAL(pselect)(end, to_read, to_write, special, time, mask);
  note_sets(HOCKET_CALLER, end, {to_read, to_write, special}, ready);
  return ready;
}

/// Defines `function`, which waits in a set of epoll.
#define HOCKET_WAITS_IN_EPOLL(function, parameters, arguments, time, changes_mask)                       \
  int function parameters {                                                                              \
    will_be_filled(events, most);                                                                        \
    if (is_from_body()) HOCKET_CALLED_FROM_BODY();                                                       \
    const int count = is_inner_epoll(epoll) ? wait_in_epoll(#function, epoll, events, most,              \
                                                  nanoseconds_of(time), changes_mask)                    \
                                            : HOCKET_REAL(function) arguments;                           \
    if (count > 0) note_result(HOCKET_CALLER, events, static_cast<std::size_t>(count) * sizeof *events); \
    return count;                                                                                        \
  }
HOCKET_WAITS_IN_EPOLL(epoll_wait, (int epoll, epoll_event* events, int most, int time),
    (epoll, events, most, time), time, false)
HOCKET_WAITS_IN_EPOLL(epoll_pwait, (int epoll, epoll_event* events, int most, int time, const sigset_t* mask),
    (epoll, events, most, time, mask), time, mask != nullptr)
HOCKET_WAITS_IN_EPOLL(epoll_pwait2,
    (int epoll, epoll_event* events, int most, const timespec* time, const sigset_t* mask),
    (epoll, events, most, time, mask), time, mask != nullptr)
/// Another thread may wait there for what is watched from now on.
int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  const auto call = [&] { return HOCKET_REAL(epoll_ctl)(epoll, operation, descriptor, event); };
  const bool is_exclusive =
      operation == EPOLL_CTL_ADD && event != nullptr && (event->events & EPOLLEXCLUSIVE) != 0;
  if (is_exclusive && !is_from_body()) exclusive_from_outside = HOCKET_CALLER;
  if (!is_inner_call(descriptor) && !is_inner_call(epoll)) return call();
  if (hocket::runtime::is_sabotaged(hocket::runtime::Sabotage::sets_change_unseen)) return call();
  HOCKET_CALLED_FROM_BODY();
  note_outer_file(epoll, "a set of epoll");
  if (is_exclusive) note_exclusive(HOCKET_CALLER);
  return change_files("epoll_ctl", Order::gives, behind(epoll), call);
}

}  // extern "C"
