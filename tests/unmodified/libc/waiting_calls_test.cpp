// Calls that wait for what another thread of the body does to a pipe, a socket, a lock of a file.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/folder.hpp"
#include "tests/unmodified/support/ends.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

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
    Ends ends;
    std::thread reader([&] {
      char byte = 0;
      check(read(ends.to_read(), &byte, 1) == 0, "the end");
    });
    ends.close_writer();
    reader.join();
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
    Ends ends;
    check(write(ends.to_write(), "12", 2) == 2);
    ends.close_writer();
    char first = 0;
    in_parallel([&] { first = take(ends.to_read()); }, [&] { take(ends.to_read()); });
    return static_cast<unsigned>(first - '0');
  };
  EXPECT_EQ(outcomes_of(body), (std::set<unsigned>{1, 2}));
}

// In a process of its own, since the program that looks names up is started once, at the first step that is
// recorded.
TEST(APipeDeathTest, IsNotKeptOpenByTheProgramThatLooksNamesUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto body = [] {
    Ends ends;
    std::thread([&] { ends.close_writer(); }).join();
    char byte = 0;
    check(read(ends.to_read(), &byte, 1) != 0, "it is at its end");
  };
  EXPECT_EXIT(
      {
        const FoundFailure failure = failure_of(body);
        std::_Exit(failure.message.find("it is at its end") != std::string::npos ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
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

TEST(AFile, ThatIsClosedWhileACallWaitsIsOpenUntilItsTimeIsOver) {
  explored([] {
    Ends ends;
    const int read_from = ends.to_read();
    std::thread waiter([&] {
      pollfd event{read_from, POLLIN, 0};
      const int found = poll(&event, 1, 1000);
      check(found == 0 || (event.revents & POLLNVAL) != 0);
    });
    ends.close_reader();
    pollfd last{ends.to_write(), 0, 0};
    check(poll(&last, 1, -1) == 1 && (last.revents & POLLERR) != 0, "no reader is left");
    waiter.join();
  });
}

TEST(APipe, ThatNobodyCanReadEndsAThreadThatWrites) {
  const auto body = [](int expected_error) {
    Ends ends;
    std::thread reader([&] { ends.close_reader(); });
    const ssize_t size = write(ends.to_write(), "x", 1);
    check(size == 1 || errno == expected_error);
    reader.join();
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
    std::set<std::string> kinds;
    for (const FoundFailure& failure :
        hocket::explore("flags", body(is_set), exhaustively({.keep_going = true})).failures)
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
  const Report report = explored([&] {
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
    Ends ends;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends.to_write(), STDOUT_FILENO);
    std::string program = "/bin/echo";
    std::string word = "x";
    std::array<char*, 3> arguments{program.data(), word.data(), nullptr};
    pid_t child = 0;
    check(posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    ends.close_writer();
    check(take(ends.to_read()) == 'x');
    check(waitpid(child, nullptr, 0) == child);
    two_steps();
  });
}

}  // namespace

}  // namespace unmodified
