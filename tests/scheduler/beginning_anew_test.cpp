// A search that had to begin anew reports what it has done since then, as if it had never done anything else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <string>

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

/// An execution that reaches the step limit with yields while another thread could run.
void starve_another_thread() {
  mutex m;
  thread other([&] { m.lock(), m.unlock(); });
  for (;;) {
    m.lock();
    m.unlock();
    yield();
  }
}

/// Three threads. Some executions abandon a stack, and some are dropped. The first that comes to its end in
/// the run with the number `unfair` or later is unfair after that.
struct VariedBody {
  int unfair = 0;
  int runs = 0;

  void operator()() {
    ++runs;
    atomic<int> x{0};
    const std::uint32_t way = choose(4);
    const auto work = [&] {
      for (int n = 0; n < 3; ++n) x.fetch_add(1);
    };
    in_parallel(work, work, [&] {
      x.fetch_add(1);
      if (way == 3) std::terminate();
      assume(way != 2);
    });
    if (unfair == 0 || runs < unfair) return;
    unfair = 0;
    starve_another_thread();
  }
};

Options thoroughly() {
  Options options = exhaustively({.max_steps = 200, .keep_going = true});
  options.minimize = std::chrono::seconds(0);  // its runs would count as runs of the search
  return options;
}

void expect_same_coverage(const Coverage& one, const Coverage& other) {
  EXPECT_EQ(one.executions, other.executions);
  EXPECT_EQ(one.pruned, other.pruned);
  EXPECT_EQ(one.dropped, other.dropped);
  EXPECT_EQ(one.classes, other.classes);
  EXPECT_EQ(one.failed_classes, other.failed_classes);
  EXPECT_EQ(one.steps, other.steps);
  EXPECT_EQ(one.abandoned, other.abandoned);
  EXPECT_EQ(one.bounds.size(), other.bounds.size());
  EXPECT_EQ(one.counts_polling, other.counts_polling);
  EXPECT_EQ(one.polls_at, other.polls_at);
  EXPECT_EQ(one.pending, other.pending);
  EXPECT_EQ(one.frontier_peak_items, other.frontier_peak_items);
  EXPECT_EQ(one.frontier_peak_bytes, other.frontier_peak_bytes);
  EXPECT_EQ(one.table_bytes, other.table_bytes);
}

TEST(ASearchThatBeginsAnew, ReportsWhatOneDoesThatBeginsLikeIt) {
  for (const char* strategy : {"icb", "auto"}) {
    for (const int unfair : {20, 400}) {  // before the frontier is measured for the first time, and after
      SCOPED_TRACE(std::string(strategy) + ", run " + std::to_string(unfair));
      Options options = thoroughly();
      options.strategy = strategy;
      VariedBody body{unfair};
      const Report anew = report_of(options, [&] { body(); });
      EXPECT_TRUE(anew.fair) << anew;
      options.fair = true;
      VariedBody always_fair;
      const Report from_the_start = report_of(options, [&] { always_fair(); });
      EXPECT_GT(from_the_start.abandoned, 0U);
      EXPECT_GT(from_the_start.frontier_peak_items, 0U);
      expect_same_coverage(anew, from_the_start);
    }
  }
}

TEST(ASearchThatBeginsAnew, RunsItsFirstExecutionTwice) {
  int runs = 0;
  const Report report = report_of(thoroughly(), [&] {
    ++runs;
    atomic<int> x{0};
    in_parallel([&] { x.fetch_add(1); }, [&] { x.fetch_add(1); });
    if (runs == 3) starve_another_thread();
    if (runs > 3 && runs % 2 == 0) x.store(0);
  });
  EXPECT_TRUE(report.fair);
  EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
  EXPECT_THAT(report.explanation, HasSubstr("execution 1 took a different path when it was run again"));
}

}  // namespace

}  // namespace hocket::test
