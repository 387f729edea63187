// Expectations of the samples' tests: a body passes within a bound, or its first failure needs a given number
// of preemptions.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <hocket/hocket.hpp>
#include <string>

namespace samples {

/// Options under which no schedule is saved and no saved schedule is tried.
inline hocket::Options options(unsigned max_preemptions) {
  return {.max_preemptions = max_preemptions, .try_saved = false, .save_schedules = false};
}

inline hocket::Report explore(const std::function<void()>& body, const hocket::Options& with) {
  return hocket::explore("sample", body, with);
}

inline void expect_pass_within(unsigned bound, const std::function<void()>& body) {
  const hocket::Report report = explore(body, options(bound));
  // If nothing needs so many preemptions, everything there is has passed.
  if (report.verdict == hocket::Verdict::passed_exhaustively) return;
  EXPECT_EQ(report.verdict, hocket::Verdict::passed_within_bound) << report;
  ASSERT_EQ(report.bounds.size(), bound + 1) << report;
  for (const hocket::BoundReport& at : report.bounds) EXPECT_TRUE(at.complete) << report;
}

inline void expect_pass_exhaustively(const std::function<void()>& body) {
  const hocket::Report report = explore(body, options(hocket::unbounded));
  EXPECT_EQ(report.verdict, hocket::Verdict::passed_exhaustively) << report;
}

/// Expects that the body fails with `bound` preemptions, in this way, and passes with fewer. Returns the
/// report of the failure.
inline hocket::Report expect_failure_at(unsigned bound, hocket::FailureKind kind,
    const std::string& words_of_message, const std::function<void()>& body) {
  hocket::Report report = explore(body, options(bound));
  EXPECT_EQ(report.verdict, hocket::Verdict::failed);
  EXPECT_EQ(report.failures.size(), 1U) << report;
  for (const hocket::FoundFailure& failure : report.failures) {
    EXPECT_EQ(failure.bound, bound) << report;
    EXPECT_EQ(failure.kind, kind) << report;
    EXPECT_NE(failure.message.find(words_of_message), std::string::npos) << report;
    EXPECT_NE(failure.schedule, nullptr) << report;
  }
  if (bound > 0) expect_pass_within(bound - 1, body);
  return report;
}

}  // namespace samples
