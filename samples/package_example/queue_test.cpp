// The code under test was not written for Hocket; only the test was.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include <hocket/gtest.hpp>

#include "queue.hpp"

namespace {

void two_threads_take_one_item() {
  Queue queue;
  queue.push(7);
  std::optional<int> first;
  std::optional<int> second;
  std::thread a([&] { first = queue.pop(); });
  std::thread b([&] { second = queue.pop(); });
  a.join();
  b.join();
  hocket::check(!first || !second, "one item was given to two threads");
}

// A real test would be a HOCKET_TEST and would fail. This one shows that the bug is found.
TEST(Queue, GivesOneItemToTwoThreads) {
  hocket::Options options;
  options.save_schedules = false;
  const hocket::Report report = hocket::explore("Queue", two_threads_take_one_item, options);
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_EQ(report.failures.front().bound, 1U) << report;
}

HOCKET_TEST(Queue, GivesWhatWasPutIn) {
  Queue queue;
  std::thread a([&] { queue.push(7); });
  a.join();
  EXPECT_EQ(queue.pop(), 7);
}

}  // namespace
