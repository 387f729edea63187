#include "waiting_call.hpp"

#include "../../runtime/platform/system_call.hpp"

#ifdef HOCKET_HAS_SYSTEM_CALLS

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>

namespace hocket {

namespace {

using runtime::platform::as_argument;
using runtime::platform::system_call;

struct Call {
  long number;
  std::string_view name;
};

/// Calls that wait for something: what signal(7) and pthreads(7) name, and others that may take long. The
/// name of a call lists every function of libc that makes it.
constexpr std::array kCalls{
    Call{SYS_read, "read()"},
    Call{SYS_pread64, "pread()"},
    Call{SYS_readv, "readv()"},
    Call{SYS_preadv, "preadv()"},
    Call{SYS_preadv2, "preadv2()"},
    Call{SYS_write, "write()"},
    Call{SYS_pwrite64, "pwrite()"},
    Call{SYS_writev, "writev()"},
    Call{SYS_pwritev, "pwritev()"},
    Call{SYS_pwritev2, "pwritev2()"},
    Call{SYS_open, "open()"},
    Call{SYS_openat, "open()"},
    Call{SYS_openat2, "openat2()"},
    Call{SYS_creat, "creat()"},
    Call{SYS_close, "close()"},
    Call{SYS_ioctl, "ioctl()"},
    Call{SYS_poll, "poll()"},
    Call{SYS_ppoll, "ppoll()"},
    Call{SYS_select, "select()"},
    Call{SYS_pselect6, "select() or pselect()"},
    Call{SYS_epoll_wait, "epoll_wait()"},
    Call{SYS_epoll_pwait, "epoll_pwait()"},
    Call{SYS_epoll_pwait2, "epoll_pwait2()"},
    Call{SYS_pause, "pause()"},
    Call{SYS_rt_sigsuspend, "sigsuspend()"},
    Call{SYS_rt_sigtimedwait, "sigwait(), sigwaitinfo() or sigtimedwait()"},
    Call{SYS_nanosleep, "nanosleep()"},
    Call{SYS_clock_nanosleep, "a sleep (clock_nanosleep())"},
    Call{SYS_restart_syscall, "a sleep or another call with a timeout"},  // after a stop of the process
    Call{SYS_semop, "semop()"},
    Call{SYS_semtimedop, "semop() or semtimedop()"},
    Call{SYS_msgrcv, "msgrcv()"},
    Call{SYS_msgsnd, "msgsnd()"},
    Call{SYS_mq_timedreceive, "mq_receive() or mq_timedreceive()"},
    Call{SYS_mq_timedsend, "mq_send() or mq_timedsend()"},
    Call{SYS_io_getevents, "io_getevents()"},
    Call{SYS_io_pgetevents, "io_pgetevents()"},
    Call{SYS_io_uring_enter, "io_uring_enter()"},
    Call{SYS_accept, "accept()"},
    Call{SYS_accept4, "accept4()"},
    Call{SYS_connect, "connect()"},
    Call{SYS_recvfrom, "recv() or recvfrom()"},
    Call{SYS_recvmsg, "recvmsg()"},
    Call{SYS_recvmmsg, "recvmmsg()"},
    Call{SYS_sendto, "send() or sendto()"},
    Call{SYS_sendmsg, "sendmsg()"},
    Call{SYS_sendmmsg, "sendmmsg()"},
    Call{SYS_sendfile, "sendfile()"},
    Call{SYS_splice, "splice()"},
    Call{SYS_tee, "tee()"},
    Call{SYS_vmsplice, "vmsplice()"},
    Call{SYS_copy_file_range, "copy_file_range()"},
    Call{SYS_flock, "flock()"},
    Call{SYS_fcntl, "fcntl() or lockf(), for a lock of a file"},
    Call{SYS_wait4, "wait(), waitpid() or system()"},
    Call{SYS_waitid, "waitid()"},
    Call{SYS_vfork, "vfork()"},
    Call{SYS_futex, "a std::mutex or something else of the system's that threads wait for (futex)"},
    Call{SYS_futex_waitv, "futex_waitv()"},
    Call{SYS_fsync, "fsync()"},
    Call{SYS_fdatasync, "fdatasync()"},
    Call{SYS_sync, "sync()"},
    Call{SYS_syncfs, "syncfs()"},
    Call{SYS_msync, "msync()"},
    Call{SYS_sync_file_range, "sync_file_range()"},
    Call{SYS_getrandom, "getrandom()"},
};

/// Reads the beginning of a file. Returns how much.
template <std::size_t Size>
std::string_view read_file(const char* path, std::array<char, Size>& room) {
  const long file = system_call(SYS_openat, AT_FDCWD, as_argument(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const long size = system_call(SYS_read, file, as_argument(room.data()), Size);
  system_call(SYS_close, file);
  return size <= 0 ? std::string_view{} : std::string_view(room.data(), static_cast<std::size_t>(size));
}

/// The path of the file in /proc that shows which system call the thread is in.
std::array<char, 64> path_of(pid_t thread) {
  constexpr std::string_view kBegin = "/proc/self/task/";
  constexpr std::string_view kEnd = "/syscall";
  std::array<char, 64> path{};
  char* at = std::copy(kBegin.begin(), kBegin.end(), path.data());
  char* const digits = at;
  for (pid_t rest = thread; rest != 0; rest /= 10) *at++ = static_cast<char>('0' + rest % 10);
  std::reverse(digits, at);
  std::copy(kEnd.begin(), kEnd.end(), at);
  return path;
}

}  // namespace

WhatThreadDoes what_thread_does(pid_t thread) {
  std::array<char, 256> room{};
  const std::string_view text = read_file(path_of(thread).data(), room);
  if (text.starts_with("running")) return {Activity::runs};
  if (text.starts_with("-"))
    return {Activity::runs};  // it waits outside of a call: for a page, or for nothing
  if (text.empty() || text[0] < '0' || text[0] > '9') return {};
  long number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    number = number * 10 + (c - '0');
  }
  return {Activity::waits, number};
}

std::chrono::nanoseconds own_time(
    pid_t thread, std::chrono::nanoseconds elapsed, std::chrono::nanoseconds used) {
  const bool may_be_starved = used.count() >= 0 && used < elapsed / 2;
  return may_be_starved && what_thread_does(thread).activity == Activity::runs ? used : elapsed;
}

bool is_process_traced() {
  std::array<char, 4096> room{};
  const std::string_view text = read_file("/proc/self/status", room);
  constexpr std::string_view kField = "TracerPid:\t";
  const std::size_t at = text.find(kField);
  return at != std::string_view::npos && text.substr(at + kField.size(), 1) != "0";
}

std::string_view name_of_call(long number) {
  const auto* const found =
      std::find_if(kCalls.begin(), kCalls.end(), [&](const Call& call) { return call.number == number; });
  return found != kCalls.end() ? found->name : "a call of the system";
}

}  // namespace hocket

#else

namespace hocket {

WhatThreadDoes what_thread_does(pid_t) {
  return {};
}
bool is_process_traced() {
  return false;
}
std::string_view name_of_call(long) {
  return "a call of the system";
}

}  // namespace hocket

#endif
