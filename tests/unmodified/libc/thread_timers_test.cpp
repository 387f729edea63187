// Timers of timer_create() that call a function in a thread of its own (SIGEV_THREAD).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <random>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::thread_timers {

namespace {

using std::chrono::steady_clock;
using testing::HasSubstr;
using namespace std::chrono_literals;

timer_t make_timer(void (*function)(sigval), void* value, clockid_t clock = CLOCK_MONOTONIC) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = function;
  event.sigev_value.sival_ptr = value;
  timer_t timer{};
  check(timer_create(clock, &event, &timer) == 0);
  return timer;
}
void set_time(timer_t timer, time_t seconds, time_t interval = 0) {
  const itimerspec time{{interval, 0}, {seconds, 0}};
  check(timer_settime(timer, 0, &time, nullptr) == 0);
}

using Semaphore = std::counting_semaphore<>;
void release(sigval value) {
  static_cast<Semaphore*>(value.sival_ptr)->release();
}
void add_one(sigval value) {
  ++*static_cast<std::atomic<int>*>(value.sival_ptr);
}
bool fails_with(int error, int result) {
  return result == -1 && errno == error;
}

TEST(ATimerThatStartsThreads, CallsItsFunctionWhenItsTimeHasCome) {
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_TAI}) {
    explored_everywhere([clock] {
      const auto begin = steady_clock::now();
      Semaphore called(0);
      timer_t const timer = make_timer(&release, &called, clock);
      set_time(timer, 3600);
      called.acquire();
      check(steady_clock::now() - begin >= 1h && steady_clock::now() - begin < 2h);
      check(timer_delete(timer) == 0);
    });
  }
}

TEST(ATimerThatStartsThreads, CallsItAgainAfterEachInterval) {
  explored(within(1), [] {
    const auto begin = steady_clock::now();
    Semaphore called(0);
    timer_t const timer = make_timer(&release, &called);
    set_time(timer, 1, 2);
    for (int n = 0; n < 3; ++n) called.acquire();
    check(steady_clock::now() - begin >= 5s);
    check(timer_delete(timer) == 0);
  });
}

TEST(ATimerThatStartsThreads, MayStillRunItsFunctionWhenItIsDeleted) {
  // 0: it has not begun; 1: it has ended; 2: it has begun, and goes on after timer_delete() has returned.
  static std::atomic<int> begun;
  static std::atomic<int> ended;
  const Outcomes outcomes = outcomes_by_bound([] {
    begun = ended = 0;
    timer_t const timer = make_timer(
        [](sigval) {
          begun = 1;
          ended = 1;
        },
        nullptr);
    set_time(timer, 1);
    std::this_thread::sleep_for(1s);
    check(timer_delete(timer) == 0);
    const bool has_begun = begun == 1;
    return ended == 1 ? 1 : has_begun ? 2 : 0;
  });
  EXPECT_THAT(outcomes, testing::ElementsAre(testing::Key(0), testing::Key(1), testing::Key(2)));
}

TEST(ATimerThatStartsThreads, IsFoundToUseWhatWasFreedAfterItsDeletion) {
  const std::string message = message_of(FailureKind::heap_error, [] {
    auto count = std::make_unique<std::atomic<int>>(0);
    timer_t const timer = make_timer(&add_one, count.get());
    set_time(timer, 1);
    std::this_thread::sleep_for(1s);
    timer_delete(timer);
    count.reset();
  });
  EXPECT_THAT(message, HasSubstr("freed"));
}

TEST(ATimerThatStartsThreads, OrdersWhatWasDoneBeforeItWasSet) {
  explored([] {
    static int plain;
    static std::optional<Semaphore> called;
    called.emplace(0);
    timer_t const timer = make_timer(
        [](sigval) {
          ++plain;
          called->release();
        },
        nullptr);
    plain = 1;
    set_time(timer, 1);
    called->acquire();
    check(plain == 2);
    timer_delete(timer);
  });
  EXPECT_THAT(message_of(FailureKind::data_race,
                  [] {
                    static int plain;
                    timer_t const timer = make_timer([](sigval) { ++plain; }, nullptr);
                    set_time(timer, 1);
                    plain = 1;
                    timer_delete(timer);
                  }),
      HasSubstr("plain"));
}

TEST(ATimerThatStartsThreads, CountsCallsThatItHasLeftOut) {
  const Outcomes outcomes = outcomes_by_bound(
      [] {
        Semaphore called(0);
        timer_t const timer = make_timer(&release, &called);
        set_time(timer, 1, 1);
        std::this_thread::sleep_for(3s);
        called.acquire();
        const int more = timer_getoverrun(timer);
        const itimerspec nothing{};
        check(timer_settime(timer, 0, &nothing, nullptr) == 0 && timer_getoverrun(timer) == 0,
            "it begins anew");
        timer_delete(timer);
        return more;
      },
      exhaustively(), 1);
  EXPECT_THAT(outcomes, testing::Contains(testing::Key(0)));
  EXPECT_THAT(outcomes, testing::Contains(testing::Key(2)));
}

TEST(ATimerThatStartsThreads, TellsItsSetting) {
  explored(within(1), [] {
    static std::atomic<int> calls{0};  // a call may begin before the timer is set to nothing
    timer_t const timer = make_timer(&add_one, &calls);
    itimerspec time{};
    check(timer_gettime(timer, &time) == 0 && time.it_value.tv_sec == 0);
    set_time(timer, 9, 4);
    check(timer_gettime(timer, &time) == 0 && time.it_interval.tv_sec == 4);
    const itimerspec nothing{};
    check(fails_with(EINVAL, timer_settime(timer, 0, nullptr, nullptr)), "no time");
    check(timer_settime(timer, 0, &nothing, &time) == 0 && time.it_interval.tv_sec == 4);
    check(timer_delete(timer) == 0);
    check(fails_with(EINVAL, timer_gettime(timer, &time)), "it is gone");
    check(fails_with(EINVAL, timer_settime(timer, 0, &time, nullptr)), "it is gone");
    check(fails_with(EINVAL, timer_getoverrun(timer)), "it is gone");
    check(fails_with(EINVAL, timer_delete(timer)), "it is gone");
  });
}

TEST(ATimerThatStartsThreads, EndsWithTheBody) {
  explored(within(1), [] {
    static std::atomic<int> calls{0};
    set_time(make_timer(&add_one, &calls), 1, 1);
    make_timer(&add_one, &calls);
  });
}

TEST(ATimerThatStartsThreads, LeavesADeadlockIfItIsNeverSet) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    Semaphore called(0);
    timer_t const timer = make_timer(&release, &called);
    called.acquire();
    timer_delete(timer);
  });
  EXPECT_THAT(message, HasSubstr("timer"));
  EXPECT_THAT(message, HasSubstr("thread_timers_test.cpp:"));
}

TEST(ATimerThatStartsThreads, IsRefusedOnAClockOfTheProcessor) {
  EXPECT_THAT(message_of(FailureKind::misuse,
                  [] {
                    Semaphore called(0);
                    make_timer(&release, &called, CLOCK_PROCESS_CPUTIME_ID);
                  }),
      HasSubstr("use CLOCK_MONOTONIC"));
}

/// What such a timer does, in the program's own words: a thread that reads a timer of timerfd.
class TimerByHand {
 public:
  explicit TimerByHand(std::atomic<int>& count)
      : descriptor_(timerfd_create(CLOCK_MONOTONIC, 0)), reader_([this, &count] {
          std::vector<std::thread> calls;
          for (;;) {
            std::uint64_t expirations = 0;
            check(read(descriptor_, &expirations, sizeof expirations) == sizeof expirations);
            if (is_deleted_) break;
            calls.emplace_back([&count] { ++count; });
          }
          for (std::thread& call : calls) call.join();
        }) {}
  ~TimerByHand() {
    reader_.join();
    close(descriptor_);
  }
  TimerByHand(const TimerByHand&) = delete;
  TimerByHand& operator=(const TimerByHand&) = delete;

  void set(const itimerspec& time) const { check(timerfd_settime(descriptor_, 0, &time, nullptr) == 0); }
  void remove() {
    is_deleted_ = true;
    const itimerspec at_once{{0, 0}, {0, 1}};
    check(timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &at_once, nullptr) == 0);
  }

 private:
  int descriptor_;
  std::atomic<bool> is_deleted_{false};
  std::thread reader_;
};

class TimerOfTheSystem {
 public:
  explicit TimerOfTheSystem(std::atomic<int>& count) : timer_(make_timer(&add_one, &count)) {}
  void set(const itimerspec& time) const { check(timer_settime(timer_, 0, &time, nullptr) == 0); }
  void remove() const { check(timer_delete(timer_) == 0); }

 private:
  timer_t timer_;
};

struct Action {
  enum Kind { set, sleep, look } kind;
  time_t seconds;
  time_t interval;
};

std::vector<Action> random_actions(std::mt19937_64& draw) {
  std::vector<Action> actions{{Action::set, 1 + static_cast<time_t>(draw() % 2), 0}};
  for (auto n = 1 + draw() % 3; n != 0; --n) {
    const auto kind = static_cast<Action::Kind>(draw() % 3);
    actions.push_back({kind, static_cast<time_t>(draw() % 3), static_cast<time_t>(draw() % 4 == 0 ? 2 : 0)});
  }
  return actions;
}

/// What the actions see of the calls, a number of calls in two bits, of the last two looks.
template <class Timer>
Outcomes outcomes_of(const std::vector<Action>& actions) {
  return outcomes_by_bound(
      [&] {
        static std::atomic<int> count;  // it is used when the body has returned, too
        count = 0;
        unsigned seen = 0;
        {
          Timer timer(count);
          for (const Action& action : actions) {
            if (action.kind == Action::set) timer.set({{action.interval, 0}, {action.seconds, 0}});
            if (action.kind == Action::sleep)
              std::this_thread::sleep_for(std::chrono::seconds(action.seconds));
            if (action.kind == Action::look) seen = (seen << 2U) + (static_cast<unsigned>(count) & 3U);
          }
          timer.remove();
        }
        return seen & 15U;
      },
      exhaustively(), 1);
}

TEST(ATimerThatStartsThreads, DoesWhatAThreadThatReadsATimerFileDoes) {
  for (hocket::test::RandomTries tries; tries.goes_on();) {
    std::mt19937_64 draw(tries.seed() + tries.tried());
    const std::vector<Action> actions = random_actions(draw);
    std::string text;
    for (const Action& action : actions)
      text += std::to_string(action.kind) + "(" + std::to_string(action.seconds) + ", " +
              std::to_string(action.interval) + ") ";
    EXPECT_EQ(outcomes_of<TimerOfTheSystem>(actions), outcomes_of<TimerByHand>(actions)) << text;
  }
}

}  // namespace

}  // namespace unmodified::thread_timers
