// Searches of instrumented code that go on in several processes.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>

#include <sys/resource.h>

#include "tests/support/searched_by_jobs.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::jobs {

namespace {

/// Pages that processes which have been waited for have touched.
long pages_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_minflt;
}

/// What two jobs say of the body, which is the same that one says.
Report searched_by_two(const std::function<void()>& body, const Options& options) {
  const Report one = hocket::test::searched(body, options, 1);
  const long before = pages_of_children();
  const Report two = hocket::test::searched(body, options, 2);
  EXPECT_GT(pages_of_children(), before) << "there should have been jobs";
  EXPECT_EQ(two.verdict, one.verdict) << one << two;
  EXPECT_EQ(two.failures.size(), one.failures.size()) << one << two;
  EXPECT_EQ(two.bounds.size(), one.bounds.size()) << one << two;
  for (std::size_t bound = 0; bound < two.bounds.size() && bound < one.bounds.size(); ++bound) {
    if (one.failed()) continue;
    EXPECT_EQ(two.bounds[bound].complete, one.bounds[bound].complete) << bound;
    EXPECT_EQ(two.bounds[bound].classes, one.bounds[bound].classes) << bound;
  }
  return two;
}

TEST(JobsOfInstrumentedCode, MeetTheClassesOfOneProcess) {
  const auto body = [] {
    std::mutex lock;
    std::atomic<int> count{0};
    const auto add = [&] {
      const std::lock_guard<std::mutex> guard(lock);
      ++count;
    };
    in_parallel(
        add, [&] { count += 2; }, add);
  };
  for (const char* const strategy : {"auto", "icb", "hb-cache"})
    EXPECT_FALSE(searched_by_two(body, hocket::test::with(strategy, 2)).failed()) << strategy;
}

TEST(JobsOfInstrumentedCode, FindAFailureWithAsFewPreemptions) {
  const auto body = [] {
    std::atomic<int> count{0};
    const auto add = [&] { count = count + 1; };
    in_parallel(add, add);
    check(count == 2, "an addition is lost");
  };
  for (const char* const strategy : {"auto", "icb"}) {
    const Report report = searched_by_two(body, hocket::test::with(strategy, 2));
    ASSERT_EQ(report.failures.size(), 1U) << report;
    EXPECT_EQ(report.failures[0].bound, 1U) << report;
  }
}

}  // namespace

}  // namespace unmodified::jobs
