#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "runtime/terms/utf8.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "scheduler/schedules/schedule_words.hpp"

#include "tests/support/sample_schedule.hpp"

namespace hocket::tests {
namespace {

using runtime::FailureKind;
using runtime::Mode;
using runtime::Operation;

std::string rendered(const Schedule& schedule, std::size_t width = 110, std::size_t max_rows = 0) {
  return "\n" + render(schedule, {.max_rows = max_rows, .width = width, .color = false});
}

/// A body with `threads` threads of main's, each of which makes one step, every second one preempted.
Schedule crowd(unsigned threads) {
  Schedule schedule = sample_schedule();
  schedule.threads.resize(1);
  schedule.choices.clear();
  for (unsigned n = 1; n <= threads; ++n) {
    schedule.threads.push_back({"thread " + std::to_string(n), 0, n, "crowd.cpp:9"});
    schedule.choices.push_back(
        step(n, Operation::atomic_fetch_add, "sum", "crowd.cpp:9", {std::to_string(n)}, n % 2 == 0 ? 1 : 0));
  }
  schedule.message = "the sum is odd";
  return schedule;
}

TEST(ScheduleText, HasAColumnForEachThreadThatMakesAStep) {
  EXPECT_EQ(rendered(sample_schedule()), R"(
step  owner                                  thread 2
   1  mutex.lock queue lock                                                 queue.hpp:21
   2  atomic.load top → 3                                                   queue.hpp:22
      — preempted —
   3                                         atomic.load top → 3            queue.hpp:35
   4                                         atomic.store top = 4           queue.hpp:36
                                               writes item = 7              queue.hpp:37
   5                                         condition.notify_one not full  queue.hpp:38
   6                                         wakes waiter 2 of 2            queue.hpp:38
   7  mutex.unlock queue lock                                               queue.hpp:25
   8  mutex.try_lock_for queue lock expires                                 queue.hpp:27
      FAILS: an item was taken twice
)");
}

TEST(ScheduleText, IsAListWhereAColumnWouldCutWhatMatters) {
  EXPECT_EQ(rendered(sample_schedule(), 60), R"(
step  thread
   1  owner     mutex.lock queue lock           queue.hpp:21
   2  owner     atomic.load top → 3             queue.hpp:22
      — owner is preempted —
   3  thread 2  atomic.load top → 3             queue.hpp:35
   4  thread 2  atomic.store top = 4            queue.hpp:36
                  writes item = 7               queue.hpp:37
   5  thread 2  condition.notify_one not full   queue.hpp:38
   6  thread 2  wakes waiter 2 of 2             queue.hpp:38
   7  owner     mutex.unlock queue lock         queue.hpp:25
   8  owner     mutex.try_lock_for              queue.hpp:27
                  queue lock expires
                FAILS: an item was taken twice
)");
}

TEST(ScheduleText, HasOneRowForStepsThatComeAgainAndAgain) {
  Schedule schedule = sample_schedule();
  std::vector<runtime::RecordedChoice> all;
  for (int n = 0; n < 8; ++n) {
    all.push_back(step(0, Operation::mutex_lock, "queue lock", "queue.hpp:11"));
    all.push_back(step(0, Operation::mutex_unlock, "queue lock", "queue.hpp:13"));
  }
  all.insert(all.end(), schedule.choices.begin(), schedule.choices.end());
  schedule.choices = all;
  const std::string text = rendered(schedule, 60, 60);
  EXPECT_NE(text.find(R"(
   1  main      mutex.lock queue lock           queue.hpp:11
   2  main      mutex.unlock queue lock         queue.hpp:13
… the same 2 steps 7 times more
  17  owner     mutex.lock queue lock           queue.hpp:21
)"),
      std::string::npos)
      << text;
  schedule.message = "main holds queue lock since step 7";
  EXPECT_NE(rendered(schedule, 60, 60).find("\n   7  main"), std::string::npos);
}

TEST(ScheduleText, HasRowsForTheTwoAccessesOfARace) {
  Schedule schedule = sample_schedule();
  schedule.kind = FailureKind::data_race;
  schedule.threads[1].access = {"writes", "total", "queue.hpp:23", 2, 1};
  schedule.threads[2].access = {"reads", "total", "queue.hpp:39", 99, 2};
  schedule.threads[0].access = {"uses", "nothing", "", 0, 1};
  const std::string text = rendered(schedule, 60);
  EXPECT_NE(text.find(R"(
step  thread
      main      uses nothing
   1  owner     mutex.lock queue lock           queue.hpp:21
   2  owner     atomic.load top → 3             queue.hpp:22
      owner     writes total                    queue.hpp:23
      — owner is preempted —)"),
      std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with(R"(
      thread 2  reads total                     queue.hpp:39
                FAILS: data race
)")) << text;
  schedule.choices.clear();
  EXPECT_EQ(rendered(schedule, 60), R"(
step  main          owner         thread 2
      uses nothing
                    writes total               queue.hpp:23
                                  reads total  queue.hpp:39
                                  FAILS: data race
)");
}

TEST(ScheduleText, HasRowsForWhatTheThreadsOfADeadlockWaitFor) {
  Schedule schedule = sample_schedule();
  schedule.kind = FailureKind::deadlock;
  schedule.threads[0].waiting = {"end", "", {1}, "queue_test.cpp:50"};
  schedule.threads[1].waiting = {"lock", "log lock", {2}, "queue.hpp:28"};
  EXPECT_TRUE(rendered(schedule, 60).ends_with(R"(
      main      waits for the end of       queue_test.cpp:50
                  owner
      owner     waits for log lock         queue.hpp:28
                FAILS: an item was taken twice
)")) << rendered(schedule, 60);
}

TEST(ScheduleText, UsesTwoLinesWhereAColumnIsNarrow) {
  EXPECT_EQ(rendered(sample_schedule(), 64), R"(
step  owner                  thread 2
   1  mutex.lock queue lock                         queue.hpp:21
   2  atomic.load top → 3                           queue.hpp:22
      — preempted —
   3                         atomic.load top → 3    queue.hpp:35
   4                         atomic.store top = 4   queue.hpp:36
                               writes item = 7      queue.hpp:37
   5                         condition.notify_one   queue.hpp:38
                               not full
   6                         wakes waiter 2 of 2    queue.hpp:38
   7  mutex.unlock                                  queue.hpp:25
        queue lock
   8  mutex.try_lock_for                            queue.hpp:27
        queue lock expires
      FAILS: an item was taken twice
)");
}

TEST(ScheduleText, IsAListWhereColumnsWouldBeTooNarrow) {
  EXPECT_EQ(rendered(sample_schedule(), 52), R"(
step  thread
   1  owner     mutex.lock queue lock   queue.hpp:21
   2  owner     atomic.load top → 3     queue.hpp:22
      — owner is preempted —
   3  thread 2  atomic.load top → 3     queue.hpp:35
   4  thread 2  atomic.store top = 4    queue.hpp:36
                  writes item = 7       queue.hpp:37
   5  thread 2  condition.notify_one    queue.hpp:38
                  not full
   6  thread 2  wakes waiter 2 of 2     queue.hpp:38
   7  owner     mutex.unlock            queue.hpp:25
                  queue lock
   8  owner     mutex.try_lock_for      queue.hpp:27
                  queue lock expires
                FAILS: an item was taken twice
)");
}

TEST(ScheduleText, IsAListWhereFortyThreadsRun) {
  EXPECT_EQ(rendered(crowd(40), 110, 5), R"(
step  thread
… 35 steps of 35 threads, with 17 preemptions
      — thread 35 is preempted —
  36  thread 36  atomic.fetch_add sum → 36  crowd.cpp:9
  37  thread 37  atomic.fetch_add sum → 37  crowd.cpp:9
      — thread 37 is preempted —
  38  thread 38  atomic.fetch_add sum → 38  crowd.cpp:9
  39  thread 39  atomic.fetch_add sum → 39  crowd.cpp:9
      — thread 39 is preempted —
  40  thread 40  atomic.fetch_add sum → 40  crowd.cpp:9
                 FAILS: the sum is odd
)");
}

TEST(ScheduleText, ShowsColumnsOfThoseThreadsOnlyThatAreInTheLastPart) {
  EXPECT_EQ(rendered(crowd(40), 110, 2), R"(
step  thread 39                  thread 40
… 38 steps of 38 threads, with 19 preemptions
  39  atomic.fetch_add sum → 39                             crowd.cpp:9
      — preempted —
  40                             atomic.fetch_add sum → 40  crowd.cpp:9
                                 FAILS: the sum is odd
)");
}

TEST(ScheduleText, NamesTheWaiterThatANotificationWakesWhereThatIsNoted) {
  Schedule schedule = sample_schedule();
  schedule.choices[5].notes = {"owner", "writes item = 8  queue.hpp:38"};
  const std::string text = rendered(schedule, 110);
  EXPECT_NE(text.find("   6                                         wakes owner, 2 of 2"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  writes item = 8"), std::string::npos) << text;
}

TEST(ScheduleText, ShowsARoundThatComesAgainAndAgainOnceAndAtTheEnd) {
  Schedule schedule = crowd(3);
  for (int n = 0; n < 5000; ++n) {
    schedule.choices.push_back(
        step(1, runtime::Operation::atomic_load, "ready", "spin.cpp:4", {std::to_string(n)}));
    schedule.choices.push_back(step(1, runtime::Operation::thread_yield, "", "spin.cpp:5"));
  }
  schedule.choices.back().notes = {"FAILS: livelock"};
  EXPECT_EQ(rendered(schedule, 110, 6), R"(
 step  thread 1                  thread 2                  thread 3
    1  atomic.fetch_add sum → 1                                                      crowd.cpp:9
       — preempted —
    2                            atomic.fetch_add sum → 2                            crowd.cpp:9
    3                                                      atomic.fetch_add sum → 3  crowd.cpp:9
    4  atomic.load ready → 0                                                         spin.cpp:4
    5  thread.yield                                                                  spin.cpp:5
… the same 2 steps 4 998 times more
10002  atomic.load ready → 4999                                                      spin.cpp:4
10003  thread.yield                                                                  spin.cpp:5
       FAILS: livelock
)");
}

TEST(ScheduleText, ShowsARoundOfAllThreadsThatIsTheSameEachTimeOnce) {
  Schedule schedule = crowd(3);
  for (int n = 0; n < 900; ++n) {
    for (unsigned thread = 1; thread <= 3; ++thread) {
      schedule.choices.push_back(step(thread, Operation::atomic_load, "ready", "spin.cpp:4", {"0"}));
      schedule.choices.push_back(step(thread, Operation::thread_yield, "", "spin.cpp:5"));
    }
  }
  schedule.choices.back().notes = {"FAILS: livelock"};
  EXPECT_EQ(rendered(schedule, 110, 40), R"(
step  thread 1                  thread 2                  thread 3
   1  atomic.fetch_add sum → 1                                                      crowd.cpp:9
      — preempted —
   2                            atomic.fetch_add sum → 2                            crowd.cpp:9
   3                                                      atomic.fetch_add sum → 3  crowd.cpp:9
… the 6 steps below, 899 times
5398  atomic.load ready → 0                                                         spin.cpp:4
5399  thread.yield                                                                  spin.cpp:5
5400                            atomic.load ready → 0                               spin.cpp:4
5401                            thread.yield                                        spin.cpp:5
5402                                                      atomic.load ready → 0     spin.cpp:4
5403                                                      thread.yield              spin.cpp:5
                                                          FAILS: livelock
)");
}

TEST(ScheduleText, ShowsTheFailureAlsoWhereTheThreadRanOnAfterIt) {
  Schedule schedule = crowd(9);
  schedule.choices[3].notes.emplace_back("FAILS: the sum is odd");
  EXPECT_EQ(rendered(schedule, 80, 4), R"(
step  thread
   1  thread 1  atomic.fetch_add sum → 1  crowd.cpp:9
      — thread 1 is preempted —
   2  thread 2  atomic.fetch_add sum → 2  crowd.cpp:9
   3  thread 3  atomic.fetch_add sum → 3  crowd.cpp:9
      — thread 3 is preempted —
   4  thread 4  atomic.fetch_add sum → 4  crowd.cpp:9
                FAILS: the sum is odd
   5  thread 5  atomic.fetch_add sum → 5  crowd.cpp:9
… 4 steps of 4 threads, with 2 preemptions, after the failure
)");
}

/// A thread makes so many different steps, is preempted once by another one, and goes on.
Schedule long_run(std::size_t steps, std::size_t preempted_after) {
  Schedule schedule = crowd(2);
  schedule.choices.clear();
  for (std::size_t n = 0; n < steps; ++n) {
    const std::string cell = "cell " + std::to_string(n);
    if (n == preempted_after)
      schedule.choices.push_back(step(2, Operation::atomic_load, "sum", "sum.cpp:9", {"7"}, 1));
    schedule.choices.push_back(step(1, Operation::atomic_store, cell, "log.cpp:4", {"1"}));
  }
  schedule.message = "the sum is odd (see step 10)";
  return schedule;
}

TEST(ScheduleText, FoldsWhatLiesBetweenAPreemptionStepsThatTheMessageNamesAndTheFailure) {
  EXPECT_EQ(rendered(long_run(5000, 2500), 110, 20), R"(
step  thread 1                    thread 2
… 9 steps of thread 1
  10  atomic.store cell 9 = 1                          log.cpp:4
… 2 488 steps of thread 1
2499  atomic.store cell 2498 = 1                       log.cpp:4
2500  atomic.store cell 2499 = 1                       log.cpp:4
      — preempted —
2501                              atomic.load sum → 7  sum.cpp:9
2502  atomic.store cell 2500 = 1                       log.cpp:4
… 2 495 steps of thread 1
4998  atomic.store cell 4996 = 1                       log.cpp:4
4999  atomic.store cell 4997 = 1                       log.cpp:4
5000  atomic.store cell 4998 = 1                       log.cpp:4
5001  atomic.store cell 4999 = 1                       log.cpp:4
      FAILS: the sum is odd (see step 10)
)");
}

TEST(ScheduleText, ShowsEveryStepWhereNoMaximumIsGiven) {
  const std::string text = rendered(long_run(300, 100), 110, 0);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 1 + 301 + 1 + 1);  // heading, preemption, failure
  EXPECT_EQ(text.find("…"), std::string::npos);
}

TEST(ScheduleInWords, SaysAfterWhichStepAThreadIsPreemptedAndWhichGoesOn) {
  EXPECT_EQ(in_words(long_run(30, 10)),
      "thread 1 is preempted after step 10, atomic.store of cell 9 at log.cpp:4; thread 2 goes on.\n");
  EXPECT_EQ(in_words(crowd(8)),
      "The last 3 of 4 preemptions:\n"
      "thread 3 is preempted after step 3, atomic.fetch_add of sum at crowd.cpp:9; thread 4 goes on.\n"
      "thread 5 is preempted after step 5, atomic.fetch_add of sum at crowd.cpp:9; thread 6 goes on.\n"
      "thread 7 is preempted after step 7, atomic.fetch_add of sum at crowd.cpp:9; thread 8 goes on.\n");
}

TEST(ScheduleInWords, CutsALongLineOfSourceAtTheWidth) {
  Schedule schedule = long_run(30, 10);
  schedule.sources[10] = "std::thread other([&] { std::unique_lock held(mutex); changed.wait(held); });";
  const std::string line = "\n      std::thread other([&] { std::unique_lock held(mutex); ";
  EXPECT_NE(in_words(schedule).find(line + "changed.wait(held); });\n"), std::string::npos);
  EXPECT_NE(in_words(schedule, true, 80).find(line + "changed.wait(held);…\n"), std::string::npos);
}

TEST(ScheduleInWords, SaysInWhichOrderThreadsRunWithoutPreemptions) {
  Schedule schedule = long_run(4, 4);
  EXPECT_EQ(in_words(schedule), "No thread is preempted; only thread 1 makes steps.\n");
  schedule = long_run(4, 2);
  schedule.choices[2].price = 0;
  EXPECT_EQ(in_words(schedule),
      "No thread is preempted; they run in this order: thread 1, thread 2, thread 1 again.\n");
  EXPECT_EQ(in_words(crowd(0)), "");
}

TEST(ScheduleText, TellsWhatAChoiceCostsThatIsNoSwitch) {
  Schedule schedule = sample_schedule();
  schedule.message = "woken up too early";
  schedule.choices = {
      step(1, Operation::condition_wait, "not empty", "q.cpp:1", {}, 1, Mode::spurious),
      step(2, Operation::condition_wait, "not full", "q.cpp:2", {"until 5 ms"}, 2, Mode::expire),
      step(2, Operation::atomic_compare_exchange, "top", "q.cpp:3", {"failed, found 4"}),
      value(2, Operation::atomic_compare_exchange, 1, 2, "q.cpp:3", 1),
      step(2, Operation::thread_yield, "", "q.cpp:4", {}, 1),
      value(2, Operation::choose, 2, 3, "q.cpp:5"),
  };
  EXPECT_EQ(rendered(schedule, 150), R"(
step  owner                                                thread 2
   1  condition.wait not empty wakes spuriously (costs 1)                                                        q.cpp:1
      — preempted —
   2                                                       condition.wait not full until 5 ms expires (costs 1)  q.cpp:2
   3                                                       atomic.compare_exchange top → failed, found 4         q.cpp:3
   4                                                       fails spuriously (costs 1)                            q.cpp:3
   5                                                       thread.yield (costs 1)                                q.cpp:4
   6                                                       choose(3) → 2                                         q.cpp:5
                                                           FAILS: woken up too early
)");
}

TEST(ScheduleText, LetsTheFailureReachIntoOtherColumns) {
  Schedule schedule = crowd(2);
  schedule.message =
      "the sum is odd, which cannot be, since each of these two threads added an even number to it";
  const std::string text = rendered(schedule, 80);
  EXPECT_NE(text.find("\n      FAILS: the sum is odd, which cannot be, since each of these two threads a…\n"),
      std::string::npos)
      << text;
  schedule.message = "the sum is odd, which surprises everybody";
  EXPECT_NE(rendered(schedule, 80)
                .find("\n" + std::string(32, ' ') + "FAILS: the sum is odd, which surprises everybody\n"),
      std::string::npos)
      << rendered(schedule, 80);
}

TEST(ScheduleText, IsNeverWiderThanAsked) {
  Schedule schedule = sample_schedule();
  schedule.message = std::string(300, 'm');
  schedule.choices[0].object = "ein sehr langer Name für ein Schloß 漢字漢字漢字";
  schedule.choices[1].where = std::string(100, 'f') + ".cpp:123456";
  schedule.choices[2].notes = {std::string(200, '9'), "reads " + std::string(200, 'x') + " = 1  file.cpp:1"};
  schedule.threads[1].label = std::string(100, 't');
  for (std::size_t width = 80; width < 200; ++width) {
    std::istringstream lines(render(schedule, {.max_rows = 0, .width = width}));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(utf8::columns(line), width) << line;
      EXPECT_EQ(utf8::first_invalid(line), std::string::npos) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
  EXPECT_NE(render(schedule).find(" ffffffffffffffffffffffff…:123456\n"), std::string::npos)
      << render(schedule);
}

TEST(ScheduleText, TakesAnyWidth) {
  for (const std::size_t width : {std::size_t{0}, std::size_t{1}, std::size_t{20}, ~std::size_t{0} / 2}) {
    EXPECT_NE(
        render(crowd(3), {.max_rows = 0, .width = width}).find("FAILS: the sum is odd"), std::string::npos);
  }
}

TEST(ScheduleText, CannotCommandATerminal) {
  Schedule schedule = sample_schedule();
  schedule.message = "\x1b[2J\nsecond \xff line\x07";
  schedule.where = "\x1b[31m.cpp:1";
  schedule.threads[1].label = "ow\x1b[31mner\n";
  schedule.choices[0].object = "queue\nlock\u009b\u202e";
  schedule.choices[1].notes = {"\r\x1b]0;title\x07", "reads \x1b = 1  \x1b.cpp:1", "FAILS: \x1b[2J"};
  for (const std::string& text : {render(schedule), headline(schedule)}) {
    EXPECT_EQ(text.find_first_of("\x1b\r\x07"), std::string::npos) << text;
    EXPECT_EQ(utf8::first_invalid(text), std::string::npos) << text;
    EXPECT_EQ(text.find("\u009b"), std::string::npos) << text;
    EXPECT_EQ(text.find("\u202e"), std::string::npos) << text;
  }
}

TEST(ScheduleText, IsColouredSparingly) {
  Schedule schedule = crowd(2);
  EXPECT_EQ("\n" + render(schedule, {.max_rows = 0, .width = 80, .color = true}),
      "\nstep  thread 1                  thread 2\n"
      "   1  atomic.fetch_add sum → 1                            crowd.cpp:9\n"
      "      \x1b[33m— preempted —\x1b[0m\n"
      "   2                            atomic.fetch_add sum → 2  crowd.cpp:9\n"
      "                                \x1b[31mFAILS: the sum is odd\x1b[0m\n");
  EXPECT_EQ(headline(schedule, true), "\x1b[31mcheck failed: the sum is odd\x1b[0m\n  at queue_test.cpp:57");
}

TEST(ScheduleText, LeavesTheLinesOfATestFrameworkAsTheyAre) {
  Schedule schedule;
  schedule.kind = FailureKind::assertion;
  schedule.message = "Expected equality of these values:\n  counter.value_of_the_thread_that_counts()";
  EXPECT_EQ(headline(schedule, false, 30),
      "assertion failed: Expected\n  equality of these values:\n    "
      "counter.value_of_the_thread_that_counts()");
  schedule.kind = FailureKind::deadlock;
  schedule.message = "deadlock: no thread goes on\nthread 1 waits for thread 2, which waits";
  EXPECT_EQ(headline(schedule, false, 30),
      "deadlock: no thread goes on\n  thread 1 waits for thread 2,\n  which waits");
}

TEST(ScheduleText, OfNoStepsOrOfACrashSaysSo) {
  Schedule schedule = crowd(0);
  EXPECT_EQ(render(schedule), "It fails before the first step.\n");
  schedule.choices.resize(12);
  schedule.threads.clear();
  schedule.complete = false;
  const std::string rest =
      " before it could record what happened in the 12 choices of this schedule; a replay will complete the "
      "file.\n";
  EXPECT_EQ(render(schedule), "The search was stopped" + rest) << "a failed check";
  schedule.kind = FailureKind::signal;
  EXPECT_EQ(render(schedule), "The process died" + rest);
}

TEST(ScheduleText, BeginsWithWhatBrokeAndWhere) {
  Schedule schedule;
  const auto headline_of = [&](FailureKind kind, std::string message, std::string where = "",
                               int signal = 0) {
    schedule.kind = kind;
    schedule.message = std::move(message);
    schedule.where = std::move(where);
    schedule.signal = signal;
    return headline(schedule);
  };
  EXPECT_EQ(headline_of(FailureKind::check, "an item was taken twice", "q.cpp:57"),
      "check failed: an item was taken twice\n  at q.cpp:57");
  EXPECT_EQ(headline_of(FailureKind::check, ""), "check failed");
  EXPECT_EQ(headline_of(
                FailureKind::deadlock, "deadlock: no thread can continue\n  owner waits for lock", "q.cpp:9"),
      "deadlock: no thread can continue\n    owner waits for lock\n  at q.cpp:9");
  EXPECT_EQ(headline_of(FailureKind::signal, "in thread 1", "", 11), "SIGSEGV: in thread 1");
  EXPECT_EQ(headline_of(FailureKind::signal, "SIGSEGV in thread 1", "", 11), "SIGSEGV in thread 1");
  EXPECT_EQ(headline_of(FailureKind::signal, "", "", 63), "signal 63");
  EXPECT_EQ(headline_of(FailureKind::misuse, "thread 1 unlocks mutex 1, which owner holds"),
      "misuse: thread 1 unlocks mutex 1, which owner holds");
}

}  // namespace
}  // namespace hocket::tests
