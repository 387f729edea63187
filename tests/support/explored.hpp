// Common parts of the tests of the semantics: bodies that pass, and their possible outcomes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tests/support/bodies.hpp"

namespace hocket::test {

/// Explores everything and expects that the body passes.
inline Report explored(const std::function<void()>& body, const Options& options = exhaustively()) {
  Report report = report_of(options, body);
  EXPECT_FALSE(report.failed()) << report;
  return report;
}

/// The same with the options first, before a body that is written in the call.
inline Report explored(const Options& options, const std::function<void()>& body) {
  return explored(body, options);
}

/// The values that `body` returns in some execution, each with the least bound at which it does.
template <class Body>
auto outcomes_by_bound(const Body& body, Options options = exhaustively()) {
  std::map<decltype(body()), unsigned> least;
  for (unsigned bound = 0; bound <= 4; ++bound) {
    options.max_preemptions = bound;
    const Report report = explored([&] { least.try_emplace(body(), bound); }, options);
    if (report.verdict == Verdict::passed_exhaustively) break;
  }
  return least;
}
template <class Body>
auto outcomes_by_bound(const Options& options, const Body& body) {
  return outcomes_by_bound(body, options);
}

}  // namespace hocket::test
