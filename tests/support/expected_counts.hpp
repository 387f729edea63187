// Expects that a search meets the classes of a program, by bound, as a table lists them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/support/bodies.hpp"
#include "tests/support/counted_programs.hpp"

namespace hocket::test {

/// Explores `body`, which does what the program does, with a strategy that is complete within each bound, and
/// compares the counts. `runs_each_class_once`: the search must run exactly one execution per class.
inline void expect_the_counts_of(const Program& program, const std::function<void()>& body,
    const std::string& strategy, unsigned last_bound, bool runs_each_class_once) {
  Options options = with(strategy, last_bound);
  options.keep_going = program.about.deadlocked_classes != 0;
  const Report report = explore(program.name, body, options);

  const bool has_an_end = last_bound == unbounded;
  if (program.about.deadlocked_classes != 0) {
    EXPECT_EQ(report.verdict, Verdict::failed);
    ASSERT_EQ(report.failures.size(), 1U) << report;
    EXPECT_EQ(report.failures[0].kind, FailureKind::deadlock);
    EXPECT_EQ(report.failures[0].bound, program.about.deadlock_bound);
  } else {
    EXPECT_EQ(report.verdict, has_an_end ? Verdict::passed_exhaustively : Verdict::passed_within_bound)
        << report;
  }
  EXPECT_EQ(report.failed_classes, program.about.deadlocked_classes);

  // After the last number of a row there are more executions, but no classes that a smaller bound lacks.
  Counts expected = program.classes;
  if (!has_an_end && expected.size() > last_bound + 1) expected.resize(last_bound + 1);
  expected.resize(std::max(expected.size(), report.bounds.size()), expected.back());
  Counts classes;
  Counts executions;
  for (const BoundReport& bound : report.bounds) {
    EXPECT_TRUE(bound.complete);
    classes.push_back(bound.classes + (classes.empty() ? 0 : classes.back()));
    executions.push_back(bound.executions - bound.failures + (executions.empty() ? 0 : executions.back()));
  }
  classes.resize(expected.size(), classes.back());
  executions.resize(expected.size(), executions.back());
  EXPECT_EQ(classes, expected);
  if (runs_each_class_once) {
    EXPECT_EQ(executions, expected);
  }
}

}  // namespace hocket::test
