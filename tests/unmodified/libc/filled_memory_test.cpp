// Memory from before the search into which the system itself writes, in some executions only.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

// Large enough for its pages to be read-only until an execution writes to them.
constexpr std::size_t kSizeOfMemory = std::size_t{1} << 20U;
alignas(4096) std::array<std::byte, kSizeOfMemory> memory;

/// Part of the memory, which no other call uses.
template <class T>
T* fresh(std::size_t page) {
  return reinterpret_cast<T*>(&memory.at(page * 4096));
}

struct File {
  int number = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  File() = default;
  ~File() { close(number); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

struct Socket {
  int number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  Socket() = default;
  ~Socket() { close(number); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
};

bool closed(const int* ends) {
  return close(ends[0]) == 0 && close(ends[1]) == 0;
}

pid_t ended_child() {
  pid_t child = 0;
  std::string program = "/bin/true";
  std::array<char*, 2> arguments{program.data(), nullptr};
  check(posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) == 0);
  return child;
}

/// A call that has the system write to the given page of the memory, and returns whether it has succeeded.
struct Call {
  const char* function;
  bool (*succeeds)(std::size_t page);
};

const std::array kCalls{
    Call{"pread", [](std::size_t p) { return pread(File().number, fresh<char>(p), 8000, 0) > 0; }},
    Call{"preadv",
        [](std::size_t p) {
          const iovec part{fresh<char>(p), 8000};
          return preadv(File().number, &part, 1, 0) > 0;
        }},
    Call{"readlink", [](std::size_t p) { return readlink("/proc/self/exe", fresh<char>(p), 4096) > 0; }},
    Call{"readlinkat",
        [](std::size_t p) { return readlinkat(AT_FDCWD, "/proc/self/exe", fresh<char>(p), 4096) > 0; }},
    Call{"getcwd", [](std::size_t p) { return getcwd(fresh<char>(p), 4096) != nullptr; }},
    Call{"stat", [](std::size_t p) { return stat("/", fresh<struct stat>(p)) == 0; }},
    Call{"lstat", [](std::size_t p) { return lstat("/", fresh<struct stat>(p)) == 0; }},
    Call{"fstat", [](std::size_t p) { return fstat(0, fresh<struct stat>(p)) == 0; }},
    Call{"fstatat", [](std::size_t p) { return fstatat(AT_FDCWD, "/", fresh<struct stat>(p), 0) == 0; }},
    Call{"statx",
        [](std::size_t p) { return statx(AT_FDCWD, "/", 0, STATX_SIZE, fresh<struct statx>(p)) == 0; }},
    Call{"statfs", [](std::size_t p) { return statfs("/", fresh<struct statfs>(p)) == 0; }},
    Call{"fstatfs", [](std::size_t p) { return fstatfs(File().number, fresh<struct statfs>(p)) == 0; }},
    Call{"listxattr",
        [](std::size_t p) { return listxattr("/", fresh<char>(p), 4096) >= 0 || errno != EFAULT; }},
    Call{"getxattr",
        [](std::size_t p) { return getxattr("/", "user.no", fresh<char>(p), 64) >= 0 || errno != EFAULT; }},
    Call{"ioctl", [](std::size_t p) { return ioctl(Socket().number, FIONREAD, fresh<int>(p)) == 0; }},
    Call{"pipe", [](std::size_t p) { return pipe(fresh<int>(p)) == 0 && closed(fresh<int>(p)); }},
    Call{
        "pipe2", [](std::size_t p) { return pipe2(fresh<int>(p), O_CLOEXEC) == 0 && closed(fresh<int>(p)); }},
    Call{"socketpair",
        [](std::size_t p) {
          return socketpair(AF_UNIX, SOCK_STREAM, 0, fresh<int>(p)) == 0 && closed(fresh<int>(p));
        }},
    Call{"getsockname",
        [](std::size_t p) {
          socklen_t room = sizeof(sockaddr_un);
          return getsockname(Socket().number, fresh<sockaddr>(p), &room) == 0;
        }},
    Call{"getsockopt",
        [](std::size_t p) {
          socklen_t room = sizeof(int);
          return getsockopt(Socket().number, SOL_SOCKET, SO_TYPE, fresh<int>(p), &room) == 0;
        }},
    Call{"getrandom", [](std::size_t p) { return getrandom(fresh<char>(p), 100, 0) == 100; }},
    Call{"getentropy", [](std::size_t p) { return getentropy(fresh<char>(p), 100) == 0; }},
    Call{"uname", [](std::size_t p) { return uname(fresh<utsname>(p)) == 0; }},
    Call{"sysinfo", [](std::size_t p) { return sysinfo(fresh<struct sysinfo>(p)) == 0; }},
    Call{"times", [](std::size_t p) { return times(fresh<tms>(p)) != -1; }},
    Call{"getrusage", [](std::size_t p) { return getrusage(RUSAGE_SELF, fresh<rusage>(p)) == 0; }},
    Call{"getrlimit", [](std::size_t p) { return getrlimit(RLIMIT_CORE, fresh<rlimit>(p)) == 0; }},
    Call{"prlimit", [](std::size_t p) { return prlimit(0, RLIMIT_CORE, nullptr, fresh<rlimit>(p)) == 0; }},
    Call{"getgroups", [](std::size_t p) { return getgroups(1000, fresh<gid_t>(p)) >= 0; }},
    Call{"getresuid",
        [](std::size_t p) {
          return getresuid(fresh<uid_t>(p), fresh<uid_t>(p) + 1, fresh<uid_t>(p) + 2) == 0;
        }},
    Call{"getresgid",
        [](std::size_t p) {
          return getresgid(fresh<gid_t>(p), fresh<gid_t>(p) + 1, fresh<gid_t>(p) + 2) == 0;
        }},
    Call{"sched_getaffinity",
        [](std::size_t p) { return sched_getaffinity(0, sizeof(cpu_set_t), fresh<cpu_set_t>(p)) == 0; }},
    Call{"sched_getparam", [](std::size_t p) { return sched_getparam(0, fresh<sched_param>(p)) == 0; }},
    Call{"sched_rr_get_interval",
        [](std::size_t p) { return sched_rr_get_interval(0, fresh<timespec>(p)) == 0; }},
    Call{"clock_getres",
        [](std::size_t p) { return clock_getres(CLOCK_THREAD_CPUTIME_ID, fresh<timespec>(p)) == 0; }},
    Call{"getitimer", [](std::size_t p) { return getitimer(ITIMER_REAL, fresh<itimerval>(p)) == 0; }},
    Call{"mincore", [](std::size_t p) { return mincore(memory.data(), 4096, fresh<unsigned char>(p)) == 0; }},
    Call{"waitpid",
        [](std::size_t p) {
          const pid_t child = ended_child();
          return waitpid(child, fresh<int>(p), 0) == child;
        }},
    Call{"waitid",
        [](std::size_t p) {
          const pid_t child = ended_child();
          return waitid(P_PID, static_cast<id_t>(child), fresh<siginfo_t>(p), WEXITED) == 0;
        }},
    Call{"wait4",
        [](std::size_t p) {
          const pid_t child = ended_child();
          return wait4(child, fresh<int>(p), 0, fresh<rusage>(p) + 1) == child;
        }},
    Call{"syscall",
        [](std::size_t p) { return syscall(SYS_pread64, File().number, fresh<char>(p), 8000, 0) > 0; }},
};

TEST(TheSystem, WritesIntoMemoryThatNoExecutionHasWrittenSoFar) {
  constexpr std::size_t kApart = 4;  // pages
  static_assert(kCalls.size() * kApart * 4096 <= kSizeOfMemory);
  const Report report = explored([] {
    std::atomic<int> turn{0};
    std::thread other([&] { turn = 1; });
    // Not in the first execution, which the search repeats with the pages read-only: it changes nothing here.
    const bool comes_late = turn == 1;
    for (std::size_t n = 0; comes_late && n < kCalls.size(); ++n)
      check(kCalls[n].succeeds(n * kApart), std::string(kCalls[n].function) + ": " + std::strerror(errno));
    other.join();
  });
  EXPECT_EQ(report.executions, 2U) << report;
}

}  // namespace

}  // namespace unmodified
