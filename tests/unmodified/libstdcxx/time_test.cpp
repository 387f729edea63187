// Clocks, sleeps and yields: time is virtual and passes only when nothing else can happen.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>

#include <sched.h>
#include <sys/time.h>
#include <unistd.h>
#include <ctime>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

TEST(ASleep, PassesVirtualTimeAndNoReal) {
  const auto begin = steady_clock::now();
  explored([] {
    const auto sleeping = steady_clock::now();
    std::this_thread::sleep_for(1h);
    check(steady_clock::now() - sleeping >= 1h);
    std::this_thread::sleep_until(steady_clock::now() + 1h);
    check(steady_clock::now() - sleeping >= 2h);
  });
  EXPECT_LT(steady_clock::now() - begin, 1min);
}

TEST(ASleep, OfEveryFormLastsAsLongAsItSays) {
  const auto lasts = [](std::chrono::nanoseconds time, const std::function<void()>& sleep) {
    const auto begin = steady_clock::now();
    sleep();
    check(steady_clock::now() - begin >= time);
    check(steady_clock::now() - begin < 2 * time);
  };
  explored([&] {
    lasts(2s, [] { check(sleep(2) == 0); });
    lasts(3ms, [] { check(usleep(3000) == 0); });
    lasts(5ns, [] {
      const timespec time{0, 5};
      check(nanosleep(&time, nullptr) == 0);
    });
    lasts(1s, [] {
      const timespec time{1, 0};
      check(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr) == 0);
    });
    lasts(1s, [] {
      timespec until{};
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += 1;
      check(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, nullptr) == 0);
    });
  });
}

TEST(ASleep, ThatIsNoTimeIsRefusedAsTheSystemDoes) {
  explored([] {
    const timespec wrong{0, 1'000'000'000};
    const timespec negative{-1, 0};
    errno = 0;
    check(nanosleep(&wrong, nullptr) == -1 && errno == EINVAL);
    check(nanosleep(&negative, nullptr) == -1);
    check(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, nullptr) == EINVAL);
  });
}

TEST(TheClocks, BeginAtTheSameTimeInEveryExecutionAndAgree) {
  std::int64_t first = 0;
  const Report report = explored([&] {
    std::atomic<int> n{0};
    in_parallel([&] { n.fetch_add(1); }, [&] { n.fetch_add(1); });
    timespec steady{};
    check(clock_gettime(CLOCK_MONOTONIC, &steady) == 0);
    const std::int64_t now = steady.tv_sec * 1'000'000'000 + steady.tv_nsec;
    check(first == 0 || now == first, "another execution began at another time");
    first = now;

    timespec real{};
    clock_gettime(CLOCK_REALTIME, &real);
    timeval day{};
    gettimeofday(&day, nullptr);
    time_t stored = 0;
    check(time(&stored) == real.tv_sec && stored == real.tv_sec && day.tv_sec == real.tv_sec);
    check(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) == real.tv_sec);
  });
  EXPECT_GT(report.executions, 1U);
}

TEST(TheClockOfTheProcessor, IsTheSystemsOwn) {
  explored([] {
    timespec used{};
    check(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0);
    check(used.tv_sec < 1'000'000);
  });
}

TEST(AYield, LetsASpinningThreadWaitForAnother) {
  const auto spin = [](const std::function<void()>& give_way) {
    explored(within(1), [&] {
      std::atomic<bool> is_ready{false};
      in_parallel(
          [&] {
            while (!is_ready.load()) give_way();
          },
          [&] { is_ready.store(true); });
    });
  };
  spin([] { std::this_thread::yield(); });
  spin([] { sched_yield(); });
  spin([] { std::this_thread::sleep_for(1us); });
}

TEST(Sleepers, WakeInTheOrderOfTheirTimesWhenNothingElseCanRun) {
  const Outcomes outcomes = outcomes_by_bound([] {
    std::atomic<unsigned> last{0};
    in_parallel(
        [&] {
          std::this_thread::sleep_for(2s);
          last.store(2);
        },
        [&] {
          std::this_thread::sleep_for(1s);
          last.store(1);
        });
    return last.load();
  });
  // Sleeping is yielding: no time is a promise that another thread has got on.
  EXPECT_EQ(outcomes, (Outcomes{{1, 0}, {2, 0}}));
}

}  // namespace

}  // namespace unmodified
