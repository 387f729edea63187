// Objects that a test has given one name stay different objects: in messages, in advice, in the table, in
// replays, and where two runs are compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <optional>
#include <string>

#include <hocket/hocket.hpp>
#include "scheduler/schedules/schedule.hpp"
#include "scheduler/schedules/schedule_text.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/bodies_of_any_types.hpp"
#include "tests/support/failure_of.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

template <class Object>
void name_both(std::array<Object, 2>& objects, const char* what) {
  for (Object& one : objects) name(one, what);
}

TEST(ObjectsOfOneName, AreNumberedInTheOrderOfTheirNaming) {
  const FoundFailure failure = failure_of([] {
    std::array<mutex, 3> locks;
    for (mutex& lock : locks) name(lock, "lock");
    name(locks[1], "lock");  // which it has already
    locks[0].lock();
    locks[1].lock();
    locks[2].lock();
    locks[1].lock();
  });
  EXPECT_THAT(failure.message, HasSubstr("lock #2"));
  ASSERT_GE(failure.schedule->choices.size(), 3U);
  EXPECT_EQ(failure.schedule->choices[0].object, "lock");
  EXPECT_EQ(failure.schedule->choices[1].object, "lock #2");
  EXPECT_EQ(failure.schedule->choices[2].object, "lock #3");
}

TEST(ObjectsOfOneName, AreToldApartFromOnesThatHaveSuchANameByThemselves) {
  const FoundFailure failure = failure_of([] {
    mutex first;
    mutex second;
    mutex third;
    name(first, "mutex 2");
    name(third, "mutex 2 #2");
    first.lock();
    second.lock();
    third.lock();
    second.lock();
  });
  ASSERT_GE(failure.schedule->choices.size(), 3U);
  EXPECT_EQ(failure.schedule->choices[0].object, "mutex 2");
  EXPECT_EQ(failure.schedule->choices[1].object, "mutex 2 #3");
  EXPECT_EQ(failure.schedule->choices[2].object, "mutex 2 #2");
}

TEST(ASemaphoreThatNobodyUsed, IsNotSaidToHaveBeenAcquiredLikeItsNamesake) {
  const FoundFailure failure =
      failure_of(wait_for_a_semaphore_with_a_namesake<counting_semaphore<4>, thread>);
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_THAT(failure.message, HasSubstr("main waits for permits #2"));
  EXPECT_THAT(failure.message, HasSubstr("its count is 0, never released"));
  EXPECT_THAT(failure.message, Not(HasSubstr("acquired")));
}

TEST(ASemaphore, IsRememberedByWhatWasDoneBeforeItGotItsName) {
  const FoundFailure failure = failure_of([] {
    counting_semaphore<4> permits{1};
    permits.acquire();
    name(permits, "permits");
    permits.acquire();
  });
  EXPECT_THAT(failure.message, HasSubstr("main waits for permits"));
  EXPECT_THAT(failure.message, HasSubstr("its count is 0, last acquired by main in step 1"));
}

TEST(AConditionThatNobodyNotified, GetsTheAdviceForThatDespiteANotifiedNamesake) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    mutex m;
    std::array<condition_variable, 2> ready;
    name_both(ready, "ready");
    bool done = false;
    thread notifier([&] {
      const std::lock_guard guard(m);
      done = true;
      ready[0].notify_one();
    });
    notifier.join();
    std::unique_lock lock(m);
    ready[1].wait(lock);
  });
  EXPECT_THAT(message, HasSubstr("a notification of ready #2"));
  EXPECT_THAT(message, HasSubstr("it was never notified"));
  EXPECT_THAT(message, HasSubstr("has to call notify_one or notify_all of the same object"));
  EXPECT_THAT(message, Not(HasSubstr("is lost")));
}

TEST(AnAtomicThatNobodyChanged, IsNotSaidToHaveBeenChangedLikeItsNamesake) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    std::array<atomic<int>, 2> flags{};
    name_both(flags, "flag");
    thread writer([&] { flags[0].store(1); });
    writer.join();
    await([&] { return flags[1].load() != 0; });
  });
  EXPECT_THAT(message, HasSubstr("waits in await for a change of flag #2"));
  EXPECT_THAT(message, HasSubstr("no other thread has changed flag #2"));
}

TEST(StepsThatRepeat, AreNotTheSameIfTheirObjectsHaveOneName) {
  const FoundFailure failure = failure_of(quietly({.max_steps = 100}), [] {
    std::array<atomic<int>, 2> counts{};
    name_both(counts, "count");
    for (unsigned n = 0;; ++n) counts[n % 2].fetch_add(1);
  });
  EXPECT_EQ(failure.kind, FailureKind::step_limit);
  EXPECT_THAT(failure.message, HasSubstr("The same 2 steps repeat:"));
  EXPECT_THAT(failure.message, HasSubstr("main: atomic.fetch_add count  at"));
  EXPECT_THAT(failure.message, HasSubstr("main: atomic.fetch_add count #2  at"));
  EXPECT_THAT(render(*failure.schedule), HasSubstr("atomic.fetch_add count #2"));
}

TEST(AReplay, NoticesThatAStepIsNowOnTheNamesake) {
  const Folder folder;
  Options options{.schedule_dir = folder.path().string(), .try_saved = false};
  unsigned which = 0;
  const auto body = [&] {
    std::array<atomic<int>, 2> counts{};
    name_both(counts, "count");
    counts.at(which).store(1);
    check(false, "always");
  };
  const Report found = explore("namesakes", body, options);
  ASSERT_EQ(found.failures.size(), 1U);
  options.replay = found.failures[0].schedule_file;
  EXPECT_EQ(explore("namesakes", body, options).verdict, Verdict::failed);
  which = 1;
  const Report diverged = explore("namesakes", body, options);
  EXPECT_EQ(diverged.verdict, Verdict::nondeterministic) << diverged;
  EXPECT_THAT(diverged.explanation,
      HasSubstr(
          R"(the file says "main: atomic.store count", but the program does "main: atomic.store count #2")"));
}

TEST(ABodyThatIsNotDeterministic, IsToldFromItsOtherRunByObjectsOfOneName) {
  unsigned run = 0;
  const Report report = report_of(exhaustively(), [&] {
    std::array<atomic<int>, 2> counts{};
    name_both(counts, "count");
    counts[++run % 2].load();
  });
  EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
  EXPECT_THAT(report.explanation, HasSubstr("step 1 was once"));
  EXPECT_THAT(report.explanation, HasSubstr("atomic.load count at"));
  EXPECT_THAT(report.explanation, HasSubstr("atomic.load count #2 at"));
}

TEST(AnObjectThatReplacesAnotherInStaticStorage, HasNotDoneWhatThatOneDid) {
  static std::optional<counting_semaphore<4>> slot;
  const std::string message = message_of(FailureKind::deadlock, [] {
    slot.emplace(0);
    slot->release();
    slot->acquire();
    slot.emplace(0);
    slot->acquire();
  });
  slot.reset();
  EXPECT_THAT(message, HasSubstr("its count is 0, never released"));
}

}  // namespace

}  // namespace hocket::test
