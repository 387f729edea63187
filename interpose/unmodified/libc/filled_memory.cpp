// Functions through which the system itself writes into the program's memory.
//
// A page that only bodies may change is read-only until one does (memory/watched_pages.hpp). The system does
// not fault there as the program does: its call fails with EFAULT. So what it is going to write is announced
// here. Functions that may also wait, or that open
// something, are in files of their own.
//
// The test TheSystem.WritesIntoMemoryThatNoExecutionHasWrittenSoFar calls each function.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <span>
#include <type_traits>

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "file_calls.hpp"

namespace {

using hocket::unmodified::WatchedPages;

/// What the system is about to write on behalf of a caller: an object, or at most `size` bytes of a buffer,
/// as many as the call returns. Nothing is announced for a null pointer. When it is done, that is a write of
/// the caller.
class Fills {
 public:
  explicit Fills(const void* caller) : caller_(caller) {}

  template <class T>
  void operator()(T* object) {
    add(object, sizeof *object, false);
  }
  void operator()(void* memory, std::size_t size) { add(memory, size, true); }
  void operator()(const iovec* parts, int count) {
    for (int n = 0; n < count; ++n) add(parts[n].iov_base, parts[n].iov_len, true);
  }
  /// A name of a socket, or its like, into `room` bytes.
  void name(void* name, socklen_t* room) {
    if (room == nullptr) return;
    (*this)(room);
    name_room_ = room;
    add(name, *room, false);
  }

  template <class Result>
  Result done(Result result) {
    if constexpr (std::is_pointer_v<Result>) {
      if (result != nullptr) note(std::strlen(result) + 1);
    } else if (result >= 0) {
      note(std::is_same_v<Result, ssize_t> ? static_cast<std::size_t>(result) : ~std::size_t{0});
    }
    return result;
  }

 private:
  struct Part {
    void* memory;
    std::size_t size;
    bool is_buffer;
  };

  void add(void* memory, std::size_t size, bool is_buffer) {
    if (memory == nullptr) return;
    WatchedPages::will_be_written(memory, size);
    if (count_ < parts_.size()) parts_.at(count_++) = {memory, size, is_buffer};
  }
  void note(std::size_t in_buffers) const {
    const int user_errno = errno;
    for (const Part& part : std::span(parts_).first(count_)) {
      std::size_t size = part.is_buffer ? std::min(part.size, in_buffers) : part.size;
      if (part.is_buffer) in_buffers -= size;
      if (name_room_ != nullptr && part.memory != name_room_) size = std::min<std::size_t>(size, *name_room_);
      hocket::unmodified::note_result(caller_, part.memory, size);
    }
    errno = user_errno;
  }

  const void* caller_;
  std::array<Part, 16> parts_{};
  std::size_t count_ = 0;
  const socklen_t* name_room_ = nullptr;
};

}  // namespace

/// Defines `function`, which announces what the system's function is going to write.
#define HOCKET_FILLS(result, function, parameters, arguments, announcements) \
  result function parameters {                                               \
    Fills fills(__builtin_return_address(0));                                \
    announcements;                                                           \
    return fills.done(HOCKET_REAL(function) arguments);                      \
  }

extern "C" {

// --- Files
HOCKET_FILLS(
    ssize_t, pread, (int file, void* to, std::size_t room, off_t at), (file, to, room, at), fills(to, room))
HOCKET_FILLS(ssize_t, pread64, (int file, void* to, std::size_t room, off64_t at), (file, to, room, at),
    fills(to, room))
HOCKET_FILLS(ssize_t, preadv, (int file, const iovec* parts, int count, off_t at), (file, parts, count, at),
    fills(parts, count))
HOCKET_FILLS(ssize_t, preadv64, (int file, const iovec* parts, int count, off64_t at),
    (file, parts, count, at), fills(parts, count))
HOCKET_FILLS(ssize_t, readlink, (const char* path, char* to, std::size_t room) noexcept, (path, to, room),
    fills(to, room))
HOCKET_FILLS(ssize_t, readlinkat, (int folder, const char* path, char* to, std::size_t room) noexcept,
    (folder, path, to, room), fills(to, room))
HOCKET_FILLS(char*, getcwd, (char* to, std::size_t room) noexcept, (to, room), fills(to, room))
HOCKET_FILLS(int, stat, (const char* path, struct stat* to) noexcept, (path, to), fills(to))
HOCKET_FILLS(int, lstat, (const char* path, struct stat* to) noexcept, (path, to), fills(to))
HOCKET_FILLS(int, fstat, (int file, struct stat* to) noexcept, (file, to), fills(to))
HOCKET_FILLS(int, fstatat, (int folder, const char* path, struct stat* to, int flags) noexcept,
    (folder, path, to, flags), fills(to))
HOCKET_FILLS(int, stat64, (const char* path, struct stat64* to) noexcept, (path, to), fills(to))
HOCKET_FILLS(int, lstat64, (const char* path, struct stat64* to) noexcept, (path, to), fills(to))
HOCKET_FILLS(int, fstat64, (int file, struct stat64* to) noexcept, (file, to), fills(to))
HOCKET_FILLS(int, fstatat64, (int folder, const char* path, struct stat64* to, int flags) noexcept,
    (folder, path, to, flags), fills(to))
HOCKET_FILLS(int, statx,
    (int folder, const char* path, int flags, unsigned wanted, struct statx* to) noexcept,
    (folder, path, flags, wanted, to), fills(to))
HOCKET_FILLS(int, statfs, (const char* path, struct statfs* to) noexcept, (path, to), fills(to))
HOCKET_FILLS(int, fstatfs, (int file, struct statfs* to) noexcept, (file, to), fills(to))
HOCKET_FILLS(int, statfs64, (const char* path, struct statfs64* to) noexcept, (path, to), fills(to))
HOCKET_FILLS(int, fstatfs64, (int file, struct statfs64* to) noexcept, (file, to), fills(to))
HOCKET_FILLS(ssize_t, getxattr, (const char* path, const char* name, void* to, std::size_t room) noexcept,
    (path, name, to, room), fills(to, room))
HOCKET_FILLS(ssize_t, lgetxattr, (const char* path, const char* name, void* to, std::size_t room) noexcept,
    (path, name, to, room), fills(to, room))
HOCKET_FILLS(ssize_t, fgetxattr, (int file, const char* name, void* to, std::size_t room) noexcept,
    (file, name, to, room), fills(to, room))
HOCKET_FILLS(ssize_t, listxattr, (const char* path, char* to, std::size_t room) noexcept, (path, to, room),
    fills(to, room))
HOCKET_FILLS(ssize_t, llistxattr, (const char* path, char* to, std::size_t room) noexcept, (path, to, room),
    fills(to, room))
HOCKET_FILLS(
    ssize_t, flistxattr, (int file, char* to, std::size_t room) noexcept, (file, to, room), fills(to, room))

int ioctl(int file, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  // Old requests do not say how much they write; none of them writes more than this.
  constexpr std::size_t kMost = 256;
  WatchedPages::will_be_written(argument, std::max<std::size_t>(_IOC_SIZE(request), kMost));
  const bool tells_number = request == FIONREAD || request == TIOCOUTQ;
  const auto call = [&] { return HOCKET_REAL(ioctl)(file, request, argument); };
  const auto note = [&, caller = __builtin_return_address(0)](int result) {
    if (result == 0 && tells_number) hocket::unmodified::note_result(caller, static_cast<int*>(argument));
    return result;
  };
  const bool is_step = tells_number || request == FIONBIO;
  if (!is_step || !hocket::unmodified::is_inner_call(file)) return note(call());
  HOCKET_CALLED_FROM_BODY();
  return note(hocket::unmodified::change_files(
      "ioctl", hocket::unmodified::Order::takes_and_gives, hocket::unmodified::behind(file), call));
}

// --- Descriptors
HOCKET_FILLS(int, getsockname, (int socket, sockaddr* name, socklen_t* room) noexcept, (socket, name, room),
    fills.name(name, room))
HOCKET_FILLS(int, getpeername, (int socket, sockaddr* name, socklen_t* room) noexcept, (socket, name, room),
    fills.name(name, room))
HOCKET_FILLS(int, getsockopt, (int socket, int level, int option, void* to, socklen_t* room) noexcept,
    (socket, level, option, to, room), fills.name(to, room))

// --- The system and the process
HOCKET_FILLS(
    ssize_t, getrandom, (void* to, std::size_t size, unsigned flags), (to, size, flags), fills(to, size))
HOCKET_FILLS(int, getentropy, (void* to, std::size_t size), (to, size), fills(to, size))
HOCKET_FILLS(int, uname, (utsname * to) noexcept, (to), fills(to))
HOCKET_FILLS(int, sysinfo, (struct sysinfo * to) noexcept, (to), fills(to))
HOCKET_FILLS(clock_t, times, (tms * to) noexcept, (to), fills(to))
HOCKET_FILLS(int, getrusage, (__rusage_who_t who, rusage* to) noexcept, (who, to), fills(to))
HOCKET_FILLS(int, getrlimit, (__rlimit_resource_t which, rlimit* to) noexcept, (which, to), fills(to))
HOCKET_FILLS(int, getrlimit64, (__rlimit_resource_t which, rlimit64* to) noexcept, (which, to), fills(to))
HOCKET_FILLS(int, prlimit,
    (pid_t process, __rlimit_resource which, const rlimit* wanted, rlimit* before) noexcept,
    (process, which, wanted, before), fills(before))
HOCKET_FILLS(int, getgroups, (int room, gid_t* to) noexcept, (room, to),
    fills(to, static_cast<std::size_t>(room > 0 ? room : 0) * sizeof *to))
HOCKET_FILLS(
    int, getresuid, (uid_t * real, uid_t* effective, uid_t* saved) noexcept, (real, effective, saved), {
      fills(real);
      fills(effective);
      fills(saved);
    })
HOCKET_FILLS(
    int, getresgid, (gid_t * real, gid_t* effective, gid_t* saved) noexcept, (real, effective, saved), {
      fills(real);
      fills(effective);
      fills(saved);
    })
HOCKET_FILLS(int, sched_getaffinity, (pid_t thread, std::size_t room, cpu_set_t* to) noexcept,
    (thread, room, to), fills(to, room))
HOCKET_FILLS(int, sched_getparam, (pid_t thread, sched_param* to) noexcept, (thread, to), fills(to))
HOCKET_FILLS(int, sched_rr_get_interval, (pid_t thread, timespec* to) noexcept, (thread, to), fills(to))
HOCKET_FILLS(int, clock_getres, (clockid_t clock, timespec* to) noexcept, (clock, to), fills(to))
HOCKET_FILLS(int, getitimer, (__itimer_which_t which, itimerval* to) noexcept, (which, to), fills(to))
HOCKET_FILLS(int, mincore, (void* memory, std::size_t size, unsigned char* to) noexcept, (memory, size, to),
    fills(to, (size + WatchedPages::kPage - 1) / WatchedPages::kPage))
HOCKET_FILLS(
    int, shmctl, (int segment, int command, shmid_ds* to) noexcept, (segment, command, to), fills(to))

// --- Processes
HOCKET_FILLS(pid_t, wait, (int* status), (status), fills(status))
HOCKET_FILLS(
    pid_t, waitpid, (pid_t process, int* status, int options), (process, status, options), fills(status))
HOCKET_FILLS(
    int, waitid, (idtype_t kind, id_t id, siginfo_t* to, int options), (kind, id, to, options), fills(to))
HOCKET_FILLS(pid_t, wait4, (pid_t process, int* status, int options, rusage* usage) noexcept,
    (process, status, options, usage), {
      fills(status);
      fills(usage);
    })

}  // extern "C"
