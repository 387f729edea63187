// Executions that cannot go on, or go on for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Deadlock, SaysWhoWaitsForWhatHeldByWhom) {
  std::array<int, 5> lines{};
  const FoundFailure failure = failure_of([&] {
    mutex accounts;
    mutex journal;
    name(accounts, "accounts");
    name(journal, "journal");
    thread teller([&] {
      name_this_thread("teller");
      lines[3] = __LINE__ + 1;
      const std::lock_guard one(accounts);
      lines[1] = __LINE__ + 1;
      journal.lock();
      journal.unlock();
    });
    thread auditor([&] {
      lines[4] = __LINE__ + 1;
      const std::lock_guard one(journal);
      lines[2] = __LINE__ + 1;
      accounts.lock();
      accounts.unlock();
    });
    name(auditor, "auditor");
    lines[0] = __LINE__ + 1;
    teller.join();
    auditor.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_EQ(failure.bound, 1U);
  EXPECT_EQ(failure.message,
      "deadlock: no thread can continue"
      "\n  main waits in join for teller to end at " +
          place(lines[0]) + "\n  teller waits for journal since step 2 at " + place(lines[1]) +
          "; auditor holds it since step 1 at " + place(lines[4]) +
          "\n  auditor waits for accounts since step 1 at " + place(lines[2]) +
          "; teller holds it since step 2 at " + place(lines[3]) +
          "\nteller and auditor wait for each other; let every thread take the mutexes in the same order, or "
          "together with std::scoped_lock");
}

TEST(Deadlock, OfALostNotificationSaysWhenThatCame) {
  std::array<int, 2> lines{};
  const std::string message = message_of(FailureKind::deadlock, [&] {
    mutex m;
    condition_variable ready;
    name(ready, "ready");
    thread consumer([&] {
      name_this_thread("consumer");
      std::unique_lock lock(m);
      lines[0] = __LINE__ + 1;
      ready.wait(lock);
    });
    lines[1] = __LINE__ + 1;
    ready.notify_one();
    consumer.join();
  });
  EXPECT_THAT(message,
      HasSubstr("\n  consumer waits for a notification of ready since step 3 at " + place(lines[0]) +
                "; the last one came before: condition.notify_one by main in step 1 at " + place(lines[1]) +
                ", when no thread waited: consumer had made no step yet, and came to its wait in step 3\n"));
  EXPECT_THAT(message,
      HasSubstr("\nA notification that comes before its waiter waits is lost: look at what is waited for "
                "before each wait, and change it before the notification"));
}

TEST(Deadlock, OfANotificationBetweenALookAndItsWaitNamesTheMutexThatWouldHaveKeptItAway) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    mutex m;
    condition_variable ready;
    atomic<bool> is_there{false};
    name(m, "m");
    name(ready, "ready");
    thread consumer([&] {
      name_this_thread("consumer");
      std::unique_lock lock(m);
      ready.wait(lock, [&] { return is_there.load(); });
    });
    is_there.store(true);  // without the mutex
    ready.notify_one();
    consumer.join();
  });
  EXPECT_THAT(message,
      ContainsRegex(
          ", when no thread waited: consumer held m since step 1, and came to its wait in step [0-9]+\n"));
  EXPECT_THAT(message, HasSubstr("is lost: change what is waited for under m, so that this does not happen "
                                 "between a waiter's look at it and its wait"));
  EXPECT_THAT(message, Not(HasSubstr("predicate")));
}

TEST(Deadlock, OfSeveralNotificationsTellsWhatBecameOfEach) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    mutex m;
    condition_variable changed;
    name(changed, "changed");
    int value = 0;
    thread reader([&] {
      name_this_thread("reader");
      std::unique_lock lock(m);
      changed.wait(lock, [&] { return value == 3; });
    });
    for (int n = 0; n < 2; ++n) {
      const std::lock_guard lock(m);
      ++value;
      changed.notify_one();
    }
    changed.notify_all();
    reader.join();
  });
  EXPECT_THAT(message, HasSubstr("condition.notify_all by main in step "));
  EXPECT_THAT(message, ContainsRegex("\n    before that: step [0-9]+ by main \\((no thread waited|woke "
                                     "it)\\) and step [0-9]+ by main \\((no thread waited|woke it)\\)\n"));
}

TEST(Deadlock, OfAThreadThatWasWokenAndWaitsAgainBlamesNoNotification) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    mutex m;
    condition_variable changed;
    int value = 0;
    bool is_waiting = false;
    thread reader([&] {
      name_this_thread("reader");
      std::unique_lock lock(m);
      is_waiting = true;
      changed.wait(lock, [&] { return value == 2; });
    });
    {
      const std::lock_guard lock(m);
      assume(is_waiting);
      value = 1;
    }
    changed.notify_one();
    reader.join();
  });
  EXPECT_THAT(message, HasSubstr(", which woke it: it waits again"));
  EXPECT_THAT(message, Not(HasSubstr("is lost")));
  EXPECT_THAT(message, Not(HasSubstr("notify_all")));
}

TEST(Deadlock, OfANotificationThatWokeAnotherWaiterNamesThatOne) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    mutex m;
    condition_variable changed;
    name(changed, "changed");
    int turn = 0;
    const auto wait_for_turn = [&](int mine) {
      std::unique_lock lock(m);
      while (turn != mine) changed.wait(lock);
    };
    thread first([&] { wait_for_turn(1); });
    thread second([&] { wait_for_turn(2); });
    name(first, "first");
    name(second, "second");
    {
      const std::lock_guard lock(m);
      turn = 2;
    }
    changed.notify_one();
    second.join();
    {
      const std::lock_guard lock(m);
      turn = 1;
    }
    changed.notify_all();
    first.join();
  });
  EXPECT_THAT(message, HasSubstr("\n  second waits for a notification of changed since step "));
  EXPECT_THAT(message, HasSubstr("condition.notify_one by main in step "));
  EXPECT_THAT(message, HasSubstr(", which could have woken first or second, and woke first"));
}

TEST(Deadlock, OnASemaphoreTellsItsCountAndWhoAcquiredLast) {
  int line = 0;
  const std::string message = message_of(FailureKind::deadlock, [&] {
    counting_semaphore<> tokens(1);
    name(tokens, "tokens");
    thread taker([&] {
      line = __LINE__ + 1;
      tokens.acquire();
    });
    taker.join();
    static_cast<void>(tokens.try_acquire());
    tokens.acquire();
  });
  EXPECT_THAT(message, HasSubstr("main waits for tokens since step "));
  EXPECT_THAT(message, HasSubstr("; its count is 0, last acquired by thread 1 in step 1 at " + place(line) +
                                 ", never released"));
}

TEST(Deadlock, OfSomeThreadsNamesThoseThatHaveEnded) {
  const std::string message =
      message_of(FailureKind::deadlock, quietly({.detect = Detectors().without(Detector::held_locks)}), [] {
        mutex m;
        name(m, "m");
        thread leaver([&] { m.lock(); });
        thread waiter([&] { m.lock(); });
        name(leaver, "leaver");
        leaver.join();
        waiter.join();
      });
  EXPECT_THAT(message, HasSubstr("\n  thread 2 waits for m at "));
  EXPECT_THAT(message, HasSubstr("; leaver holds it since step 1 at "));
  EXPECT_THAT(message, HasSubstr(", and has ended\nleaver has ended"));
}

TEST(Deadlock, OfANotifiedThreadNamesWhoHoldsTheMutex) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    mutex m;
    name(m, "m");
    bool is_waiting = false;
    condition_variable condition;
    thread t([&] {
      std::unique_lock lock(m);
      is_waiting = true;
      condition.wait(lock);
    });
    m.lock();
    assume(is_waiting);
    condition.notify_one();
    t.join();  // with m locked
  });
  EXPECT_THAT(message,
      HasSubstr("\n  thread 1 waits to take m again (notified by condition variable 1) since step 2 at"));
  EXPECT_THAT(message, HasSubstr("; main holds it since step 3 at "));
  EXPECT_THAT(message, HasSubstr("release a mutex before joining a thread that takes it"));
}

TEST(Deadlock, OfThreadsThatJoinEachOtherSpeaksOfNoMutex) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    atomic<bool> are_made{false};
    thread one;
    thread other;
    one = thread([&] {
      are_made.wait(false);
      other.join();
    });
    other = thread([&] {
      are_made.wait(false);
      one.join();
    });
    are_made.store(true);
    are_made.notify_all();
    await([&] { return !are_made.load(); });
  });
  EXPECT_THAT(message,
      HasSubstr("\nthread 1 and thread 2 wait for each other; threads that join each other can never end"));
}

TEST(StepLimit, NamesTheThreadAndTheOperationsThatItRepeats) {
  std::array<int, 2> lines{};
  const std::string message = message_of(FailureKind::step_limit, quietly({.max_steps = 100}), [&] {
    atomic<bool> ready{false};
    atomic<int> rounds{0};
    name(ready, "ready");
    name(rounds, "rounds");
    thread t([&] {
      name_this_thread("spinner");
      for (;;) {
        lines[0] = __LINE__ + 1;
        if (ready.load()) break;
        lines[1] = __LINE__ + 1;
        rounds.fetch_add(1);
      }
    });
    t.join();
  });
  EXPECT_THAT(message, HasSubstr("the execution reached the limit of 100 steps. The same 2 steps repeat:"));
  EXPECT_THAT(message, HasSubstr("\n  spinner: atomic.load ready  at " + place(lines[0])));
  EXPECT_THAT(message, HasSubstr("\n  spinner: atomic.fetch_add rounds  at " + place(lines[1])));
}

TEST(StepLimit, EndsABodyThatOnlyChooses) {
  int line = 0;
  const std::string message = message_of(FailureKind::livelock, quietly({.max_steps = 50}), [&] {
    line = __LINE__ + 1;
    for (;;) choose(2);
  });
  EXPECT_THAT(message, HasSubstr("the limit of 50 steps is reached"));
  EXPECT_THAT(message, HasSubstr(":\n  main: choose  at " + place(line)));
}

TEST(StepLimit, LeavesAnExecutionOfExactlyThatManyStepsAlone) {
  const auto ten_steps = [] {  // nine stores and the end of x
    atomic<int> x{0};
    for (int n = 0; n < 9; ++n) x.store(n);
  };
  Options options = quietly({.max_steps = 10});
  expect_to_pass(ten_steps, options);
  options.max_steps = 9;
  EXPECT_EQ(failure_of(ten_steps, options).kind, FailureKind::step_limit);
}

}  // namespace

}  // namespace hocket::test
