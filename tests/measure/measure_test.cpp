// What the tables and the coverage curves are measured with.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <hocket/hocket.hpp>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <vector>
#include "scheduler/strategies/strategy.hpp"

#include "tools/tables/measure/executions.hpp"
#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/measure/programs.hpp"

namespace {

using hocket::runtime::ExecutionResult;

bool always() {
  return true;
}

std::unique_ptr<hocket::Strategy> all_schedules() {
  return hocket::make_strategy({.max_preemptions = hocket::unbounded});
}

/// Two threads that do the same to what they share.
void in_two_threads(const std::function<void()>& work) {
  hocket::thread a(work);
  hocket::thread b(work);
  a.join();
  b.join();
}

// The objects live outside the bodies, so that no destruction adds a step.
hocket::atomic<int> counter{0};
hocket::mutex lock;

void add_twice() {
  in_two_threads([] {
    counter.fetch_add(1);
    counter.fetch_add(1);
  });
}

void read_twice() {
  in_two_threads([] {
    counter.load();
    counter.load();
  });
}

TEST(States, OfDependentStepsAreAsManyAsTheirOrders) {
  // After i steps of one and j of the other: (i + j)! / (i! j!), summed over all i, j up to 2.
  const measure::StatesByBound states = measure::states_by_bound(add_twice, "icb", always);
  EXPECT_TRUE(states.is_complete);
  EXPECT_EQ(states.within.back(), 19U);
}

TEST(States, OfIndependentStepsAreAsManyAsTheirSets) {
  const measure::StatesByBound states = measure::states_by_bound(read_twice, "icb", always);
  EXPECT_EQ(states.within.back(), 9U);
}

TEST(States, WithNoPreemptionAreThoseOfOneThreadAfterTheOther) {
  const measure::StatesByBound states = measure::states_by_bound(add_twice, "icb", always);
  EXPECT_EQ(states.within.front(), 9U);  // the first one, and four in each of both orders
}

TEST(States, OfASearchThatWasStoppedAreNotAllThereAre) {
  const measure::StatesByBound states = measure::states_by_bound(add_twice, "icb", [] { return false; });
  EXPECT_FALSE(states.is_complete);
  EXPECT_EQ(states.within, std::vector<std::uint64_t>{5});
}

/// A body in which it is also chosen who is notified.
void notify_one_of_two() {
  hocket::condition_variable changed;
  hocket::mutex mutex;
  bool is_over = false;
  const auto wait = [&] {
    std::unique_lock guard(mutex);
    changed.wait(guard, [&] { return is_over; });
  };
  hocket::thread a(wait);
  hocket::thread b(wait);
  changed.notify_one();
  {
    const std::lock_guard guard(mutex);
    is_over = true;
  }
  changed.notify_all();
  a.join();
  b.join();
}

TEST(States, ByBoundAreTheSameWhicheverReductionMeetsThem) {
  const samples::SampleProgram bluetooth = measure::programs_named({"bluetooth-driver"}).front();
  for (const std::function<void()>& body : {bluetooth.body, std::function<void()>(notify_one_of_two)}) {
    const measure::StatesByBound icb = measure::states_by_bound(body, "icb", always);
    EXPECT_TRUE(icb.is_complete);
    for (const char* reduction : {"hb-cache", "cb-por-basic"}) {
      measure::StatesByBound states = measure::states_by_bound(body, reduction, always);
      EXPECT_TRUE(states.is_complete);
      // Without new states at the highest bounds, a reduction does not come to them.
      ASSERT_LE(states.within.size(), icb.within.size());
      states.within.resize(icb.within.size(), states.within.back());
      EXPECT_EQ(states.within, icb.within) << reduction;
    }
  }
}

TEST(Waits, AreCountedWhereAThreadWasHeldUp) {
  measure::WaitCounter waits;
  unsigned most = 0;
  unsigned least = ~0U;
  const auto body = [] { in_two_threads([] { const std::lock_guard guard(lock); }); };
  EXPECT_TRUE(measure::visit_executions(body, *all_schedules(), waits, [&](const ExecutionResult& run) {
    EXPECT_EQ(run.log.size, 4U);
    EXPECT_EQ(waits.may_wait(), 2U);
    most = std::max(most, waits.had_to_wait());
    least = std::min(least, waits.had_to_wait());
    return true;
  }));
  // The second thread has to wait: a thread stands before its lock from the beginning on.
  EXPECT_EQ(least, 1U);
  EXPECT_EQ(most, 1U);
}

TEST(Waits, InAnAtomicWaitAreItsSecondHalf) {
  measure::WaitCounter waits;
  unsigned most = 0;
  unsigned least = ~0U;
  const auto body = [] {
    hocket::thread waiter([] { counter.wait(0); });
    counter.store(1);
    counter.notify_one();
    waiter.join();
  };
  measure::visit_executions(body, *all_schedules(), waits, [&](const ExecutionResult&) {
    EXPECT_EQ(waits.may_wait(), waits.had_to_wait());
    most = std::max(most, waits.had_to_wait());
    least = std::min(least, waits.had_to_wait());
    return true;
  });
  EXPECT_EQ(least, 0U);
  EXPECT_EQ(most, 1U);
}

TEST(Preemptions, OfAnExecutionAreWhatItsChoicesCost) {
  measure::WaitCounter nothing;
  std::vector<unsigned> executions(3);
  measure::visit_executions(add_twice, *all_schedules(), nothing, [&](const ExecutionResult& run) {
    ++executions.at(measure::preemptions_of(run.log));
    return true;
  });
  EXPECT_EQ(executions, (std::vector<unsigned>{2, 2, 2}));
}

TEST(VisitExecutions, RefusesAProgramThatFails) {
  measure::WaitCounter nothing;
  EXPECT_THROW(measure::visit_executions([] { hocket::check(false, "it broke"); }, *all_schedules(), nothing,
                   [](const ExecutionResult&) { return true; }),
      std::runtime_error);
}

TEST(Programs, AreNamedAsInFileNamesOrInFull) {
  EXPECT_EQ(measure::programs_named({"Bluetooth driver"}).at(0).name, "Bluetooth driver");
  EXPECT_EQ(measure::programs_named({"bluetooth-driver"}).at(0).name, "Bluetooth driver");
  EXPECT_GT(measure::programs_named({}).size(), 1U);
  EXPECT_THROW(measure::programs_named({"tooth"}), std::invalid_argument);
}

TEST(MarkdownTable, AlignsWordsToTheLeftAndNumbersToTheRight) {
  measure::MarkdownTable table({"what", "n"});
  table.add({"caf\u00e9", "1 000"});
  table.add({"x"});
  std::ostringstream out;
  out << table;
  EXPECT_EQ(out.str(),
      "| what |     n |\n"
      "|:-----|------:|\n"
      "| caf\u00e9 | 1 000 |\n"
      "| x    |       |\n");
}

}  // namespace
