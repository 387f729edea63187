// Common parts of the tests of the semantics: bodies that pass, and their possible outcomes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tests/support/bodies.hpp"

namespace hocket::test {

/// Explores everything and expects that the body passes.
inline Report explored(const std::function<void()>& body, const Options& options = exhaustively()) {
  Report report = explore("semantics", body, options);
  EXPECT_FALSE(report.failed()) << report;
  return report;
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

}  // namespace hocket::test
