// Locks of files, and the semaphores and queues of the system (System V and POSIX).
//
// All of these calls are steps, also those that do not wait: each may end the wait of another.
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../restore/body_descriptors.hpp"
#include "../restore/outer_files.hpp"
#include "file_calls.hpp"
#include "time.hpp"

namespace hocket::unmodified {

namespace {

using runtime::kForever;

constinit runtime::Life locked_files_in{};

constexpr std::size_t kMostOperations = 64;  ///< of a call of semop()

/// `operations` is left as it is: the attempts are made on a copy.
int operate(
    const char* function, int set, const sembuf* operations, std::size_t count, std::int64_t nanoseconds) {
  std::array<sembuf, kMostOperations> attempted{};
  std::copy_n(operations, count, attempted.begin());
  bool may_wait = false;
  for (std::size_t n = 0; n < count; ++n) {
    const auto flags = static_cast<unsigned>(attempted[n].sem_flg);
    may_wait |= (flags & IPC_NOWAIT) == 0;
    attempted[n].sem_flg = static_cast<short>(flags | IPC_NOWAIT);
  }
  return wait_for_files(function, {numbered("semaphores", set)}, may_wait ? nanoseconds : 0, EAGAIN, EAGAIN,
      [&](int /*held*/) { return HOCKET_REAL(semop)(set, attempted.data(), count); });
}

/// What mq_timedreceive() and mq_timedsend() take for a time that is over.
constexpr timespec kOver{};

struct Patience {
  std::int64_t nanoseconds;
  int error;  ///< of a call that would have to wait longer, here and in the system
};
Patience patience_of(mqd_t queue, const timespec* until) {
  mq_attr attributes{};
  const bool waits =
      HOCKET_REAL(mq_getattr)(queue, &attributes) == 0 && (attributes.mq_flags & O_NONBLOCK) == 0;
  if (!waits) return {0, EAGAIN};
  return {until == nullptr ? kForever : nanoseconds_until(CLOCK_REALTIME, *until), ETIMEDOUT};
}

ssize_t receive(const char* function, mqd_t queue, char* to, std::size_t room, unsigned* priority,
    const timespec* until, const void* caller) {
  WatchedPages::will_be_written(to, room);
  if (priority != nullptr) WatchedPages::will_be_written(priority, sizeof *priority);
  note_outer_file(queue, "a queue");
  const auto [nanoseconds, error] = patience_of(queue, until);
  const ssize_t size = wait_for_files(function, {numbered("posix queue", queue), queue}, nanoseconds, error,
      error, [&](int held) { return HOCKET_REAL(mq_timedreceive)(held, to, room, priority, &kOver); });
  if (size < 0) return size;
  note_result(caller, to, static_cast<std::size_t>(size));
  note_result(caller, priority);
  return size;
}
int send(const char* function, mqd_t queue, const char* from, std::size_t size, unsigned priority,
    const timespec* until) {
  note_outer_file(queue, "a queue");
  const auto [nanoseconds, error] = patience_of(queue, until);
  return wait_for_files(function, {numbered("posix queue", queue), queue}, nanoseconds, error, error,
      [&](int held) { return HOCKET_REAL(mq_timedsend)(held, from, size, priority, &kOver); });
}

/// fcntl() for locks: `waiting` is the command that waits, and `trying` the same one that does not.
int ask_for_lock(int descriptor, int trying, void* what, bool waits) {
  note_locked_files();
  const Awaited awaited{behind(descriptor), descriptor, trying == F_SETLK};
  return wait_for_files("fcntl", awaited, waits ? kForever : 0, EAGAIN, EAGAIN,
      [&](int held) { return HOCKET_REAL(fcntl)(held, trying, what); });
}

}  // namespace

bool has_locked_files() {
  return locked_files_in == runtime::run.life;
}
void note_locked_files() {
  locked_files_in = runtime::run.life;
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::kForever;

#define HOCKET_CALLER __builtin_return_address(0)

extern "C" {

int flock(int descriptor, int operation) noexcept {
  HOCKET_ENTRY(flock, descriptor, operation);
  note_locked_files();
  const bool waits = (static_cast<unsigned>(operation) & LOCK_NB) == 0;
  return wait_for_files("flock", {behind(descriptor), descriptor}, waits ? kForever : 0, EWOULDBLOCK,
      EWOULDBLOCK, [&](int held) {
        return HOCKET_REAL(flock)(held, static_cast<int>(static_cast<unsigned>(operation) | LOCK_NB));
      });
}

#define HOCKET_FCNTL(function)                                                                           \
  int function(int descriptor, int command, ...) {                                                       \
    va_list list;                                                                                        \
    va_start(list, command);                                                                             \
    void* const argument = va_arg(list, void*);                                                          \
    va_end(list);                                                                                        \
    const bool asks = command == F_GETLK || command == F_OFD_GETLK;                                      \
    if (asks) WatchedPages::will_be_written(argument, sizeof(struct flock));                             \
    if (command == F_SETFL) note_outer_flags(descriptor);                                                \
    const bool waits = command == F_SETLKW || command == F_OFD_SETLKW;                                   \
    const bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;                                \
    const bool is_step = (command == F_SETFL || copies) && is_inner_call(descriptor);                    \
    const auto call = [&, caller = HOCKET_CALLER] {                                                      \
      const int result = HOCKET_REAL(function)(descriptor, command, argument);                           \
      return copies ? note_opened(result, caller) : result;                                              \
    };                                                                                                   \
    const bool locks = waits || asks || command == F_SETLK || command == F_OFD_SETLK;                    \
    if (!is_step && !locks) return call();                                                               \
    HOCKET_ENTRY_OR(call());                                                                             \
    if (is_step || asks) {                                                                               \
      const Order order = copies ? Order::none : is_step ? Order::gives : Order::takes;                  \
      const int result = change_files(#function, order, behind(descriptor), call);                       \
      if (asks && result == 0) note_result(HOCKET_CALLER, static_cast<struct flock*>(argument));         \
      return result;                                                                                     \
    }                                                                                                    \
    return ask_for_lock(                                                                                 \
        descriptor, command == F_SETLKW || command == F_SETLK ? F_SETLK : F_OFD_SETLK, argument, waits); \
  }
HOCKET_FCNTL(fcntl)
HOCKET_FCNTL(fcntl64)

#define HOCKET_LOCKF(function, offset)                                                           \
  int function(int descriptor, int command, offset size) {                                       \
    HOCKET_ENTRY(function, descriptor, command, size);                                           \
    note_locked_files();                                                                         \
    const bool waits = command == F_LOCK;                                                        \
    const Awaited awaited{behind(descriptor), descriptor, true};                                 \
    return wait_for_files(#function, awaited, waits ? kForever : 0, EAGAIN, EAGAIN,              \
        [&](int held) { return HOCKET_REAL(function)(held, waits ? F_TLOCK : command, size); }); \
  }
HOCKET_LOCKF(lockf, off_t)
HOCKET_LOCKF(lockf64, off64_t)

int semop(int set, sembuf* operations, std::size_t count) noexcept {
  if (!is_from_body() || count > kMostOperations) return HOCKET_REAL(semop)(set, operations, count);
  HOCKET_CALLED_FROM_BODY();
  return operate("semop", set, operations, count, kForever);
}
int semtimedop(int set, sembuf* operations, std::size_t count, const timespec* time) noexcept {
  if (!is_from_body() || count > kMostOperations)
    return HOCKET_REAL(semtimedop)(set, operations, count, time);
  HOCKET_CALLED_FROM_BODY();
  return operate("semtimedop", set, operations, count, time != nullptr ? nanoseconds(*time) : kForever);
}
int semctl(int set, int number, int command, ...) noexcept {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  constexpr std::size_t kMostWritten = 4096;  // of GETALL, that of some two thousand semaphores
  if (command == IPC_STAT || command == GETALL) WatchedPages::will_be_written(argument, kMostWritten);
  const auto call = [&] { return HOCKET_REAL(semctl)(set, number, command, argument); };
  HOCKET_ENTRY_OR(call());
  return change_files("semctl", Order::takes_and_gives, numbered("semaphores", set), call);
}

int msgsnd(int queue, const void* message, std::size_t size, int flags) {
  HOCKET_ENTRY(msgsnd, queue, message, size, flags);
  const bool waits = (static_cast<unsigned>(flags) & IPC_NOWAIT) == 0;
  return wait_for_files(
      "msgsnd", {numbered("queue", queue)}, waits ? kForever : 0, EAGAIN, EAGAIN, [&](int /*held*/) {
        return HOCKET_REAL(msgsnd)(
            queue, message, size, static_cast<int>(static_cast<unsigned>(flags) | IPC_NOWAIT));
      });
}
ssize_t msgrcv(int queue, void* message, std::size_t room, long type, int flags) {
  WatchedPages::will_be_written(message, room + sizeof(long));
  HOCKET_ENTRY(msgrcv, queue, message, room, type, flags);
  const bool waits = (static_cast<unsigned>(flags) & IPC_NOWAIT) == 0;
  const ssize_t size = wait_for_files(
      "msgrcv", {numbered("queue", queue)}, waits ? kForever : 0, ENOMSG, ENOMSG, [&](int /*held*/) {
        return HOCKET_REAL(msgrcv)(
            queue, message, room, type, static_cast<int>(static_cast<unsigned>(flags) | IPC_NOWAIT));
      });
  if (size >= 0) note_result(HOCKET_CALLER, message, sizeof(long) + static_cast<std::size_t>(size));
  return size;
}
int msgctl(int queue, int command, msqid_ds* to) noexcept {
  if (to != nullptr) WatchedPages::will_be_written(to, sizeof *to);
  const auto call = [&] { return HOCKET_REAL(msgctl)(queue, command, to); };
  HOCKET_ENTRY_OR(call());
  return change_files("msgctl", Order::gives, numbered("queue", queue), call);
}

ssize_t mq_receive(mqd_t queue, char* to, std::size_t room, unsigned* priority) {
  HOCKET_ENTRY(mq_receive, queue, to, room, priority);
  return receive("mq_receive", queue, to, room, priority, nullptr, HOCKET_CALLER);
}
ssize_t mq_timedreceive(mqd_t queue, char* to, std::size_t room, unsigned* priority, const timespec* until) {
  HOCKET_ENTRY(mq_timedreceive, queue, to, room, priority, until);
  return receive("mq_timedreceive", queue, to, room, priority, until, HOCKET_CALLER);
}
int mq_send(mqd_t queue, const char* from, std::size_t size, unsigned priority) {
  HOCKET_ENTRY(mq_send, queue, from, size, priority);
  return hocket::unmodified::send("mq_send", queue, from, size, priority, nullptr);
}
int mq_timedsend(mqd_t queue, const char* from, std::size_t size, unsigned priority, const timespec* until) {
  HOCKET_ENTRY(mq_timedsend, queue, from, size, priority, until);
  return hocket::unmodified::send("mq_timedsend", queue, from, size, priority, until);
}

int mq_getattr(mqd_t queue, mq_attr* to) noexcept {
  WatchedPages::will_be_written(to, sizeof *to);
  HOCKET_ENTRY(mq_getattr, queue, to);
  if (hocket::runtime::is_sabotaged(hocket::runtime::Sabotage::queues_are_asked_unseen))
    return HOCKET_REAL(mq_getattr)(queue, to);
  const int result = change_files("mq_getattr", Order::takes, numbered("posix queue", queue),
      [&] { return HOCKET_REAL(mq_getattr)(queue, to); });
  if (result == 0) note_result(HOCKET_CALLER, to);
  return result;
}
int mq_setattr(mqd_t queue, const mq_attr* wanted, mq_attr* before) noexcept {
  if (before != nullptr) WatchedPages::will_be_written(before, sizeof *before);
  HOCKET_ENTRY(mq_setattr, queue, wanted, before);
  const int result = change_files("mq_setattr", Order::gives, numbered("posix queue", queue),
      [&] { return HOCKET_REAL(mq_setattr)(queue, wanted, before); });
  if (result == 0) note_result(HOCKET_CALLER, before);
  return result;
}

}  // extern "C"
