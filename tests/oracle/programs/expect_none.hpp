// What tests of random programs have in common.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "tests/oracle/programs/counterexample.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::oracle {

/// Tries programs until one contradicts a claim, which is a failure of the test. `next()` tries the next one.
template <class Next>
void expect_none(test::RandomTries& tries, const Next& next) {
  std::optional<Counterexample> found;
  while (!found && tries.goes_on()) found = next();
  EXPECT_FALSE(found) << found->to_text();
}

/// The same with the programs of a generator. `find` says what is wrong with one.
inline void expect_none(test::RandomTries& tries, const Generator& generator, const Find& find) {
  std::uint64_t seed = tries.seed();
  expect_none(tries, [&] { return first_counterexample(generator, seed, 1, find); });
}

}  // namespace hocket::oracle
