// What the tests of unmodified code share: threads of the standard library, and what a search finds.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <unistd.h>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace unmodified {

using hocket::check;
using hocket::Detector;
using hocket::Detectors;
using hocket::FailureKind;
using hocket::FoundFailure;
using hocket::Options;
using hocket::Report;
using hocket::Verdict;
using hocket::test::exhaustively;
using hocket::test::failure_of;
using hocket::test::message_of;
using hocket::test::quietly;
using hocket::test::report_of;
using hocket::test::with;
using hocket::test::within;

/// Runs each function on a std::thread of its own and joins them all; the body itself does nothing else.
template <class... Functions>
void in_parallel(Functions... functions) {
  hocket::test::in_parallel_as<std::thread>(std::move(functions)...);
}

/// The path of a file that only this process makes.
inline std::string own_path(const std::string& name) {
  const char* const folder = std::getenv("TMPDIR");
  return std::string(folder != nullptr ? folder : "/tmp") + "/hocket-" + name + "-" +
         std::to_string(getpid());
}

/// A body with two schedules.
inline void two_steps() {
  std::atomic<int> last{0};
  in_parallel([&] { last = 1; }, [&] { last = 2; });
}

/// Explores everything and expects that it passes.
inline Report explored(const std::function<void()>& body, const Options& options = exhaustively()) {
  Report report = report_of(options, body);
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_NE(report.verdict, Verdict::stopped) << report;
  return report;
}

/// The same with the options first, before a body that is written in the call.
inline Report explored(const Options& options, const std::function<void()>& body) {
  return explored(body, options);
}

/// Passes in full, under strategies of each kind.
inline void explored_everywhere(const std::function<void()>& body) {
  for (const char* const strategy : {"icb", "dfs", "cb-por", "hb-cache"}) {
    EXPECT_EQ(explored(body, with(strategy)).verdict, Verdict::passed_exhaustively) << strategy;
  }
}

/// `body` is wrong and must be told so: fails with this kind, with `bound` preemptions, and a message that
/// has these words.
inline void expect_failure(
    FailureKind kind, unsigned bound, const std::string& words, const std::function<void()>& body) {
  const FoundFailure failure = failure_of(body);
  EXPECT_EQ(to_string(failure.kind), to_string(kind)) << failure.message;
  EXPECT_EQ(failure.bound, bound);
  EXPECT_NE(failure.message.find(words), std::string::npos) << failure.message;
}

using Outcomes = std::map<unsigned, unsigned>;

/// What `body` returns in each execution, a number below 16, with the least bound at which it does.
template <class Body>
Outcomes outcomes_by_bound(const Body& body, Options options = exhaustively(), unsigned last_bound = 4) {
  constexpr unsigned kNever = ~0U;
  // On the stack of the test: what a body allocates and the program's globals are put back.
  std::array<unsigned, 16> least{};
  least.fill(kNever);
  for (unsigned bound = 0; bound <= last_bound; ++bound) {
    options.max_preemptions = bound;
    const Report report = explored(options, [&] {
      const auto outcome = static_cast<std::size_t>(body());
      if (bound < least.at(outcome)) least.at(outcome) = bound;
    });
    if (report.verdict == Verdict::passed_exhaustively) break;
  }
  Outcomes outcomes;
  for (unsigned n = 0; n < least.size(); ++n) {
    if (least[n] != kNever) outcomes[n] = least[n];
  }
  return outcomes;
}
template <class Body>
Outcomes outcomes_by_bound(const Options& options, const Body& body) {
  return outcomes_by_bound(body, options);
}

/// The outcomes alone, where it is the library's business how often it looks and yields before it waits.
template <class Body>
std::set<unsigned> outcomes_of(const Body& body) {
  std::set<unsigned> found;
  for (const auto& [outcome, bound] : outcomes_by_bound(body)) found.insert(outcome);
  return found;
}

}  // namespace unmodified
