// Functions that open descriptors, and functions that start processes.
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../restore/body_descriptors.hpp"
#include "../restore/shared_maps.hpp"
#include "open_files.hpp"
#include "regular_files.hpp"

using hocket::unmodified::note_started_process;
using hocket::unmodified::WatchedPages;

namespace {

/// To be called when a body has got the descriptor of a file.
int note_opened_file(int descriptor, bool is_made, const void* caller) {
  hocket::unmodified::note_file(descriptor, is_made);
  return hocket::unmodified::note_opened(descriptor, caller);
}
using hocket::unmodified::note_opened;

/// Whether open() makes a file that has no name.
bool has_no_name(int flags) {
  return (static_cast<unsigned>(flags) & __O_TMPFILE) != 0;
}

/// The mode with which open() creates a file; 0 if it cannot.
mode_t mode_of(int flags, va_list list) {
  const bool creates = (static_cast<unsigned>(flags) & (O_CREAT | __O_TMPFILE)) != 0;
  return creates ? va_arg(list, mode_t) : 0;
}

int note_both_opened(int result, const int* ends, const void* caller) {
  if (result == 0) {
    hocket::unmodified::note_pair(ends);
    note_opened(ends[0], caller);
    note_opened(ends[1], caller);
    hocket::unmodified::note_result(caller, ends, 2 * sizeof *ends);
  }
  return result;
}

}  // namespace

/// Defines `function`, whose result is a descriptor.
#define HOCKET_OPENS(function, parameters, arguments)                                 \
  int function parameters {                                                           \
    return note_opened(HOCKET_REAL(function) arguments, __builtin_return_address(0)); \
  }

/// Defines `function`, whose result is the descriptor of a file, which it may have made.
#define HOCKET_OPENS_KEPT(function, parameters, arguments, is_made)                                 \
  int function parameters {                                                                         \
    return note_opened_file(HOCKET_REAL(function) arguments, is_made, __builtin_return_address(0)); \
  }

/// Defines `function`, which makes up the name of the file.
#define HOCKET_OPENS_RANDOM(function, parameters, arguments)                \
  int function parameters {                                                 \
    const int descriptor = HOCKET_REAL(function) arguments;                 \
    hocket::unmodified::note_random_name(descriptor);                       \
    return note_opened_file(descriptor, true, __builtin_return_address(0)); \
  }

#define HOCKET_OPENS_FILE(function)                                                                 \
  int function(const char* path, int flags, ...) {                                                  \
    va_list list;                                                                                   \
    va_start(list, flags);                                                                          \
    const mode_t mode = mode_of(flags, list);                                                       \
    va_end(list);                                                                                   \
    return note_opened_file(                                                                        \
        HOCKET_REAL(function)(path, flags, mode), has_no_name(flags), __builtin_return_address(0)); \
  }

#define HOCKET_OPENS_FILE_IN(function)                                                                      \
  int function(int folder, const char* path, int flags, ...) {                                              \
    va_list list;                                                                                           \
    va_start(list, flags);                                                                                  \
    const mode_t mode = mode_of(flags, list);                                                               \
    va_end(list);                                                                                           \
    return note_opened_file(                                                                                \
        HOCKET_REAL(function)(folder, path, flags, mode), has_no_name(flags), __builtin_return_address(0)); \
  }

#define HOCKET_OPENS_TWO(function, parameters, arguments)                                        \
  int function parameters {                                                                      \
    WatchedPages::will_be_written(ends, 2 * sizeof *ends);                                       \
    return note_both_opened(HOCKET_REAL(function) arguments, ends, __builtin_return_address(0)); \
  }

#define HOCKET_STARTS(result, function, parameters, arguments) \
  result function parameters {                                 \
    note_started_process();                                    \
    return HOCKET_REAL(function) arguments;                    \
  }

extern "C" {

HOCKET_OPENS_FILE(open)
HOCKET_OPENS_FILE(open64)
HOCKET_OPENS_FILE_IN(openat)
HOCKET_OPENS_FILE_IN(openat64)
HOCKET_OPENS_KEPT(creat, (const char* path, mode_t mode), (path, mode), false)
HOCKET_OPENS_KEPT(creat64, (const char* path, mode_t mode), (path, mode), false)
HOCKET_OPENS(socket, (int family, int type, int protocol) noexcept, (family, type, protocol))
HOCKET_OPENS(eventfd, (unsigned value, int flags) noexcept, (value, flags))
HOCKET_OPENS(epoll_create, (int size) noexcept, (size))
HOCKET_OPENS(epoll_create1, (int flags) noexcept, (flags))
HOCKET_OPENS(inotify_init, () noexcept, ())
HOCKET_OPENS(inotify_init1, (int flags) noexcept, (flags))
HOCKET_OPENS_KEPT(memfd_create, (const char* name, unsigned flags) noexcept, (name, flags), true)
HOCKET_OPENS_KEPT(shm_open, (const char* name, int flags, mode_t mode), (name, flags, mode), true)
HOCKET_OPENS_RANDOM(mkstemp, (char* name), (name))
HOCKET_OPENS_RANDOM(mkstemps, (char* name, int suffix), (name, suffix))
HOCKET_OPENS_RANDOM(mkstemps64, (char* name, int suffix), (name, suffix))
HOCKET_OPENS_RANDOM(mkostemps, (char* name, int suffix, int flags), (name, suffix, flags))
HOCKET_OPENS_RANDOM(mkostemps64, (char* name, int suffix, int flags), (name, suffix, flags))
HOCKET_OPENS_RANDOM(mkstemp64, (char* name), (name))
HOCKET_OPENS_RANDOM(mkostemp, (char* name, int flags), (name, flags))
HOCKET_OPENS_RANDOM(mkostemp64, (char* name, int flags), (name, flags))
HOCKET_OPENS_TWO(pipe, (int* ends) noexcept, (ends))
HOCKET_OPENS_TWO(pipe2, (int* ends, int flags) noexcept, (ends, flags))
HOCKET_OPENS_TWO(
    socketpair, (int family, int type, int protocol, int* ends) noexcept, (family, type, protocol, ends))

mqd_t mq_open(const char* name, int flags, ...) noexcept {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  const bool creates = (static_cast<unsigned>(flags) & O_CREAT) != 0;
  const mq_attr* const attributes = creates ? va_arg(list, const mq_attr*) : nullptr;
  va_end(list);
  return note_opened(HOCKET_REAL(mq_open)(name, flags, mode, attributes), __builtin_return_address(0));
}
int mq_close(mqd_t queue) noexcept {
  hocket::unmodified::note_closed(queue);
  return HOCKET_REAL(mq_close)(queue);
}

char* mkdtemp(char* name) noexcept {
  char* const folder = HOCKET_REAL(mkdtemp)(name);
  if (folder != nullptr) hocket::unmodified::note_random_folder(folder);
  return folder;
}

DIR* opendir(const char* path) {
  DIR* const folder = HOCKET_REAL(opendir)(path);
  if (folder != nullptr) note_opened(dirfd(folder), __builtin_return_address(0));
  return folder;
}
int closedir(DIR* folder) {
  hocket::unmodified::note_closed(dirfd(folder));
  return HOCKET_REAL(closedir)(folder);
}

/// Signals that threads of the body send do not reach the system.
int signalfd(int descriptor, const sigset_t* mask, int flags) noexcept {
  HOCKET_ENTRY(signalfd, descriptor, mask, flags);
  hocket::unmodified::refuse(
      "signalfd", "wait for signals with sigwait or sigtimedwait in a thread of its own");
  return hocket::unmodified::fail_with(ENOSYS);
}

HOCKET_STARTS(int, posix_spawn,
    (pid_t * process, const char* path, const posix_spawn_file_actions_t* actions,
        const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment),
    (process, path, actions, attributes, arguments, environment))
HOCKET_STARTS(int, posix_spawnp,
    (pid_t * process, const char* name, const posix_spawn_file_actions_t* actions,
        const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment),
    (process, name, actions, attributes, arguments, environment))

HOCKET_STARTS(std::FILE*, popen, (const char* command, const char* mode), (command, mode))

}  // extern "C"
