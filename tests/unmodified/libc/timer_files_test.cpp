// Timers of timerfd, which expire in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <thread>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

/// A timer, which is closed at the end.
class Timer {
 public:
  explicit Timer(int flags = 0, clockid_t clock = CLOCK_MONOTONIC)
      : descriptor_(timerfd_create(clock, flags)) {
    check(descriptor_ >= 0);
  }
  ~Timer() { close(descriptor_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  operator int() const { return descriptor_; }  // NOLINT(google-explicit-constructor): as calls take it
  void set(time_t seconds, time_t interval = 0) const {
    const itimerspec time{{interval, 0}, {seconds, 0}};
    check(timerfd_settime(descriptor_, 0, &time, nullptr) == 0);
  }
  /// How often it has expired.
  [[nodiscard]] std::uint64_t read() const {
    std::uint64_t count = 0;
    check(::read(descriptor_, &count, sizeof count) == sizeof count, "it expires");
    return count;
  }

 private:
  int descriptor_;
};

int epoll_of(std::initializer_list<int> all) {
  const int epoll = epoll_create1(0);
  for (const int watched : all) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = watched;
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, watched, &event) == 0);
  }
  return epoll;
}

int fails_with(int error, int result) {
  return result == -1 && errno == error;
}

TEST(ATimerOfTimerfd, ExpiresWhenTheClockHasReachedItsTime) {
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME}) {
    explored([clock] {
      const auto begin = steady_clock::now();
      const Timer timer(TFD_CLOEXEC, clock);
      timer.set(3600);
      check(timer.read() == 1);
      check(steady_clock::now() - begin >= 1h && steady_clock::now() - begin < 2h);
      two_steps();
    });
  }
}

TEST(ATimerOfTimerfd, ExpiresAtATimeOfItsClock) {
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME}) {
    explored([clock] {
      const Timer timer(0, clock);
      itimerspec time{};
      clock_gettime(clock, &time.it_value);
      time.it_value.tv_sec += 5;
      check(timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, nullptr) == 0);
      check(timer.read() == 1);
      timespec now{};
      clock_gettime(clock, &now);
      check(now.tv_sec == time.it_value.tv_sec);
      time.it_value = {1, 0};
      check(timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, nullptr) == 0 && timer.read() == 1, "the past");
    });
  }
}

TEST(ATimerOfTimerfd, CountsItsExpirations) {
  explored([] {
    const Timer timer;
    timer.set(2, 3);
    check(timer.read() == 1);
    std::this_thread::sleep_for(10s);
    check(timer.read() == 3);
    check(timer.read() == 1);
    std::this_thread::sleep_for(9s);
    std::uint64_t count = 0;
    const iovec part{&count, sizeof count};
    check(readv(timer, &part, 1) == sizeof count && count == 3);
  });
}

TEST(ATimerOfTimerfd, TellsItsSetting) {
  explored([] {
    const Timer timer;
    itimerspec now{};
    check(timerfd_gettime(timer, &now) == 0 && now.it_value.tv_sec == 0 && now.it_interval.tv_sec == 0);
    timer.set(5, 7);
    std::this_thread::sleep_for(2s);
    check(timerfd_gettime(timer, &now) == 0 && now.it_value.tv_sec == 3 && now.it_interval.tv_sec == 7);
    std::this_thread::sleep_for(4s);
    const itimerspec other{{0, 0}, {1, 0}};
    check(timerfd_settime(timer, 0, &other, &now) == 0);
    check(now.it_value.tv_sec == 6 && now.it_interval.tv_sec == 7);
    std::this_thread::sleep_for(2s);
    check(timerfd_gettime(timer, &now) == 0 && now.it_value.tv_sec == 0 && now.it_value.tv_nsec == 0);
    check(timer.read() == 1);
  });
}

// The one who asks may have read the clock before.
TEST(ATimerOfTimerfd, NeverHasLongerToGoThanItWasSetTo) {
  explored([] {
    const Timer timer;
    in_parallel(
        [&] {
          itimerspec now{};
          check(timerfd_gettime(timer, &now) == 0 && now.it_value.tv_sec <= 3);
          const itimerspec other{{0, 0}, {1, 0}};
          check(timerfd_settime(timer, 0, &other, &now) == 0 && now.it_value.tv_sec <= 3);
        },
        [&] {
          std::this_thread::sleep_for(5s);
          timer.set(3);
        });
  });
}

TEST(ATimerOfTimerfd, NeverHasLongerToGoThanItsIntervalWhenItHasExpired) {
  explored([] {
    const Timer timer;
    timer.set(2, 1);
    in_parallel([&] { check(timer.read() >= 1); },
        [&] {
          itimerspec now{};
          check(timerfd_gettime(timer, &now) == 0 && now.it_value.tv_sec <= 2);
        });
  });
}

TEST(ATimerOfTimerfd, GivesTheErrorsOfLinux) {
  explored([] {
    const Timer timer(TFD_NONBLOCK);
    std::uint64_t count = 0;
    check(fails_with(EAGAIN, static_cast<int>(read(timer, &count, sizeof count))));
    check(fails_with(EINVAL, static_cast<int>(read(timer, &count, 4))));
    const itimerspec invalid{{0, 0}, {0, 1'000'000'000}};
    check(fails_with(EINVAL, timerfd_settime(timer, 0, &invalid, nullptr)));
    const itimerspec valid{{0, 0}, {1, 0}};
    check(fails_with(EINVAL, timerfd_settime(timer, 8, &valid, nullptr)));
    check(fails_with(EFAULT, timerfd_settime(timer, 0, nullptr, nullptr)));
    check(fails_with(EBADF, timerfd_settime(-1, 0, &valid, nullptr)));
    check(fails_with(EINVAL, timerfd_settime(STDIN_FILENO, 0, &valid, nullptr)));
    check(fails_with(EINVAL, timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0)));
    timer.set(1);
    check(fails_with(EAGAIN, static_cast<int>(read(timer, &count, sizeof count))));
    std::this_thread::sleep_for(1s);
    check(timer.read() == 1);
    check(fails_with(EAGAIN, static_cast<int>(read(timer, &count, sizeof count))), "it is read once");
  });
}

TEST(ATimerOfTimerfd, IsAbsentWhenItIsDisarmed) {
  explored([] {
    const Timer timer;
    timer.set(1);
    std::this_thread::sleep_for(1s);
    pollfd event{timer, POLLIN | POLLOUT, 0};
    check(poll(&event, 1, 0) == 1 && event.revents == POLLIN);
    timer.set(0);
    check(poll(&event, 1, 0) == 0 && poll(&event, 1, 5000) == 0);
  });
}

TEST(ATimerOfTimerfd, IsADeadlockForThoseWhoReadItIfNobodySetsIt) {
  expect_failure(FailureKind::deadlock, 0, "thread 1 waits in read()", [] {
    const Timer timer;
    std::thread([&] { static_cast<void>(timer.read()); }).join();
  });
}

TEST(ATimerOfTimerfd, EndsAWaitBeforeALaterTimeout) {
  explored([] {
    const Timer timer;
    const auto begin = steady_clock::now();
    timer.set(2);
    pollfd event{timer, POLLIN, 0};
    check(poll(&event, 1, 1'000) == 0 && steady_clock::now() - begin == 1s);
    check(poll(&event, 1, 5'000) == 1 && steady_clock::now() - begin == 2s);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(timer, &set);
    check(select(timer + 1, &set, nullptr, nullptr, nullptr) == 1 && FD_ISSET(timer, &set));
    check(timer.read() == 1);
    timer.set(2);
    const int epoll = epoll_of({timer});
    epoll_event found{};
    check(epoll_wait(epoll, &found, 1, 1'000) == 0);
    check(epoll_wait(epoll, &found, 1, -1) == 1 && found.data.fd == timer);
    check(steady_clock::now() - begin == 4s);
    close(epoll);
  });
}

TEST(ATimerOfTimerfd, IsADeadlockForAnEpollSetThatReportsItNoMore) {
  expect_failure(FailureKind::deadlock, 0, "thread 1 waits in epoll_wait()", [] {
    const Timer timer;
    timer.set(1, 1);
    const int epoll = epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLONESHOT;
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0);
    check(epoll_wait(epoll, &event, 1, -1) == 1);
    std::thread([&] { epoll_wait(epoll, &event, 1, -1); }).join();
  });
}

TEST(ATimerOfTimerfd, EndsAWaitForItOrForAnotherFile) {
  const std::set<unsigned> outcomes = outcomes_of([] {
    const Timer timer;
    const int counter = eventfd(0, 0);
    const int epoll = epoll_of({counter, timer});
    unsigned outcome = 0;
    timer.set(1);
    std::thread waiter([&] {
      epoll_event found{};
      check(epoll_wait(epoll, &found, 1, -1) == 1);
      outcome = found.data.fd == timer ? 1 : 2;
    });
    check(eventfd_write(counter, 1) == 0);
    waiter.join();
    close(epoll);
    close(counter);
    return outcome;
  });
  EXPECT_EQ(outcomes, (std::set<unsigned>{1, 2}));
}

TEST(ATimerOfTimerfd, EndsAWaitWhenAnotherThreadSetsIt) {
  explored([] {
    const Timer timer;
    const int epoll = epoll_of({timer});
    std::thread reader([&] {
      epoll_event found{};
      check(epoll_wait(epoll, &found, 1, -1) == 1);
      check(timer.read() == 1);
    });
    timer.set(1);
    reader.join();
    close(epoll);
  });
}

TEST(ATimerOfTimerfd, EndsAWaitWhenAnotherThreadAddsItToTheEpollSet) {
  explored([] {
    const Timer timer;
    timer.set(1);
    const int counter = eventfd(0, 0);
    const int epoll = epoll_of({counter});
    std::thread waiter([&] {
      epoll_event found{};
      check(epoll_wait(epoll, &found, 1, -1) == 1 && found.data.fd == timer);
    });
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = timer;
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0);
    waiter.join();
    close(epoll);
    close(counter);
  });
}

TEST(ATimerOfTimerfd, ExpiresAtTheTimeThatAnotherThreadHasSetLast) {
  const std::set<unsigned> outcomes = outcomes_of([] {
    const Timer timer;
    const auto begin = steady_clock::now();
    timer.set(10);
    unsigned outcome = 0;
    std::thread reader([&] {
      check(timer.read() == 1);
      outcome = static_cast<unsigned>((steady_clock::now() - begin) / 1s);
    });
    timer.set(2);
    reader.join();
    return outcome;
  });
  EXPECT_EQ(outcomes, (std::set<unsigned>{2, 10, 12})) << "12: set again before the reader has run";
}

TEST(ATimerOfTimerfd, IsADeadlockIfAnotherThreadDisarmsItBefore) {
  expect_failure(FailureKind::deadlock, 0, "thread 1 waits in read()", [] {
    const Timer timer;
    timer.set(10);
    std::thread reader([&] { static_cast<void>(timer.read()); });
    timer.set(0);
    reader.join();
  });
}

TEST(ATimerOfTimerfd, IsTheSameBehindACopyOfItsDescriptor) {
  explored([] {
    const int first = timerfd_create(CLOCK_MONOTONIC, 0);
    const int copy = dup(first);
    const itimerspec time{{0, 0}, {1, 0}};
    check(timerfd_settime(first, 0, &time, nullptr) == 0);
    close(first);
    std::uint64_t count = 0;
    check(read(copy, &count, sizeof count) == sizeof count && count == 1);
    close(copy);
  });
}

TEST(ATimerOfTimerfd, IsReadByOneOfTwoThreads) {
  expect_failure(FailureKind::deadlock, 0, "waits in read()", [] {
    const Timer timer;
    timer.set(1);
    in_parallel([&] { static_cast<void>(timer.read()); }, [&] { static_cast<void>(timer.read()); });
  });
}

TEST(ATimerOfTimerfd, OrdersWhatWasDoneBeforeItWasSet) {
  explored_everywhere([] {
    const Timer timer;
    int data = 0;
    std::thread reader([&] {
      static_cast<void>(timer.read());
      check(data == 1, "which is no data race");
    });
    data = 1;
    timer.set(1);
    reader.join();
  });
}

TEST(ALoopThatReadsATimerWithoutWaiting, EndsWhenItExpires) {
  for (const bool yields : {false, true}) {
    explored([yields] {
      const Timer timer(TFD_NONBLOCK);
      timer.set(1);
      std::thread([&] {
        std::uint64_t count = 0;
        while (read(timer, &count, sizeof count) < 0) {
          if (yields) std::this_thread::yield();
        }
        check(count == 1);
      }).join();
    });
  }
}

TEST(ALoopThatPollsATimerAndAFile, EndsWhenEitherHasCome) {
  const std::set<unsigned> outcomes = outcomes_of([] {
    const Timer timer;
    timer.set(1);
    const int counter = eventfd(0, 0);
    const int epoll = epoll_of({counter, timer});
    unsigned outcome = 0;
    std::thread waiter([&] {
      epoll_event found{};
      while (epoll_wait(epoll, &found, 1, 0) == 0) {
      }
      outcome = found.data.fd == timer ? 1 : 2;
    });
    check(eventfd_write(counter, 1) == 0);
    waiter.join();
    close(epoll);
    close(counter);
    return outcome;
  });
  EXPECT_THAT(outcomes, ::testing::Contains(2));
}

TEST(ATimerOfTimerfd, OfAClockThatWakesTheSystemIsRefusedAndOfNoClockFails) {
  for (const clockid_t clock : {CLOCK_REALTIME_ALARM, CLOCK_BOOTTIME_ALARM}) {
    expect_failure(FailureKind::misuse, 0,
        "calls timerfd_create(), which Hocket does not control; with a clock that wakes the system",
        [clock] { timerfd_create(clock, 0); });
  }
  explored([] { check(timerfd_create(CLOCK_THREAD_CPUTIME_ID, 0) == -1 && errno == EINVAL); });
}

TEST(ATimerOfTimerfd, ThatIsCancelledWhenTheClockIsSetIsRefused) {
  expect_failure(FailureKind::misuse, 0,
      "calls timerfd_settime(), which Hocket does not control; with TFD_TIMER_CANCEL_ON_SET", [] {
        const Timer timer(0, CLOCK_REALTIME);
        const itimerspec time{{0, 0}, {1'000'000'100, 0}};
        timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, nullptr);
      });
}

}  // namespace

}  // namespace unmodified
