// Calls of the system in a body that is not instrumented: they wait in real time. The watchdog names those
// that nothing ends, and disturbs none that end by themselves. (deaths_test.cpp has what a report leaves
// behind.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/bodies.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/failure_of.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::Not;

// --- What calls work on. All of it is closed when the child process of a test ends.

std::array<int, 2> empty_pipe() {
  std::array<int, 2> ends{};
  check(pipe(ends.data()) == 0);
  return ends;
}
std::array<int, 2> socket_pair() {
  std::array<int, 2> ends{};
  // This program has variables that are called socketpair, send and recv (taken_names.cpp).
  check(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  return ends;
}
int full_pipe() {
  const int end = empty_pipe()[1];
  fcntl(end, F_SETFL, O_NONBLOCK);
  const std::array<char, 4096> bytes{};
  while (write(end, bytes.data(), bytes.size()) > 0) {
  }
  fcntl(end, F_SETFL, 0);
  return end;
}
int full_socket() {
  const int end = socket_pair()[0];
  fcntl(end, F_SETFL, O_NONBLOCK);
  const std::array<char, 4096> bytes{};
  while (write(end, bytes.data(), bytes.size()) > 0) {
  }
  fcntl(end, F_SETFL, 0);
  return end;
}
/// A socket that listens, with its address.
int listening_socket(sockaddr_in& address, int backlog) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  check(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener, backlog) == 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return listener;
}
int epoll_on_nothing() {
  return epoll_create1(0);
}
/// A file of which another process holds a lock. That process ends with this one.
int locked_file(bool is_whole) {
  std::string path = "/tmp/hocket-locked-XXXXXX";
  const int file = mkstemp(path.data());
  const std::array<int, 2> ready = empty_pipe();
  const pid_t parent = getpid();
  if (fork() == 0) {
    const int own = open(path.c_str(), O_RDWR);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    static_cast<void>(is_whole ? flock(own, LOCK_EX) : fcntl(own, F_SETLK, &lock));
    static_cast<void>(!write(ready[1], "x", 1));
    while (getppid() == parent) usleep(5000);
    _exit(0);
  }
  char byte = 0;
  static_cast<void>(!read(ready[0], &byte, 1));
  unlink(path.c_str());
  return file;
}
/// Removes what the system would keep, when the process of the test has ended.
void remove_after(const std::function<void()>& remove) {
  const pid_t parent = getpid();
  if (fork() != 0) return;
  while (getppid() == parent) usleep(5000);
  remove();
  _exit(0);
}
sigset_t one_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}
timespec after(std::chrono::nanoseconds time) {
  return {static_cast<time_t>(time / 1s), static_cast<long>((time % 1s).count())};
}

// --- Calls that nothing ends

struct Call {
  const char* name;
  const char* told;
  std::function<std::function<long()>()> prepare;  ///< outside of the body; returns what the body calls
};

void PrintTo(const Call& call, std::ostream* out) {
  *out << call.name;
}

std::function<long()> reading(const std::function<long(int)>& read_from) {
  const int end = empty_pipe()[0];
  return [=] { return read_from(end); };
}
std::function<long()> receiving(const std::function<long(int)>& receive_from) {
  const int end = socket_pair()[0];
  return [=] { return receive_from(end); };
}

char any_byte;
iovec one_byte{&any_byte, 1};

// clang-format off
const std::vector<Call> kCalls{
    {"Read",         "read()",         [] { return reading([](int end) { return read(end, &any_byte, 1); }); }},
    {"Readv",        "readv()",        [] { return reading([](int end) { return readv(end, &one_byte, 1); }); }},
    {"Write",        "write()",        [] { return [end = full_pipe()] { return write(end, &any_byte, 1); }; }},
    {"Writev",       "writev()",       [] { return [end = full_pipe()] { return writev(end, &one_byte, 1); }; }},
    {"Poll",         "poll()",         [] { return reading([](int end) { pollfd one{end, POLLIN, 0}; return poll(&one, 1, -1); }); }},
    {"Ppoll",        "ppoll()",        [] { return reading([](int end) { pollfd one{end, POLLIN, 0}; return ppoll(&one, 1, nullptr, nullptr); }); }},
    {"Select",       "select() or pselect()", [] { return reading([](int end) { fd_set set{}; FD_SET(end, &set); return select(end + 1, &set, nullptr, nullptr, nullptr); }); }},
    {"Pselect",      "select() or pselect()", [] { return reading([](int end) { fd_set set{}; FD_SET(end, &set); return pselect(end + 1, &set, nullptr, nullptr, nullptr, nullptr); }); }},
    {"EpollWait",    "epoll_wait()",   [] { return [set = epoll_on_nothing()] { epoll_event one{}; return epoll_wait(set, &one, 1, -1); }; }},
    {"EpollPwait",   "epoll_pwait()",  [] { return [set = epoll_on_nothing()] { epoll_event one{}; const sigset_t none{}; return epoll_pwait(set, &one, 1, -1, &none); }; }},
    {"EpollPwait2",  "epoll_pwait2()", [] { return [set = epoll_on_nothing()] { epoll_event one{}; return epoll_pwait2(set, &one, 1, nullptr, nullptr); }; }},
    {"Pause",        "pause()",        [] { return [] { return pause(); }; }},
    {"Sigsuspend",   "sigsuspend()",   [] { return [] { const sigset_t set = one_signal(); return sigsuspend(&set); }; }},
    {"Sigwait",      "sigwait(), sigwaitinfo() or sigtimedwait()", [] { return [] { const sigset_t set = one_signal(); int got = 0; return sigwait(&set, &got); }; }},
    {"Sigtimedwait", "sigwait(), sigwaitinfo() or sigtimedwait()", [] { return [] { const sigset_t set = one_signal(); const timespec hour = after(1h); return sigtimedwait(&set, nullptr, &hour); }; }},
    {"Nanosleep",    "a sleep (clock_nanosleep())", [] { return [] { const timespec hour = after(1h); return nanosleep(&hour, nullptr); }; }},
    {"Sleep",        "a sleep (clock_nanosleep())", [] { return [] { return sleep(3600); }; }},
    {"Semop",        "semop() or semtimedop()", [] {
      const int set = semget(IPC_PRIVATE, 1, 0600);
      remove_after([=] { semctl(set, 0, IPC_RMID); });
      return [=] { sembuf take{0, -1, 0}; return semop(set, &take, 1); };
    }},
    {"Msgrcv",       "msgrcv()",       [] {
      const int queue = msgget(IPC_PRIVATE, 0600);
      remove_after([=] { msgctl(queue, IPC_RMID, nullptr); });
      return [=] { std::array<long, 2> message{}; return msgrcv(queue, message.data(), 1, 0, 0); };
    }},
    {"Msgsnd",       "msgsnd()",       [] {
      const int queue = msgget(IPC_PRIVATE, 0600);
      remove_after([=] { msgctl(queue, IPC_RMID, nullptr); });
      static std::array<long, 128> message{1};
      while (msgsnd(queue, message.data(), 1000, IPC_NOWAIT) == 0) {
      }
      return [=] { return msgsnd(queue, message.data(), 1000, 0); };
    }},
    {"MqReceive",    "mq_receive() or mq_timedreceive()", [] {
      const std::string name = "/hocket-" + std::to_string(getpid());
      mq_attr attributes{};
      attributes.mq_maxmsg = attributes.mq_msgsize = 1;
      const mqd_t queue = mq_open(name.c_str(), O_RDWR | O_CREAT, 0600, &attributes);
      mq_unlink(name.c_str());
      return [=] { return mq_receive(queue, &any_byte, 1, nullptr); };
    }},
    {"IoGetevents",  "io_getevents()", [] {
      static aio_context_t context = 0;
      syscall(SYS_io_setup, 1, &context);
      return [] { io_event event{}; return syscall(SYS_io_getevents, context, 1, 1, &event, nullptr); };
    }},
    {"Accept",       "accept()",       [] {
      sockaddr_in address{};
      return [listener = listening_socket(address, 1)] { return accept(listener, nullptr, nullptr); };
    }},
    {"Accept4",      "accept4()",      [] {
      sockaddr_in address{};
      return [listener = listening_socket(address, 1)] { return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); };
    }},
    {"Connect",      "connect()",      [] {
      static sockaddr_in address{};
      listening_socket(address, 0);
      const int first = socket(AF_INET, SOCK_STREAM, 0);  // it fills the queue
      check(connect(first, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
      return [] { return connect(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<const sockaddr*>(&address), sizeof address); };
    }},
    {"Recvfrom",     "recv() or recvfrom()", [] { return receiving([](int end) { return recvfrom(end, &any_byte, 1, 0, nullptr, nullptr); }); }},
    {"Recvmsg",      "recvmsg()",      [] { return receiving([](int end) { msghdr message{}; message.msg_iov = &one_byte; message.msg_iovlen = 1; return recvmsg(end, &message, 0); }); }},
    {"Sendto",       "send() or sendto()", [] { return [end = full_socket()] { return sendto(end, &any_byte, 1, 0, nullptr, 0); }; }},
    {"Sendmsg",      "sendmsg()",      [] { return [end = full_socket()] { msghdr message{}; message.msg_iov = &one_byte; message.msg_iovlen = 1; return sendmsg(end, &message, 0); }; }},
    {"Splice",       "splice()",       [] { return [from = empty_pipe()[0], to = empty_pipe()[1]] { return splice(from, nullptr, to, nullptr, 1, 0); }; }},
    {"Flock",        "flock()",        [] { return [file = locked_file(true)] { return flock(file, LOCK_EX); }; }},
    {"Fcntl",        "fcntl() or lockf(), for a lock of a file", [] { return [file = locked_file(false)] { struct flock lock {}; lock.l_type = F_WRLCK; return fcntl(file, F_SETLKW, &lock); }; }},
    {"Lockf",        "fcntl() or lockf(), for a lock of a file", [] { return [file = locked_file(false)] { return lockf(file, F_LOCK, 0); }; }},
    {"OpenOfFifo",   "open()",         [] {
      const std::string path = "/tmp/hocket-fifo-" + std::to_string(getpid());
      mkfifo(path.c_str(), 0600);
      remove_after([=] { unlink(path.c_str()); });
      return [=] { return open(path.c_str(), O_RDONLY); };
    }},
    {"Waitpid",      "wait(), waitpid() or system()", [] {
      const pid_t parent = getpid();
      const pid_t child = fork();
      while (child == 0 && getppid() == parent) usleep(5000);
      if (child == 0) _exit(0);
      return [=] { return waitpid(child, nullptr, 0); };
    }},
    {"Waitid",       "waitid()",       [] {
      const pid_t parent = getpid();
      const pid_t child = fork();
      while (child == 0 && getppid() == parent) usleep(5000);
      if (child == 0) _exit(0);
      return [=] { siginfo_t info{}; return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED); };
    }},
};
// clang-format on

/// Lets the parent of the process that searches know that a call is about to be made.
class Announcement {
 public:
  void make() const { static_cast<void>(!write(ends_[1], "x", 1)); }
  /// Returns when the call has very likely been made, or the process has ended.
  void await() const {
    close(ends_[1]);
    char byte = 0;
    static_cast<void>(!read(ends_[0], &byte, 1));
    usleep(20'000);
  }

 private:
  std::array<int, 2> ends_ = empty_pipe();
};

ChildEnd end_of(const std::function<std::function<long()>()>& prepare, const Options& options,
    const std::function<void(pid_t)>& meanwhile = nullptr) {
  return in_child(
      [&] {
        const std::function<long()> call = prepare();
        const Report report = explore(
            "blocked",
            [&] {
              atomic<int> x{0};
              in_parallel([&] { x.store(1); },
                  [&] {
                    if (x.load() == 1) call();
                  });
            },
            options);
        std::printf("stopped by %s\n", report.stopped_by.c_str());
      },
      meanwhile);
}

Options impatiently(std::chrono::nanoseconds limit = 60ms) {
  Options options = quietly();
  options.watchdog = limit;
  return options;
}

class ACallThatNothingEnds : public ::testing::TestWithParam<Call> {};

TEST_P(ACallThatNothingEnds, IsToldOfByItsName) {
  const Call& call = GetParam();
  const ChildEnd end = end_of(
      [&] {
        setenv("PATH", "", 1);  // the place is looked up by a program that takes its time
        return call.prepare();
      },
      impatiently());
  EXPECT_TRUE(end.exited_with(1)) << end.status << end.output;
  EXPECT_THAT(
      end.output, HasSubstr("hocket: thread 2 has run for 60 ms without reaching an operation: it waits in " +
                            std::string(call.told) + ", which"));
}

INSTANTIATE_TEST_SUITE_P(All, ACallThatNothingEnds, ::testing::ValuesIn(kCalls), RowName());

[[gnu::noinline]] long wait_in_epoll() {
  epoll_event one{};
  return epoll_wait(epoll_on_nothing(), &one, 1, -1);
}

TEST(ACallThatNothingEnds, IsToldOfWithItsPlace) {
  const ChildEnd end = end_of([] { return [] { return wait_in_epoll(); }; }, impatiently(200ms));
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("It is here, called from the lines below:\n  blocking_calls_test.cpp:"));
  EXPECT_THAT(end.output, HasSubstr("wait_in_epoll"));
}

/// What the loops of asio and libuv do.
long wait_again_whenever_interrupted() {
  epoll_event one{};
  const int set = epoll_on_nothing();
  long result = 0;
  do {
    result = epoll_wait(set, &one, 1, -1);
  } while (result < 0 && errno == EINTR);
  return result;
}

TEST(ALoopThatWaitsAgainWheneverItIsInterrupted, IsToldOf) {
  const ChildEnd end = end_of([] { return &wait_again_whenever_interrupted; }, impatiently());
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("it waits in epoll_wait()"));
}

TEST(TwoThreadsThatPollEachOthersPipe, AreToldOfAndDoNotPass) {
  const ChildEnd end = in_child([] {
    const std::array<int, 2> a = empty_pipe();
    const std::array<int, 2> b = empty_pipe();
    const auto await_and_answer = [](int from, int to) {
      pollfd one{from, POLLIN, 0};
      poll(&one, 1, -1);
      static_cast<void>(!write(to, "x", 1));
    };
    explore(
        "both wait",
        [&] { in_parallel([&] { await_and_answer(a[0], b[1]); }, [&] { await_and_answer(b[0], a[1]); }); },
        impatiently());
  });
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("hocket: thread 1 has run"));
  EXPECT_THAT(end.output, HasSubstr("it waits in poll()"));
}

// --- Signals that the body blocks, or handles

TEST(ACallThatNothingEnds, IsToldOfWhereTheBodyBlocksAllSignals) {
  const ChildEnd end = end_of(
      [] {
        return [] {
          sigset_t all;
          sigfillset(&all);
          sigprocmask(SIG_SETMASK, &all, nullptr);
          return wait_in_epoll();
        };
      },
      impatiently());
  EXPECT_TRUE(end.exited_with(1)) << end.status << end.output;
  EXPECT_THAT(end.output, HasSubstr("it waits in epoll_wait()"));
}

TEST(ACallThatNothingEnds, IsToldOfWhereTheBodyHandlesTheWatchdogsSignal) {
  const ChildEnd end = end_of(
      [] {
        return [] {
          signal(SIGURG, [](int) { std::puts("disturbed"); });
          return wait_in_epoll();
        };
      },
      impatiently());
  EXPECT_TRUE(end.exited_with(1)) << end.status << end.output;
  EXPECT_THAT(end.output, HasSubstr("it waits in epoll_wait()"));
  EXPECT_THAT(end.output, Not(HasSubstr("disturbed")));
}

// --- Calls that end by themselves. The watchdog looks at them several times meanwhile.

struct Healthy {
  const char* name;
  std::function<std::function<long()>()> prepare;
  long result;
  int error;  ///< that it leaves, if the result is -1
};

void PrintTo(const Healthy& call, std::ostream* out) {
  *out << call.name;
}

constexpr std::chrono::milliseconds kTime = 50ms;
constexpr timespec kTimespec{0, 50'000'000};
timeval timeval_of_time() {
  return {0, 50'000};
}

// clang-format off
const std::vector<Healthy> kHealthy{
    {"Poll",       [] { return reading([](int end) { pollfd one{end, POLLIN, 0}; return poll(&one, 1, 50); }); }, 0, 0},
    {"Ppoll",      [] { return reading([](int end) { pollfd one{end, POLLIN, 0}; return ppoll(&one, 1, &kTimespec, nullptr); }); }, 0, 0},
    {"Select",     [] { return [] { timeval time = timeval_of_time(); return select(0, nullptr, nullptr, nullptr, &time); }; }, 0, 0},
    {"Pselect",    [] { return [] { return pselect(0, nullptr, nullptr, nullptr, &kTimespec, nullptr); }; }, 0, 0},
    {"EpollWait",  [] { return [set = epoll_on_nothing()] { epoll_event one{}; return epoll_wait(set, &one, 1, 50); }; }, 0, 0},
    {"EpollPwait", [] { return [set = epoll_on_nothing()] { epoll_event one{}; const sigset_t none{}; return epoll_pwait(set, &one, 1, 50, &none); }; }, 0, 0},
    {"Nanosleep",  [] { return [] { return nanosleep(&kTimespec, nullptr); }; }, 0, 0},
    {"Usleep",     [] { return [] { return usleep(50'000); }; }, 0, 0},
    {"Sigtimedwait", [] { return [] { const sigset_t set = one_signal(); return sigtimedwait(&set, nullptr, &kTimespec); }; }, -1, EAGAIN},
    {"Semtimedop", [] {
      const int set = semget(IPC_PRIVATE, 1, 0600);
      remove_after([=] { semctl(set, 0, IPC_RMID); });
      return [=] { sembuf take{0, -1, 0}; return semtimedop(set, &take, 1, &kTimespec); };
    }, -1, EAGAIN},
    {"RecvWithATimeout", [] {
      const int end = socket_pair()[0];
      const timeval time{0, 60'000};  // it is counted in ticks of the system, and may end a tick early: 10 ms
      setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
      return [=] { return recvfrom(end, &any_byte, 1, 0, nullptr, nullptr); };
    }, -1, EAGAIN},
};
// clang-format on

/// The body makes the call once, alone, and prints if it did not end rightly.
ChildEnd end_of_healthy(
    const Healthy& healthy, const Options& options, int signal = 0, bool has_had_threads = false) {
  const Announcement announcement;
  return in_child(
      [&] {
        if (has_had_threads) std::thread([] {}).join();
        const std::function<long()> call = healthy.prepare();
        const Report report = explore(
            "healthy",
            [&] {
              choose(2);
              announcement.make();
              const steady_clock::time_point begin = steady_clock::now();
              errno = 0;
              const long result = call();
              const bool has_waited = steady_clock::now() - begin >= kTime - 5ms;
              check(result == healthy.result && errno == healthy.error && has_waited,
                  "it returned " + std::to_string(result) + ", " + std::strerror(errno));
            },
            options);
        std::printf("%s %s %s\n", to_string(report.verdict).data(), report.stopped_by.c_str(),
            report.failures.empty() ? "" : report.failures[0].message.c_str());
      },
      [&](pid_t child) {
        if (signal == 0) return;
        announcement.await();
        kill(child, signal);
      });
}

class ACallThatEndsByItself : public ::testing::TestWithParam<Healthy> {};

TEST_P(ACallThatEndsByItself, IsNotDisturbed) {
  Options options = impatiently(200ms);  // the watchdog looks every 50 ms
  options.max_executions = 1;
  const ChildEnd end = end_of_healthy(GetParam(), options);
  EXPECT_TRUE(end.exited_with(0)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("stopped the limit of 1 executions"));
}

TEST_P(ACallThatEndsByItself, IsNotDisturbedByASignalThatEndsTheSearch) {
  const ChildEnd end = end_of_healthy(GetParam(), impatiently(3s), SIGTERM);
  EXPECT_TRUE(end.exited_with(0)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("stopped SIGTERM"));
}

// There libc makes its calls by other code.
TEST_P(ACallThatEndsByItself, IsNotDisturbedByASignalWhereTheProcessHasHadThreads) {
  const ChildEnd end = end_of_healthy(GetParam(), impatiently(3s), SIGTERM, true);
  EXPECT_TRUE(end.exited_with(0)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("stopped SIGTERM"));
}

INSTANTIATE_TEST_SUITE_P(All, ACallThatEndsByItself, ::testing::ValuesIn(kHealthy), RowName());

/// The loop of an event loop that looks at something in each round.
TEST(ALoopThatWaitsInEachRound, IsToldOfOnceAndPasses) {
  const ChildEnd end = in_child([] {
    Options options = impatiently(200ms);
    options.max_executions = 1;
    const Report report = explore(
        "rounds",
        [] {
          atomic<int> rounds{0};
          while (rounds.fetch_add(1) < 8) poll(nullptr, 0, 50);
        },
        options);
    std::printf("%s\n", to_string(report.verdict).data());
  });
  EXPECT_TRUE(end.exited_with(0)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("waits again and again in poll(): such waits take real time"));
  EXPECT_EQ(end.output.find("hocket: "), end.output.rfind("hocket: ")) << end.output;
  EXPECT_THAT(end.output, HasSubstr("passed"));
}

// --- Signals that end the search

/// The search makes a call that nothing ends, and is sent the signals one after the other.
ChildEnd end_by_signals(const Options& options, const std::vector<int>& signals) {
  const Announcement announcement;
  const auto prepare = [&] {
    return [&] {
      announcement.make();
      return wait_again_whenever_interrupted();
    };
  };
  return end_of(prepare, options, [&](pid_t child) {
    announcement.await();
    for (const int signal : signals) {
      kill(child, signal);
      usleep(150'000);  // what comes at once counts as the same
    }
  });
}

TEST(ASignalThatEndsTheSearch, IsFollowedByTheReportOfACallThatNothingEnds) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const ChildEnd end = end_by_signals(impatiently(200ms), {signal});
    EXPECT_TRUE(end.exited_with(1)) << end.status;
    EXPECT_THAT(end.output, HasSubstr("it waits in epoll_wait()"));
  }
}

TEST(ASecondSignalThatEndsTheSearch, EndsTheProcessAtOnceWhicheverItIs) {
  for (const int second : {SIGINT, SIGTERM, SIGHUP}) {
    const ChildEnd end = end_by_signals(quietly(), {SIGTERM, second});
    EXPECT_TRUE(end.died_of(second)) << end.status << end.output;
  }
}

}  // namespace

}  // namespace hocket::test
