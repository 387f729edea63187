// What functions of libc write for their callers through a pointer is a write of the caller: another thread
// that reads it at the same time makes a data race.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <functional>

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::results {

namespace {

/// Room for what each call writes.
struct alignas(64) Room {
  std::array<std::byte, 512> bytes{};
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(bytes.data());
  }
};

/// A pair of sockets, from whose first a byte can be read.
struct Pair {
  std::array<int, 2> ends{};
  Pair() {
    check(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends.data()) == 0);
    check(send(ends[1], "xyz", 3, 0) == 3);
  }
  ~Pair() {
    close(ends[0]);
    close(ends[1]);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
};
struct Timer {
  int number = timerfd_create(CLOCK_MONOTONIC, 0);
  Timer() = default;
  ~Timer() { close(number); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
};
sigset_t usr1() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}
/// Sends the running thread a signal that it can wait for.
sigset_t sent_usr1() {
  const sigset_t set = usr1();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  raise(SIGUSR1);
  return set;
}

/// A call that writes to the beginning of the room, and returns whether it has succeeded.
struct Call {
  const char* function;
  bool (*succeeds)(Room& room);
};

const std::array kCalls{
    Call{"clock_gettime", [](Room& to) { return clock_gettime(CLOCK_MONOTONIC, to.as<timespec>()) == 0; }},
    Call{"gettimeofday", [](Room& to) { return gettimeofday(to.as<timeval>(), nullptr) == 0; }},
    Call{"time", [](Room& to) { return time(to.as<time_t>()) > 0; }},
    Call{"timespec_get", [](Room& to) { return timespec_get(to.as<timespec>(), TIME_UTC) == TIME_UTC; }},
    Call{"clock_getres", [](Room& to) { return clock_getres(CLOCK_MONOTONIC, to.as<timespec>()) == 0; }},
    Call{"sem_getvalue",
        [](Room& to) {
          sem_t semaphore;
          sem_init(&semaphore, 0, 1);
          const bool succeeds = sem_getvalue(&semaphore, to.as<int>()) == 0;
          sem_destroy(&semaphore);
          return succeeds;
        }},
    Call{"sigwait",
        [](Room& to) {
          const sigset_t set = sent_usr1();
          return sigwait(&set, to.as<int>()) == 0;
        }},
    Call{"sigwaitinfo",
        [](Room& to) {
          const sigset_t set = sent_usr1();
          return sigwaitinfo(&set, to.as<siginfo_t>()) == SIGUSR1;
        }},
    Call{"pthread_sigmask",
        [](Room& to) { return pthread_sigmask(SIG_BLOCK, nullptr, to.as<sigset_t>()) == 0; }},
    Call{"sigpending", [](Room& to) { return sigpending(to.as<sigset_t>()) == 0; }},
    Call{"pipe",
        [](Room& to) {
          const bool succeeds = pipe(to.as<int>()) == 0;
          close(to.as<int>()[0]);
          close(to.as<int>()[1]);
          return succeeds;
        }},
    Call{"socketpair",
        [](Room& to) {
          const bool succeeds = socketpair(AF_UNIX, SOCK_STREAM, 0, to.as<int>()) == 0;
          close(to.as<int>()[0]);
          close(to.as<int>()[1]);
          return succeeds;
        }},
    Call{"read", [](Room& to) { return read(Pair().ends[0], to.as<char>(), 3) == 3; }},
    Call{"readv",
        [](Room& to) {
          const iovec part{to.as<char>(), 3};
          return readv(Pair().ends[0], &part, 1) == 3;
        }},
    Call{"recv", [](Room& to) { return recv(Pair().ends[0], to.as<char>(), 3, 0) == 3; }},
    Call{"recvfrom",
        [](Room& to) {
          socklen_t room = sizeof(sockaddr_un);
          const Pair pair;
          sockaddr_un name{};
          name.sun_family = AF_UNIX;
          return recvfrom(pair.ends[0], to.as<char>(), 3, 0, reinterpret_cast<sockaddr*>(&name), &room) == 3;
        }},
    Call{"recvmsg",
        [](Room& to) {
          iovec part{to.as<char>(), 3};
          msghdr message{};
          message.msg_iov = &part;
          message.msg_iovlen = 1;
          return recvmsg(Pair().ends[0], &message, 0) == 3;
        }},
    Call{"accept",
        [](Room& to) {
          sockaddr_un name{};
          name.sun_family = AF_UNIX;
          socklen_t size = sizeof(sa_family_t);
          const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
          check(bind(listening, reinterpret_cast<sockaddr*>(&name), size) == 0 && listen(listening, 1) == 0);
          size = sizeof name;
          check(getsockname(listening, reinterpret_cast<sockaddr*>(&name), &size) == 0);
          const int client = socket(AF_UNIX, SOCK_STREAM, 0);
          check(connect(client, reinterpret_cast<sockaddr*>(&name), size) == 0);
          size = sizeof name;
          const int server = accept(listening, to.as<sockaddr>(), &size);
          for (const int one : {listening, client, server}) close(one);
          return server >= 0;
        }},
    Call{"getsockname",
        [](Room& to) {
          socklen_t room = sizeof(sockaddr_un);
          return getsockname(Pair().ends[0], to.as<sockaddr>(), &room) == 0;
        }},
    Call{"getsockopt",
        [](Room& to) {
          socklen_t room = sizeof(int);
          return getsockopt(Pair().ends[0], SOL_SOCKET, SO_TYPE, to.as<int>(), &room) == 0;
        }},
    Call{"ioctl", [](Room& to) { return ioctl(Pair().ends[0], FIONREAD, to.as<int>()) == 0; }},
    Call{"select",
        [](Room& to) {
          const Pair pair;
          FD_SET(pair.ends[0], to.as<fd_set>());
          return select(pair.ends[0] + 1, to.as<fd_set>(), nullptr, nullptr, nullptr) == 1;
        }},
    Call{"epoll_wait",
        [](Room& to) {
          const Pair pair;
          const int epoll = epoll_create1(0);
          epoll_event wanted{};
          wanted.events = EPOLLIN;
          epoll_ctl(epoll, EPOLL_CTL_ADD, pair.ends[0], &wanted);
          const bool succeeds = epoll_wait(epoll, to.as<epoll_event>(), 1, -1) == 1;
          close(epoll);
          return succeeds;
        }},
    Call{"timerfd_gettime",
        [](Room& to) { return timerfd_gettime(Timer().number, to.as<itimerspec>()) == 0; }},
    Call{"timerfd_settime",
        [](Room& to) {
          const itimerspec never{};
          return timerfd_settime(Timer().number, 0, &never, to.as<itimerspec>()) == 0;
        }},
    Call{"fstat", [](Room& to) { return fstat(Pair().ends[0], to.as<struct stat>()) == 0; }},
    Call{"stat", [](Room& to) { return stat("/", to.as<struct stat>()) == 0; }},
    Call{"getcwd", [](Room& to) { return getcwd(to.as<char>(), 512) != nullptr; }},
    Call{"readlink", [](Room& to) { return readlink("/proc/self/exe", to.as<char>(), 512) > 0; }},
    Call{"getrlimit", [](Room& to) { return getrlimit(RLIMIT_CORE, to.as<rlimit>()) == 0; }},
    Call{"uname", [](Room& to) { return uname(to.as<utsname>()) == 0; }},
    Call{"pthread_join",
        [](Room& to) {
          pthread_t other{};
          pthread_create(
              &other, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
          return pthread_join(other, to.as<void*>()) == 0;
        }},
};

/// The calls of two threads, each with its own room or with the same.
Report in_two_threads(
    const std::function<void(Room&)>& one, const std::function<void(Room&)>& other, bool share) {
  return report_of({.strategy = "icb", .max_preemptions = 0, .save_schedules = false}, [&] {
    std::array<Room, 2> rooms;
    in_parallel([&] { one(rooms[0]); }, [&] { other(rooms[share ? 0 : 1]); });
  });
}

TEST(AResultOfACallOfLibc, IsAWriteOfItsCaller) {
  for (const Call& call : kCalls) {
    SCOPED_TRACE(call.function);
    const auto made = [&call](Room& room) { check(call.succeeds(room), call.function); };
    const auto read = [](Room& room) {
      volatile char seen = *room.as<char>();
      static_cast<void>(seen);
    };
    const Report racing = in_two_threads(made, read, true);
    ASSERT_EQ(racing.failures.size(), 1U) << racing;
    EXPECT_EQ(racing.failures.front().kind, FailureKind::data_race) << racing;
    EXPECT_FALSE(in_two_threads(made, made, false).failed());
  }
}

TEST(TheEventsThatPollReturns, AreWritesOfItsCaller) {
  const auto poll_pipe = [](Room& room) {
    const Pair pair;
    *room.as<pollfd>() = {pair.ends[0], POLLIN, 0};
    check(poll(room.as<pollfd>(), 1, -1) == 1);
  };
  const auto read_events = [](Room& room) { check(room.as<pollfd>()->revents >= 0); };
  EXPECT_TRUE(in_two_threads(poll_pipe, read_events, true).failed());
  EXPECT_FALSE(in_two_threads(poll_pipe, poll_pipe, false).failed());
}

}  // namespace

}  // namespace unmodified::results
