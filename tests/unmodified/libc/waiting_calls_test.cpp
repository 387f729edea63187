// Calls that wait for what another thread of the body does to a pipe, a socket, a lock of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/child_process.hpp"
#include "tests/support/folder.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::FailureKind;
using ::testing::HasSubstr;

/// Two descriptors, which are closed at the end.
class Ends {
 public:
  enum class Of { pipe, sockets };
  explicit Ends(Of what = Of::pipe) {
    check((what == Of::pipe ? ::pipe(ends_.data()) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data())) == 0);
  }
  ~Ends() {
    for (const int end : ends_) close(end);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  [[nodiscard]] int to_read() const { return ends_[0]; }
  [[nodiscard]] int to_write() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

void give(int descriptor) {
  check(write(descriptor, "x", 1) == 1, "there is room");
}
char take(int descriptor) {
  char byte = 0;
  check(read(descriptor, &byte, 1) == 1, "a byte comes");
  return byte;
}

/// A way to wait until something can be read. Returns whether that is so.
struct Wait {
  const char* function;
  bool (*ends)(int descriptor, int milliseconds);
};

bool epoll_says(int epoll, int descriptor, const std::function<int(epoll_event*)>& wait) {
  epoll_event event{};
  event.events = EPOLLIN;
  check(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0);
  const int found = wait(&event);
  close(epoll);
  check(found >= 0, "it is not interrupted");
  return found == 1;
}

fd_set set_of(int descriptor) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(descriptor, &set);
  return set;
}

timespec timespec_of(int milliseconds) {
  return {milliseconds / 1000, milliseconds % 1000 * 1'000'000};
}

const std::array kWaits{
    Wait{"poll",
        [](int descriptor, int milliseconds) {
          pollfd one{descriptor, POLLIN, 0};
          return poll(&one, 1, milliseconds) == 1 && one.revents == POLLIN;
        }},
    Wait{"ppoll",
        [](int descriptor, int milliseconds) {
          pollfd one{descriptor, POLLIN, 0};
          const timespec time = timespec_of(milliseconds);
          return ppoll(&one, 1, milliseconds < 0 ? nullptr : &time, nullptr) == 1;
        }},
    Wait{"select",
        [](int descriptor, int milliseconds) {
          fd_set set = set_of(descriptor);
          timeval time{milliseconds / 1000, milliseconds % 1000 * 1000};
          const int found =
              select(descriptor + 1, &set, nullptr, nullptr, milliseconds < 0 ? nullptr : &time);
          check(found == (FD_ISSET(descriptor, &set) ? 1 : 0));
          return found == 1;
        }},
    Wait{"pselect",
        [](int descriptor, int milliseconds) {
          fd_set set = set_of(descriptor);
          const timespec time = timespec_of(milliseconds);
          return pselect(descriptor + 1, &set, nullptr, nullptr, milliseconds < 0 ? nullptr : &time,
                     nullptr) == 1;
        }},
    Wait{"epoll_wait",
        [](int descriptor, int milliseconds) {
          const int epoll = epoll_create1(0);
          return epoll_says(epoll, descriptor,
              [&](epoll_event* event) { return epoll_wait(epoll, event, 1, milliseconds); });
        }},
    Wait{"epoll_pwait",
        [](int descriptor, int milliseconds) {
          const int epoll = epoll_create1(0);
          return epoll_says(epoll, descriptor,
              [&](epoll_event* event) { return epoll_pwait(epoll, event, 1, milliseconds, nullptr); });
        }},
};

TEST(ACallThatWaitsForAFile, EndsWhenAnotherThreadHasWritten) {
  for (const Wait& wait : kWaits) {
    SCOPED_TRACE(wait.function);
    explored([&] {
      const Ends ends;
      std::thread reader([&] { check(wait.ends(ends.to_read(), -1), "it came"); });
      give(ends.to_write());
      reader.join();
    });
  }
}

TEST(ACallThatWaitsForAFile, IsADeadlockIfNobodyWrites) {
  for (const Wait& wait : kWaits) {
    SCOPED_TRACE(wait.function);
    const auto body = [&] {
      const Ends ends;
      std::thread([&] { wait.ends(ends.to_read(), -1); }).join();
    };
    expect_failure(FailureKind::deadlock, 0,
        std::string("thread 1 waits in ") + wait.function +
            "() for something that another thread or process has to do since step ",
        body);
  }
}

TEST(ACallThatWaitsForAFile, MayExpireBeforeAnotherThreadWritesOrNot) {
  for (const Wait& wait : kWaits) {
    SCOPED_TRACE(wait.function);
    const std::set<unsigned> outcomes = outcomes_of([&] {
      const Ends ends;
      unsigned outcome = 0;
      std::thread reader([&] { outcome = wait.ends(ends.to_read(), 50) ? 1 : 2; });
      give(ends.to_write());
      reader.join();
      return outcome;
    });
    EXPECT_EQ(outcomes, (std::set<unsigned>{1, 2}));
  }
}

TEST(ACallThatLooksAtAFile, FindsWhatTheOrderOfThreadsSays) {
  for (const Wait& wait : kWaits) {
    SCOPED_TRACE(wait.function);
    const std::set<unsigned> outcomes = outcomes_of([&] {
      const Ends ends;
      unsigned outcome = 0;
      std::thread reader([&] { outcome = wait.ends(ends.to_read(), 0) ? 1 : 2; });
      give(ends.to_write());
      reader.join();
      return outcome;
    });
    EXPECT_EQ(outcomes, (std::set<unsigned>{1, 2}));
  }
}

TEST(TwoThreadsThatPollEachOthersPipe, AreADeadlockThatNamesBoth) {
  const auto body = [] {
    const Ends one;
    const Ends other;
    const auto poll_then_give = [](const Ends& from, const Ends& to) {
      pollfd event{from.to_read(), POLLIN, 0};
      poll(&event, 1, -1);
      give(to.to_write());
    };
    in_parallel([&] { poll_then_give(one, other); }, [&] { poll_then_give(other, one); });
  };
  const std::string message = message_of(FailureKind::deadlock, body);
  EXPECT_THAT(message, HasSubstr("thread 1 waits in poll()"));
  EXPECT_THAT(message, HasSubstr("thread 2 waits in poll()"));
}

TEST(AByteInAPipe, OrdersWhatWasDoneBeforeItIsWritten) {
  explored_everywhere([] {
    const Ends ends;
    int data = 0;
    std::thread reader([&] {
      take(ends.to_read());
      check(data == 1, "which is no data race");
    });
    data = 1;
    give(ends.to_write());
    reader.join();
  });
}

TEST(AByteInAPipe, OrdersNothingForThoseWhoReadAnotherPipe) {
  expect_failure(FailureKind::data_race, 0, "data race", [] {
    const Ends one;
    const Ends other;
    int data = 0;
    in_parallel(
        [&] {
          data = 1;
          give(one.to_write());
        },
        [&] {
          give(other.to_write());
          take(other.to_read());
          check(data < 2);
        });
  });
}

TEST(APipe, IsReadByOneOfTwoThreadsAndTheOtherWaits) {
  expect_failure(FailureKind::deadlock, 0, "waits in read()", [] {
    const Ends ends;
    std::thread one([&] { take(ends.to_read()); });
    std::thread other([&] { take(ends.to_read()); });
    give(ends.to_write());
    one.join();
    other.join();
  });
}

TEST(APipe, IsAtItsEndWhenItsLastWriterIsClosed) {
  explored([] {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0);
    std::thread reader([&] {
      char byte = 0;
      check(read(ends[0], &byte, 1) == 0, "the end");
    });
    close(ends[1]);
    reader.join();
    close(ends[0]);
  });
}

// Which file a number stands for is part of the step.
TEST(APipe, WhoseOtherEndANumberComesToStandForFailsAtOnce) {
  for (const bool waits : {true, false}) {
    explored([waits] {
      constexpr int kNumber = 300;
      const Ends ends;
      char byte = 'x';
      if (!waits) check(fcntl(ends.to_write(), F_SETFL, O_NONBLOCK) == 0);
      in_parallel([&] { check(dup2(ends.to_write(), kNumber) == kNumber); },
          [&] { check(read(kNumber, &byte, 1) == -1 && errno == EBADF); });
      if (!waits) check(fcntl(ends.to_read(), F_SETFL, O_NONBLOCK) == 0);
      in_parallel([&] { check(dup2(ends.to_read(), kNumber) == kNumber); },
          [&] { check(write(kNumber, &byte, 1) == 1 || errno == EBADF); });
      close(kNumber);
    });
  }
}

TEST(APipe, IsAwaitedByWhoReadsFromANumberThatStoodForItsOtherEnd) {
  explored([] {
    constexpr int kNumber = 300;
    const Ends ends;
    check(dup2(ends.to_write(), kNumber) == kNumber);
    in_parallel(
        [&] {
          check(dup2(ends.to_read(), kNumber) == kNumber);
          give(ends.to_write());
        },
        [&] {
          char byte = 0;
          check(read(kNumber, &byte, 1) == 1 ? byte == 'x' : errno == EBADF);
        });
    close(kNumber);
  });
}

TEST(APipe, PutsInOrderWhoReadsFromANumberThatCameToStandForIt) {
  explored([] {
    constexpr int kNumber = 300;
    const Ends before;
    const Ends after;
    check(write(before.to_write(), "y", 1) == 1);
    check(dup2(before.to_read(), kNumber) == kNumber);
    int written = 0;
    in_parallel(
        [&] {
          written = 1;
          give(after.to_write());
        },
        [&] { check(dup2(after.to_read(), kNumber) == kNumber); },
        [&] {
          char byte = 0;
          check(read(kNumber, &byte, 1) == 1);
          if (byte == 'x') check(written == 1);
        });
    close(kNumber);
  });
}

TEST(APipe, TakesMoreThanItHasRoomForWhileAnotherThreadReads) {
  const auto body = [] {
    const Ends ends;
    check(fcntl(ends.to_write(), F_SETPIPE_SZ, 4096) == 4096);
    const std::string much(10'000, 'm');
    std::thread reader([&] {
      std::string all;
      std::array<char, 4096> part{};
      while (all.size() < much.size())
        all.append(part.data(), static_cast<std::size_t>(read(ends.to_read(), part.data(), part.size())));
      check(all == much);
    });
    check(write(ends.to_write(), much.data(), much.size()) == static_cast<ssize_t>(much.size()));
    reader.join();
  };
  explored(within(1), body);
}

TEST(APipe, ThatNobodyCanWriteToIsSharedByItsReadersInEveryOrder) {
  const auto body = [] {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0 && write(ends[1], "12", 2) == 2 && close(ends[1]) == 0);
    char first = 0;
    in_parallel([&] { first = take(ends[0]); }, [&] { take(ends[0]); });
    return static_cast<unsigned>(first - '0');
  };
  EXPECT_EQ(outcomes_of(body), (std::set<unsigned>{1, 2}));
}

// In a process of its own, since the program that looks names up is started once, at the first step that is
// recorded.
TEST(APipeDeathTest, IsNotKeptOpenByTheProgramThatLooksNamesUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto body = [] {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0);
    std::thread([&] { close(ends[1]); }).join();
    char byte = 0;
    check(read(ends[0], &byte, 1) != 0, "it is at its end");
  };
  EXPECT_EXIT(
      {
        const hocket::FoundFailure failure = failure_of(body);
        std::_Exit(failure.message.find("it is at its end") != std::string::npos ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(APollOrSelectOfNothing, IsASleepInVirtualTime) {
  explored([] {
    using std::chrono::steady_clock;
    const auto begin = steady_clock::now();
    std::thread other([] { check(poll(nullptr, 0, 3'600'000) == 0); });
    timeval hour{3'600, 0};
    check(select(0, nullptr, nullptr, nullptr, &hour) == 0);
    other.join();
    check(steady_clock::now() - begin >= std::chrono::hours(1));
  });
}

TEST(ACallThatWaits, IsNotEndedByAThreadThatClosesItsDescriptor) {
  void (*const read_one)(int) = [](int descriptor) {
    std::uint64_t value = 0;
    static_cast<void>(!read(descriptor, &value, sizeof value));
  };
  void (*const poll_one)(int) = [](int descriptor) {
    pollfd event{descriptor, POLLIN, 0};
    poll(&event, 1, -1);
  };
  for (void (*const wait)(int) : {read_one, poll_one}) {
    expect_failure(
        FailureKind::deadlock, 0, wait == read_one ? "waits in read()" : "waits in poll()", [wait] {
          const int counter = eventfd(0, 0);
          std::atomic<bool> waits{false};
          std::thread reader([&] {
            waits = true;
            waits.notify_one();
            wait(counter);
          });
          waits.wait(false);
          close(counter);
          reader.join();
        });
  }
}

TEST(ACallThatWaits, KeepsItsFileWhenAnotherOneGetsItsNumber) {
  const auto body = [] {
    const Ends its;
    const Ends others;
    const int kept = dup(its.to_read());
    check(write(others.to_write(), "2", 1) == 1);
    char byte = 0;
    std::thread reader([&] { byte = take(its.to_read()); });
    check(dup2(others.to_read(), its.to_read()) == its.to_read() && write(its.to_write(), "1", 1) == 1);
    reader.join();
    close(kept);
    return static_cast<unsigned>(byte - '0');
  };
  EXPECT_EQ(outcomes_of(body), (std::set<unsigned>{1, 2}));
}

TEST(AnEpollSet, ThatIsEmptyIsWaitedForUntilAnotherThreadAddsAFile) {
  explored([] {
    const int counter = eventfd(1, 0);
    const int epoll = epoll_create1(0);
    std::thread waiter([&] {
      epoll_event event{};
      check(epoll_wait(epoll, &event, 1, -1) == 1 && event.data.fd == counter);
    });
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = counter;
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event) == 0);
    waiter.join();
    close(counter);
    close(epoll);
  });
}

TEST(AnEpollSet, ThatIsEmptyIsASleepInVirtualTime) {
  explored([] {
    const int epoll = epoll_create1(0);
    epoll_event event{};
    check(epoll_wait(epoll, &event, 1, 3'600'000) == 0);
    close(epoll);
  });
}

// What is outside comes in real time: so does a timer from before the search.
TEST(AnEpollSet, OfWhichAnyMemberIsOutsideIsWaitedForInRealTime) {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  explored([timer] {
    const int counter = eventfd(0, 0);
    itimerspec soon{{0, 0}, {0, 20'000'000}};
    check(timerfd_settime(timer, 0, &soon, nullptr) == 0);
    const int epoll = epoll_create1(0);
    for (const int watched : {counter, timer}) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = watched;
      check(epoll_ctl(epoll, EPOLL_CTL_ADD, watched, &event) == 0);
    }
    epoll_event event{};
    check(epoll_wait(epoll, &event, 1, -1) == 1 && event.data.fd == timer);
    for (const int descriptor : {counter, epoll}) close(descriptor);
  });
  close(timer);
}

TEST(AFile, ThatIsClosedWhileACallWaitsIsOpenUntilItsTimeIsOver) {
  explored([] {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0);
    std::thread waiter([&] {
      pollfd event{ends[0], POLLIN, 0};
      const int found = poll(&event, 1, 1000);
      check(found == 0 || (event.revents & POLLNVAL) != 0);
    });
    close(ends[0]);
    pollfd last{ends[1], 0, 0};
    check(poll(&last, 1, -1) == 1 && (last.revents & POLLERR) != 0, "no reader is left");
    waiter.join();
    close(ends[1]);
  });
}

TEST(APipe, ThatNobodyCanReadEndsAThreadThatWrites) {
  const auto body = [](int expected_error) {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0);
    std::thread reader([&] { close(ends[0]); });
    const ssize_t size = write(ends[1], "x", 1);
    check(size == 1 || errno == expected_error);
    reader.join();
    close(ends[1]);
  };
  expect_failure(FailureKind::terminate, 0, "main was ended by SIGPIPE: in write()", [&] { body(0); });
  explored([&] {
    signal(SIGPIPE, SIG_IGN);
    body(EPIPE);
  });
  explored([&] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    body(EPIPE);
  });
}

TEST(ASocket, ThatNobodyCanReadGivesAnErrorIfNoSignalIsWanted) {
  explored([] {
    std::array<int, 2> ends{};
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    close(ends[0]);
    check(send(ends[1], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    close(ends[1]);
  });
}

TEST(AFullPipe, IsWaitedForByAWriter) {
  expect_failure(FailureKind::deadlock, 0, "main waits in write()", [] {
    const Ends ends;
    const std::string much(100'000, 'm');
    std::thread([] {}).join();
    check(write(ends.to_write(), much.data(), much.size()) != 0);
  });
}

TEST(ALoopThatReadsWithoutWaiting, IsAWaitForTheOtherThread) {
  explored([] {
    const int counter = eventfd(0, EFD_NONBLOCK);
    std::thread reader([&] {
      std::uint64_t value = 0;
      while (read(counter, &value, sizeof value) < 0) {
        check(errno == EAGAIN);
        std::this_thread::yield();
      }
      check(value == 3);
    });
    check(eventfd_write(counter, 3) == 0);
    reader.join();
    close(counter);
  });
}

TEST(ASocket, BringsWhatAnotherThreadSends) {
  explored(within(1), [] {
    const Ends ends(Ends::Of::sockets);
    std::thread reader([&] {
      std::array<char, 4> text{};
      check(recv(ends.to_read(), text.data(), 4, MSG_WAITALL) == 4);
      check(std::string(text.data(), 4) == "abcd");
    });
    check(send(ends.to_write(), "ab", 2, 0) == 2);
    iovec part{const_cast<char*>("cd"), 2};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    check(sendmsg(ends.to_write(), &message, 0) == 2);
    reader.join();
  });
}

TEST(ASocket, IsAcceptedWhenAnotherThreadHasConnected) {
  explored(within(1), [] {
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    check(bind(listening, reinterpret_cast<sockaddr*>(&name), size) == 0 && listen(listening, 1) == 0);
    check(getsockname(listening, reinterpret_cast<sockaddr*>(&name), &size) == 0);
    std::thread server([&] {
      const int connection = accept(listening, nullptr, nullptr);
      check(connection >= 0);
      give(connection);
      close(connection);
    });
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    check(connect(client, reinterpret_cast<sockaddr*>(&name), size) == 0);
    take(client);
    server.join();
    close(client);
    close(listening);
  });
}

TEST(ASocket, IsConnectedWhenThereIsRoomInTheQueueOfTheOtherSide) {
  const hocket::test::Folder folder;
  const std::string path = (folder.path() / "socket").string();
  const auto body = [&path](int flags) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    unlink(path.c_str());
    const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    check(bind(listening, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 && listen(listening, 0) == 0);
    const std::array<int, 2> clients{
        socket(AF_UNIX, SOCK_STREAM | flags, 0), socket(AF_UNIX, SOCK_STREAM | flags, 0)};
    const auto connect_one = [&](int client) {
      return connect(client, reinterpret_cast<sockaddr*>(&name), sizeof name);
    };
    check(connect_one(clients[0]) == 0);
    if (flags != 0) {
      check(connect_one(clients[1]) == -1 && errno == EAGAIN, "it does not wait");
    } else {
      std::thread server([&] {
        for (int n = 0; n < 2; ++n) close(accept(listening, nullptr, nullptr));
      });
      check(connect_one(clients[1]) == 0);
      server.join();
    }
    for (const int client : clients) close(client);
    close(listening);
  };
  explored([&] { body(0); });
  explored([&] { body(SOCK_NONBLOCK); });
}

TEST(ASocket, ThatAnotherThreadMayNotHaveBoundOrHadListenIsRefusedThen) {
  for (const bool has_name : {false, true}) {  // from the beginning
    const auto errors = [has_name] {
      Collected all;
      explored([&, has_name] {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        const std::string text = "hocket " + std::to_string(getpid());
        text.copy(name.sun_path + 1, sizeof name.sun_path - 2);
        const auto* const its = reinterpret_cast<const sockaddr*>(&name);
        const int server = socket(AF_UNIX, SOCK_STREAM, 0);
        const int client = socket(AF_UNIX, SOCK_STREAM, 0);
        if (has_name) check(bind(server, its, sizeof name) == 0);
        int error = 0;
        in_parallel(
            [&] {
              if (!has_name) check(bind(server, its, sizeof name) == 0);
              check(listen(server, 1) == 0);
            },
            [&] { error = connect(client, its, sizeof name) == 0 ? 0 : errno; });
        close(client);
        close(server);
        all.add(static_cast<std::uint64_t>(error));
      });
      return all.all();
    };
    EXPECT_EQ(errors(), (std::set<std::uint64_t>{0, ECONNREFUSED}));
  }
}

TEST(ADatagramOfUdp, IsLostIfItIsSentBeforeAnotherThreadHasBound) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  auto* const its = reinterpret_cast<sockaddr*>(&name);
  const int first = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_TRUE(bind(first, its, size) == 0 && getsockname(first, its, &size) == 0);  // a port that is free
  close(first);
  Collected sizes;
  explored([&] {
    const int receiver = socket(AF_INET, SOCK_DGRAM, 0);
    const int sender = socket(AF_INET, SOCK_DGRAM, 0);
    in_parallel([&] { check(bind(receiver, its, size) == 0); },
        [&] { check(sendto(sender, "a", 1, 0, its, size) == 1); });
    char byte = 0;
    sizes.add(recv(receiver, &byte, 1, MSG_DONTWAIT) == 1 ? 1 : 0);
    close(receiver);
    close(sender);
  });
  EXPECT_EQ(sizes.all(), (std::set<std::uint64_t>{0, 1}));
}

TEST(ADescriptor, ThatAnotherThreadMakesNonblockingMayStillMakeACallWait) {
  const auto body = [](bool is_set) {
    return [is_set] {
      std::array<int, 2> ends{};
      check(pipe2(ends.data(), is_set ? 0 : O_NONBLOCK) == 0);
      in_parallel([&] { check(fcntl(ends[0], F_SETFL, is_set ? O_NONBLOCK : 0) == 0); },
          [&] {
            char byte = 0;
            check(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
            check(false, "it does not wait");
          });
    };
  };
  for (const bool is_set : {true, false}) {
    hocket::Options options = exhaustively();
    options.keep_going = true;
    std::set<std::string> kinds;
    for (const hocket::FoundFailure& failure : hocket::explore("flags", body(is_set), options).failures)
      kinds.insert(std::string(to_string(failure.kind)));
    EXPECT_EQ(kinds, (std::set<std::string>{"check", "deadlock"})) << is_set;
  }
}

// --- Locks of files

TEST(ALockOfAFile, IsWaitedForUntilAnotherThreadGivesItBack) {
  const hocket::test::Folder folder;
  const std::string path = (folder.path() / "file").string();
  for (const auto& [name, lock] : std::initializer_list<std::pair<const char*, bool (*)(int, bool)>>{
           {"flock", [](int file, bool locks) { return flock(file, locks ? LOCK_EX : LOCK_UN) == 0; }},
           {"fcntl", [](int file, bool locks) {
              struct flock what {};
              what.l_type = locks ? F_WRLCK : F_UNLCK;
              return fcntl(file, F_OFD_SETLKW, &what) == 0;
            }}}) {
    SCOPED_TRACE(name);
    explored([&path, lock = lock] {
      std::atomic<int> inside{0};
      const auto use = [&] {
        const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
        check(lock(file, true));
        check(++inside == 1, "one at a time");
        --inside;
        check(lock(file, false));
        close(file);
      };
      in_parallel(use, use);
    });
  }
}

std::ptrdiff_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

TEST(AnExecutionThatIsCutShort, LeavesNoDescriptorOpenAndNoFileLocked) {
  const hocket::test::Folder folder;
  const std::string path = (folder.path() / "file").string();
  const auto before = descriptors();
  const hocket::Report report = explored([&] {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    check(file >= 0, "there are descriptors enough");
    check(flock(file, LOCK_EX | LOCK_NB) == 0, "no other execution has locked it");
    hocket::assume(hocket::choose(3000) == 7);
  });
  EXPECT_EQ(report.dropped, 2999U);
  EXPECT_EQ(descriptors(), before);
}

TEST(AnExecutionThatIsCutShort, LeavesNoFileOpenForACallThatWaits) {
  const auto before = descriptors();
  expect_failure(FailureKind::deadlock, 0, "waits in read()", [] {
    const Ends ends;
    std::thread([&] { take(ends.to_read()); }).join();
  });
  EXPECT_EQ(descriptors(), before);
}

// --- From outside

TEST(APipeFromAnotherProcess, IsReadInRealTime) {
  explored([] {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string program = "/bin/echo";
    std::string word = "x";
    std::array<char*, 3> arguments{program.data(), word.data(), nullptr};
    pid_t child = 0;
    check(posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    check(take(ends[0]) == 'x');
    check(waitpid(child, nullptr, 0) == child);
    close(ends[0]);
    two_steps();
  });
}

TEST(ASetOfSignalsInPpoll, IsRefusedWhereItWouldHaveToWait) {
  expect_failure(
      FailureKind::misuse, 0, "calls ppoll(), which Hocket does not control; with a set of signals", [] {
        const Ends ends;
        sigset_t none;
        sigemptyset(&none);
        pollfd one{ends.to_read(), POLLIN, 0};
        ppoll(&one, 1, nullptr, &none);
      });
}

}  // namespace

}  // namespace unmodified
