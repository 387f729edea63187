// Where threads meet: in which orders a search has run two places whose order the scheduler decides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "scheduler/process/search_guards.hpp"
#include "scheduler/search/meetings.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "atomic.store 3 before, 2 after atomic.load", for each pair that met in at most `bound` preemptions.
std::vector<std::string> meetings_of(
    const std::function<void()>& body, unsigned bound = 2, MemoryModel model = MemoryModel::sc) {
  const SearchGuard guard;
  Meetings meetings;
  runtime::ExecutionOptions asked;
  asked.observer = &meetings;
  asked.keeps_stores = model == MemoryModel::c11;
  const auto strategy = make_strategy(with("icb", bound));
  static_cast<void>(run_executions(*strategy, body, asked));
  std::vector<std::string> texts;
  for (const Meeting& meeting : meetings.list()) {
    EXPECT_GT(meeting.first_before, 0U);
    const std::string how = meeting.has_one_order()           ? " always before "
                            : meeting.first == meeting.second ? " and again "
                                                              : " before and after ";
    texts.push_back(meeting.first.operation + how + meeting.second.operation);
    EXPECT_THAT(meeting.first.where, testing::StartsWith("meetings_test.cpp:"));
  }
  return texts;
}

TEST(Meetings, AreOfOperationsThatTheSchedulerOrders) {
  EXPECT_THAT(meetings_of([] {
    hocket::atomic<int> x(0);
    in_parallel([&] { x.store(1); }, [&] { static_cast<void>(x.load()); });
  }),
      ElementsAre("atomic.load before and after atomic.store"));
}

TEST(Meetings, SayWhatWasRunInOneOrderOnly) {
  const auto body = [] {
    hocket::atomic<int> x(0);
    in_parallel(
        [&] {
          x.store(1);
          x.store(2);
        },
        [&] { static_cast<void>(x.exchange(3)); });
  };
  EXPECT_THAT(
      meetings_of(body, 0), testing::UnorderedElementsAre("atomic.store always before atomic.exchange",
                                "atomic.exchange always before atomic.store"))
      << "without a preemption the exchange comes first or last, and never between";
  EXPECT_THAT(meetings_of(body, 1), ElementsAre("atomic.exchange before and after atomic.store",
                                        "atomic.exchange before and after atomic.store"));
}

TEST(Meetings, AreNoneWhereAThreadComesAfterTheOtherInAnyCase) {
  EXPECT_THAT(meetings_of([] {
    hocket::atomic<int> x(0);
    x.store(1);
    hocket::thread([&] { static_cast<void>(x.load()); }).join();
    x.store(2);
  }),
      IsEmpty());
}

TEST(Meetings, OfALockAreWhereItIsTaken) {
  EXPECT_THAT(meetings_of([] {
    hocket::mutex mutex;
    in_parallel(
        [&] {
          mutex.lock();
          mutex.unlock();
        },
        [&] {
          if (mutex.try_lock()) mutex.unlock();
        });
  }),
      testing::Contains("mutex.lock before and after mutex.try_lock"));
}

TEST(Meetings, OfTwoThreadsAtOnePlaceHaveOneOrder) {
  EXPECT_THAT(meetings_of([] {
    hocket::atomic<int> x(0);
    in_parallel_each(2, [&](unsigned) { x.store(1); });
  }),
      ElementsAre("atomic.store and again atomic.store"));
}

TEST(Meetings, OfAReadOfAnOlderValueComeBeforeTheStoreThatItHasNotSeen) {
  // The reader comes to its load after the store, which only the C++ memory model lets it miss.
  const auto body = [] {
    hocket::atomic<int> x(0);
    hocket::atomic<int> flag(0);
    in_parallel(
        [&] {
          x.store(1, std::memory_order_relaxed);
          flag.exchange(1, std::memory_order_relaxed);
        },
        [&] {
          if (flag.load(std::memory_order_relaxed) == 1) static_cast<void>(x.load(std::memory_order_relaxed));
        });
  };
  EXPECT_THAT(
      meetings_of(body, 1, MemoryModel::sc), ElementsAre("atomic.exchange before and after atomic.load"));
  EXPECT_THAT(meetings_of(body, 1, MemoryModel::c11),
      testing::UnorderedElementsAre(
          "atomic.exchange before and after atomic.load", "atomic.load before and after atomic.store"));
}

}  // namespace

}  // namespace hocket::test
