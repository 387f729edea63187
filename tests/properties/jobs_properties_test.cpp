// Searches of random programs that go on in several processes: what they find is what the brute force has,
// and the failure is as cheap as that of one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <string>

#include <spdlog/fmt/fmt.h>

#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/programs/expect_none.hpp"
#include "tests/oracle/real_body.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/random_tries.hpp"
#include "tests/support/searched_by_jobs.hpp"

namespace hocket::oracle {

namespace {

using Body = std::function<void()>;
using Difference = std::optional<std::string>;

/// Tries programs whose searches with `strategy` end soon: `difference` says what is wrong with one.
void try_programs(const std::string& strategy,
    const std::function<Difference(const Body& body, const Options& options, const Answer& answer)>&
        difference) {
  constexpr std::uint64_t kMostExecutions = 3'000;
  constexpr double kTimesAsLong = 0.3;  // most of the time is that of the jobs, which does not count
  test::RandomTries tries(1, kTimesAsLong);
  Fuzzing fuzzing;
  fuzzing.seed = tries.seed();
  const auto property = [&](const Program& program, const Answer& answer) -> Difference {
    Options options = test::with(strategy);
    options.spurious_wakeups = program.spurious_wakeups;
    options.spurious_failures = program.spurious_failures;
    options.fair = program.is_fair;
    if (program.is_late) options.timeouts = Timeouts::late;
    options.minimize = {};
    std::uint64_t sum = 0;
    unsigned bounds = 0;
    while (bounds < answer.executions.size() && (sum += answer.executions[bounds]) <= kMostExecutions)
      ++bounds;
    if (bounds == 0) return std::nullopt;
    options.max_preemptions = bounds - 1;
    RealBody body(program);
    return difference([&body] { body.run(); }, options, answer);
  };
  expect_none(tries, [&] { return fuzzing.run(1, property); });
}

/// Whether the first failure needs as many preemptions as that of one process, and all bounds below are done.
bool fails_as_cheaply(const Report& report, const Report& one) {
  const unsigned bound = one.failures.at(0).bound;
  return report.failures.at(0).bound == bound && report.bounds.size() >= bound &&
         std::all_of(report.bounds.begin(), report.bounds.begin() + bound,
             [](const BoundReport& row) { return row.complete; });
}

std::uint64_t classes_at(const Classes& classes, unsigned bound) {
  return static_cast<std::uint64_t>(
      std::count_if(classes.begin(), classes.end(), [&](const auto& one) { return one.second == bound; }));
}

TEST(JobsProperties, EachExecutionIsRunOnceAndEachClassIsMetAtItsBound) {
  unsigned compared = 0;
  try_programs("icb", [&](const Body& body, Options options, const Answer& answer) -> Difference {
    if (!answer.failed.empty()) return std::nullopt;  // the brute force goes on after a check has failed
    options.keep_going = true;
    const Report report = test::searched(body, options, 2 + compared % 2);
    if (report.fair) return std::nullopt;
    ++compared;
    for (unsigned bound = 0; bound < report.bounds.size(); ++bound) {
      const BoundReport& row = report.bounds[bound];
      if (row.classes != classes_at(answer.complete, bound) || !row.complete)
        return fmt::format("{} classes at bound {}", row.classes, bound);
      if (report.dropped == 0 && row.executions != answer.executions[bound])
        return fmt::format("{} executions at bound {}", row.executions, bound);
    }
    return std::nullopt;
  });
  EXPECT_GT(compared, 2U);
}

/// What jobs find that go on with what one process has begun, at once or in the middle of it: with hb-cache
/// alone, and with reductions that join in.
TEST(JobsProperties, SharedWorkMeetsEachClassAtItsBoundAndTheCheapestFailure) {
  using namespace std::chrono_literals;
  unsigned passed = 0;
  unsigned failed = 0;
  unsigned tried = 0;
  for (const char* strategy : {"hb-cache", "auto"}) {
    for (const bool eagerly : {false, true}) {
      const test::DecideAfter soon(eagerly ? 8 : 64, eagerly);
      try_programs(strategy, [&](const Body& body, Options options, const Answer& answer) -> Difference {
        if (options.fair && options.strategy == std::string("hb-cache")) return std::nullopt;
        const Report one = explore("jobs", body, options);
        if (one.verdict == Verdict::stopped) return std::nullopt;
        const unsigned jobs = 2 + ++tried % 2;
        const std::chrono::nanoseconds after = tried % 3 == 0 ? 1ms : 0ms;
        const Report report = test::searched(body, options, jobs, after);
        const auto difference = [&] {
          return fmt::format("{} with {} jobs:\n{}\n{}", strategy, jobs, to_text(report), to_text(one));
        };
        if (report.failed() != one.failed() || report.verdict == Verdict::stopped ||
            report.strategy != one.strategy)
          return difference();
        if (one.failed()) {
          ++failed;
          return fails_as_cheaply(report, one) ? std::nullopt : Difference(difference());
        }
        if (!answer.failed.empty() || report.fair) return std::nullopt;
        ++passed;
        // Which search ends first decides whether it knows that there is nothing beyond the bound.
        if (report.verdict == Verdict::passed_exhaustively && report.classes != answer.complete.size())
          return "there are others:\n" + difference();
        for (unsigned bound = 0; bound < report.bounds.size(); ++bound) {
          const BoundReport& row = report.bounds[bound];
          if (row.classes != classes_at(answer.complete, bound) || !row.complete)
            return fmt::format("bound {} has {} classes in the brute force\n{}", bound,
                classes_at(answer.complete, bound), difference());
        }
        return std::nullopt;
      });
    }
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  EXPECT_GT(passed, 4U);
  EXPECT_GT(failed, 2U);
}

/// What remembers no states shows whether what jobs hand to each other is run once.
TEST(JobsProperties, SharedWorkIsRunOnce) {
  unsigned compared = 0;
  for (const char* strategy : {"auto", "delay", "dfs"}) {
    try_programs(strategy, [&](const Body& body, Options options, const Answer&) -> Difference {
      options.fair |= options.strategy == "auto";
      options.keep_going = true;
      options.max_executions = 20'000;
      const Report one = explore("jobs", body, options);
      if (one.verdict == Verdict::stopped) return std::nullopt;
      const Report report = test::searched(body, options, 2 + compared++ % 2);
      const auto difference = [&] { return to_text(report) + to_text(one); };
      if (report.verdict != one.verdict || report.bounds.size() != one.bounds.size() ||
          report.executions != one.executions || report.classes != one.classes ||
          report.failed_classes != one.failed_classes)
        return difference();
      for (unsigned bound = 0; bound < report.bounds.size(); ++bound) {
        const BoundReport& row = report.bounds[bound];
        const BoundReport& row_of_one = one.bounds[bound];
        if (row.executions != row_of_one.executions || row.classes != row_of_one.classes ||
            row.failures != row_of_one.failures || row.complete != row_of_one.complete)
          return difference();
      }
      return std::nullopt;
    });
  }
  EXPECT_GT(compared, 2U);
}

TEST(JobsProperties, TheFailureIsAsCheapAsThatOfOneProcess) {
  unsigned failed = 0;
  for (const char* strategy : {"icb", "delay", "dfs"}) {
    try_programs(strategy, [&](const Body& body, Options options, const Answer&) -> Difference {
      Options limited = options;
      limited.max_executions = 20'000;
      const Report one = explore("jobs", body, limited);
      if (one.verdict == Verdict::stopped) return std::nullopt;
      failed += one.failed() ? 1 : 0;
      for (const unsigned jobs : {2U, 3U}) {
        const Report report = test::searched(body, options, jobs);
        if (report.verdict != one.verdict ||
            (one.failed() && strategy != std::string("dfs") && !fails_as_cheaply(report, one)))
          return fmt::format("{} with {} jobs:\n{}\n{}", strategy, jobs, to_text(report), to_text(one));
      }
      return std::nullopt;
    });
  }
  std::cout << failed << " failed\n";
  EXPECT_GT(failed, 2U);
}

}  // namespace

}  // namespace hocket::oracle
