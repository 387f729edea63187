// What the system keeps behind descriptors from before the search: each execution begins with what the search
// has found there, or the report says that it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// An end of something of the system, closed at last.
struct End {
  int number;
  ~End() { close(number); }
};

std::string contents_of_pipe(int end) {
  int size = 0;
  EXPECT_EQ(ioctl(end, FIONREAD, &size), 0);
  std::string bytes(static_cast<std::size_t>(size), '?');
  EXPECT_EQ(size == 0 ? 0 : read(end, bytes.data(), bytes.size()), size);
  return bytes;
}

TEST(WhatTheSystemKeeps, IsTheCountOfEventsWithWhichTheSearchBegan) {
  for (const int flags : {0 | EFD_NONBLOCK, EFD_NONBLOCK | EFD_SEMAPHORE}) {
    const End events{eventfd(5, flags)};
    const auto body = [&] {
      in_parallel([&] { eventfd_write(events.number, 2); },
          [&] {
            eventfd_t value = 0;
            check(eventfd_read(events.number, &value) == 0);
            check(value == 1 || value == 5 || value == 7);
            eventfd_read(events.number, &value);
          });
    };
    const Report report = explored(body);
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
    EXPECT_EQ(report.note, "");
    eventfd_t value = 0;
    eventfd_t sum = 0;
    while (eventfd_read(events.number, &value) == 0) sum += value;
    EXPECT_EQ(sum, 5U);
  }
}

TEST(WhatTheSystemKeeps, DoesNotHideAnOrderOfACounterThatIsMadeOnce) {
  const End wake{eventfd(0, EFD_NONBLOCK)};
  const auto body = [&] {
    in_parallel([&] { eventfd_write(wake.number, 1); },
        [&] {
          pollfd event{wake.number, POLLIN, 0};
          check(poll(&event, 1, 0) == 1, "nothing has come yet");
        });
  };
  EXPECT_EQ(failure_of(body).message, "nothing has come yet");
}

TEST(WhatTheSystemKeeps, IsTheBytesInAPipeWithWhichTheSearchBegan) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  const End from{ends[0]};
  const End to{ends[1]};
  const std::string first = "first" + std::string(10'000, '.');
  ASSERT_EQ(write(to.number, first.data(), first.size()), static_cast<ssize_t>(first.size()));
  const auto body = [&] {
    std::atomic<int> steps{0};
    in_parallel(
        [&] {
          ++steps;
          check(write(to.number, "more", 4) == 4);
          ++steps;
        },
        [&] {
          std::array<char, 5> bytes{};
          steps.load();
          check(read(from.number, bytes.data(), bytes.size()) == 5);
          check(std::string(bytes.data(), bytes.size()) == "first");
          steps.load();
        });
  };
  const Report report = explored(body);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.note, "");
  EXPECT_EQ(contents_of_pipe(from.number), first);
}

TEST(WhatTheSystemKeeps, IsTheFlagsOfADescriptor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const End from{ends[0]};
  const End to{ends[1]};
  explored([&] {
    check((fcntl(from.number, F_GETFL) & O_NONBLOCK) == 0);
    fcntl(from.number, F_SETFL, O_NONBLOCK);
    two_steps();
  });
  EXPECT_EQ(fcntl(from.number, F_GETFL) & O_NONBLOCK, 0);
}

TEST(WhatTheSystemKeeps, IsNamedWhereItIsNotPutBackAndThenAPassIsNoGuarantee) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const End one{ends[0]};
  const End other{ends[1]};
  const Report report = explored([&] {
    in_parallel([&] { send(one.number, "x", 1, 0); },
        [&] {
          char byte = 0;
          recv(other.number, &byte, 1, 0);
        });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_THAT(report.note,
      StartsWith("not put back before each execution, so that a pass is no guarantee: a socket ("));
  EXPECT_THAT(report.note, HasSubstr("used at outer_files_test.cpp:"));
}

TEST(WhatTheSystemKeeps, IsNamedIfItIsASetOfEpoll) {
  const End set{epoll_create1(0)};
  const Report report = explored([&] {
    const End events{eventfd(0, 0)};
    epoll_event event{.events = EPOLLIN, .data = {}};
    check(epoll_ctl(set.number, EPOLL_CTL_ADD, events.number, &event) == 0);
    two_steps();
  });
  EXPECT_THAT(report.note, HasSubstr("a set of epoll (descriptor"));
}

TEST(WhatABodyMakes, IsNotTakenForSomethingFromBefore) {
  const Report report = explored([] {
    std::array<int, 2> ends{};
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    const End one{ends[0]};
    const End other{ends[1]};
    in_parallel([&] { send(one.number, "x", 1, 0); },
        [&] {
          char byte = 0;
          recv(other.number, &byte, 1, 0);
        });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.note, "");
}

}  // namespace

}  // namespace unmodified
