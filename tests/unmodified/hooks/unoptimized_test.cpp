// Compiled without optimisation, where functions of the standard library are not inlined.
#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(AnAtomicStdSharedPtr, RacesWithNobodyWhereNothingIsInlined) {
  explored_within(1, [] {
    std::atomic<std::shared_ptr<unsigned>> shared{std::make_shared<unsigned>(1)};
    in_parallel([&] { shared.store(std::make_shared<unsigned>(2)); }, [&] { check(*shared.load() != 0); });
    check(*shared.load() == 2);
  });
}

}  // namespace

}  // namespace unmodified
