// poll(), select() and sets of epoll: waits until another thread of the body has written to a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/unmodified/support/ends.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using ::testing::HasSubstr;

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
