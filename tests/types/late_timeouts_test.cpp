// Timeouts that are late: they expire only where no thread can go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "scheduler/schedules/schedule_file.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Whether the wait of one thread, for so long, may end before the other has notified it.
template <class Duration>
std::set<bool> may_miss_its_notification(Duration duration, Timeouts timeouts) {
  std::set<bool> outcomes;
  explored(exhaustively({.timeouts = timeouts}), [&] {
    mutex m;
    condition_variable condition;
    bool is_ready = false;
    bool came = false;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          came = condition.wait_for(lock, duration, [&] { return is_ready; });
        },
        [&] {
          const std::lock_guard lock(m);
          is_ready = true;
          condition.notify_one();
        });
    outcomes.insert(!came);
  });
  return outcomes;
}

TEST(ATimeoutOfLessThanAnHour, MayExpireAtAnyTime) {
  EXPECT_THAT(may_miss_its_notification(59min, Timeouts::hour), ElementsAre(false, true));
}

TEST(ATimeoutOfAnHour, LastsForEverUnlessNoThreadCanGoOn) {
  EXPECT_THAT(may_miss_its_notification(1h, Timeouts::hour), ElementsAre(false));
}

TEST(ATimeoutOfAnHour, MayExpireAtAnyTimeIfTheUserWantsThat) {
  EXPECT_THAT(may_miss_its_notification(1h, Timeouts::any), ElementsAre(false, true));
}

TEST(ALateTimeout, LastsForEverUnlessNoThreadCanGoOn) {
  EXPECT_THAT(may_miss_its_notification(1ms, Timeouts::late), ElementsAre(false));
}

TEST(ALateTimeout, OfNoTimeIsNoWait) {
  EXPECT_THAT(may_miss_its_notification(0ms, Timeouts::late), ElementsAre(false, true));
}

TEST(ALateTimeout, ExpiresWhereNoThreadCanGoOn) {
  explored(exhaustively({.timeouts = Timeouts::hour}), [] {
    counting_semaphore<> never(0);
    check(!never.try_acquire_for(2h));
    check(steady_clock::now().time_since_epoch() == 2h);
  });
}

TEST(ALateSleep, EndsAfterWhatOthersCanDo) {
  for (const auto& [timeouts, may_be_short] : {std::pair(Timeouts::late, false), {Timeouts::hour, true}}) {
    std::set<bool> seen;
    explored(exhaustively({.timeouts = timeouts}), [&] {
      atomic<int> x{0};
      thread other([&] {
        x.store(1);
        x.store(2);
      });
      this_thread::sleep_for(1s);
      seen.insert(x.load() != 2);
      other.join();
    });
    EXPECT_EQ(seen.count(true), may_be_short ? 1U : 0U);
  }
}

TEST(ALateSleep, AfterASleepThatTakesNoTimeIsAnotherOneThanThatSleep) {
  for (const char* const strategy : {"auto", "icb", "icb-por", "hb-cache", "cb-por", "cb-por-basic"}) {
    SCOPED_TRACE(strategy);
    std::set<steady_clock::duration> times;
    const Report report = explored(exhaustively({.strategy = strategy, .timeouts = Timeouts::hour}), [&] {
      atomic<int> x{0};
      thread other([&] { x.store(1); });
      this_thread::sleep_for(1s);
      this_thread::sleep_for(2h);
      times.insert(steady_clock::now().time_since_epoch());
      other.join();
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
    EXPECT_THAT(times, ElementsAre(2h, 2h + 1s));
  }
}

TEST(LateTimeoutsAndSleeps, EndInTheOrderOfTheirTimes) {
  std::set<std::string> orders;
  explored(exhaustively({.timeouts = Timeouts::late}), [&] {
    std::string order;
    counting_semaphore<> never(0);
    in_parallel(
        [&] {
          never.try_acquire_for(35ms);
          order += 'w';
        },
        [&] {
          for (int n = 0; n < 5; ++n) {
            this_thread::sleep_for(10ms);
            order += 's';
          }
        });
    orders.insert(order);
  });
  EXPECT_THAT(orders, ElementsAre("ssswss"));
}

TEST(ALateTimeout, WaitsForSleepsThatEndBefore) {
  std::set<bool> outcomes;
  explored(exhaustively({.timeouts = Timeouts::hour}), [&] {
    counting_semaphore<> done(0);
    bool came = false;
    in_parallel([&] { came = done.try_acquire_for(1h); },
        [&] {
          for (int n = 0; n < 5; ++n) this_thread::sleep_for(10ms);
          done.release();
        });
    outcomes.insert(came);
  });
  EXPECT_THAT(outcomes, ElementsAre(true));
}

TEST(ALateTimeout, ExpiresBesideAThreadThatPollsWithASleep) {
  explored(quietly({.max_preemptions = 0, .timeouts = Timeouts::hour}), [] {
    atomic<bool> go{false};
    counting_semaphore<> never(0);
    thread poll([&] {
      while (!go.load()) this_thread::sleep_for(1min);
    });
    check(!never.try_acquire_for(1h));
    go.store(true);
    poll.join();
  });
}

void waits_beside_work(std::chrono::nanoseconds time) {
  counting_semaphore<> never(0);
  atomic<int> x{0};
  thread other([&] {
    x.fetch_add(1);
    x.fetch_add(1);
  });
  never.try_acquire_for(time);
  other.join();
}

TEST(APass, SaysThatTimeoutsWereLate) {
  const auto text_of = [](std::chrono::nanoseconds time, Timeouts timeouts) {
    std::ostringstream text;
    text << explored([&] { waits_beside_work(time); }, exhaustively({.timeouts = timeouts}));
    return text.str();
  };
  EXPECT_THAT(text_of(1s, Timeouts::late),
      HasSubstr("passed every schedule there is, with timeouts only where no thread could go on: "));
  EXPECT_THAT(text_of(1h, Timeouts::hour),
      HasSubstr("there is, with timeouts of an hour or more only where no thread could go on: "));
  EXPECT_THAT(text_of(1s, Timeouts::hour), Not(HasSubstr("only where")));
  EXPECT_THAT(text_of(1h, Timeouts::any), Not(HasSubstr("only where")));
}

TEST(AFailureWithLateTimeouts, IsReplayedByItsFile) {
  const Folder folder;
  Options options = exhaustively({.timeouts = Timeouts::late});
  options.schedule_dir = folder.path();
  options.save_schedules = true;
  const auto body = [] {
    this_thread::sleep_for(1ms);
    check(false, "after the sleep");
  };
  const Report report = explore("late", body, options);
  ASSERT_EQ(report.failures.size(), 1U);
  options = exhaustively({.timeouts = Timeouts::any});
  options.replay = report.failures[0].schedule_file;
  const Report replayed = explore("late", body, options);
  EXPECT_EQ(replayed.verdict, Verdict::failed) << replayed;
  EXPECT_EQ(read_schedule(options.replay).rules().late_from, 1U);
}

TEST(AFailureByASleepThatEndsEarly, NamesTheOptionWithWhichTheTestPasses) {
  const auto text_of = [](Timeouts timeouts, bool joins = true) {
    atomic<bool> is_ready{false};
    return to_text(report_of(exhaustively({.timeouts = timeouts}), [&] {
      is_ready = false;
      thread other([&] {
        this_thread::sleep_for(10ms);
        is_ready = true;
      });
      this_thread::sleep_for(200ms);
      const bool was_ready = is_ready;
      if (joins) other.join();
      check(was_ready, "not ready");
      if (!joins) other.join();
    }));
  };
  const std::string early = text_of(Timeouts::hour);
  EXPECT_THAT(early, HasSubstr("\nmain's sleep of 200 ms (late_timeouts_test.cpp:"));
  EXPECT_THAT(early, HasSubstr(" ended in step 2, before thread 1's of 10 ms in step 4"));
  EXPECT_THAT(
      early, HasSubstr(". Without this the test passes, and always if all sleeps and timeouts are late: "
                       "--hocket_timeouts=late.\n"));
  EXPECT_THAT(early, HasSubstr("thread.sleep for 200 ms "));
  EXPECT_THAT(early, Not(HasSubstr("hardly")));
  EXPECT_THAT(
      text_of(Timeouts::hour, false), HasSubstr(" ended in step 2, before thread 1 had made a step. "));
  EXPECT_THAT(text_of(Timeouts::late), HasSubstr("passed every schedule there is"));
}

TEST(AFailureByASleepThatEndsEarly, NamesTheOneWithoutWhichTheTestPasses) {
  const std::string text = to_text(report_of(exhaustively({.timeouts = Timeouts::hour}), [] {
    atomic<bool> is_ready{false};
    thread other([&] {
      this_thread::sleep_for(10ms);
      is_ready = true;
    });
    this_thread::sleep_for(200ms);
    const bool was_ready = is_ready;
    this_thread::sleep_for(5s);  // too late to matter
    check(was_ready, "not ready");
    other.join();
  }));
  EXPECT_THAT(text, HasSubstr("main's sleep of 200 ms ("));
  EXPECT_THAT(text, Not(HasSubstr("main's sleep of 5 s")));
}

TEST(AFailureByASleepThatEndsEarly, NamesNoneIfNoneAloneMakesItFail) {
  const std::string text = to_text(report_of(exhaustively({.timeouts = Timeouts::hour}), [] {
    atomic<int> ready{0};
    const auto get_ready = [&] {
      this_thread::sleep_for(10ms);
      ++ready;
    };
    thread one(get_ready);
    thread other(get_ready);
    this_thread::sleep_for(200ms);
    const int before = ready;
    this_thread::sleep_for(200ms);
    check(before + ready > 2, "not ready");
    one.join();
    other.join();
  }));
  EXPECT_THAT(text, Not(HasSubstr("main's sleep")));
  EXPECT_THAT(text, HasSubstr("--hocket_timeouts=late"));
}

TEST(AFailureByAWaitThatExpiresEarly, IsToldAsThatByASleep) {
  const std::string text = to_text(report_of(exhaustively({.timeouts = Timeouts::hour}), [] {
    mutex m;
    condition_variable changed;
    bool is_done = false;
    thread other([&] {
      const std::lock_guard guard(m);
      is_done = true;
      changed.notify_one();
    });
    std::unique_lock lock(m);
    check(changed.wait_for(lock, 50ms, [&] { return is_done; }), "not done");
    lock.unlock();
    other.join();
  }));
  EXPECT_THAT(text, HasSubstr("main's wait of 50 ms on "));
  EXPECT_THAT(text, HasSubstr(" expired in step "));
  EXPECT_THAT(
      text, HasSubstr(". Without this the test passes, and always if all sleeps and timeouts are late: "));
}

}  // namespace

}  // namespace hocket::test
