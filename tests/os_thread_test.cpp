// A search has its OS thread to itself.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "tests/bodies.hpp"
#include "tests/failure_of.hpp"

namespace hocket::test {

namespace {

TEST(ASecondOsThreadDeathTest, ThatTouchesAnObjectDuringASearchIsRefused) {
  EXPECT_DEATH(explore(
                   "two OS threads",
                   [] {
                     atomic<int> x{0};
                     std::thread stranger([&] { x.store(1); });
                     stranger.join();
                   },
                   quietly()),
      "an operation on a hocket:: object from an OS thread that is not under control, while a search runs");
}

TEST(ASecondOsThread, ThatExploresDuringASearchIsRefused) {
  std::string message;
  explore(
      "outer",
      [&] {
        std::thread stranger([&] {
          try {
            explore(
                "inner", [] {}, quietly());
          } catch (const std::logic_error& error) {
            message = error.what();
          }
        });
        stranger.join();
      },
      quietly());
  EXPECT_EQ(message,
      "hocket: explore() was called while another search runs in this process; run one after the other");
}

TEST(ASearch, CanRunOnAnyOsThreadInTurn) {
  const auto search = [] { expect_to_pass([] { in_parallel([] { choose(2); }, [] { choose(2); }); }); };
  search();
  std::thread(search).join();
  search();
}

}  // namespace

}  // namespace hocket::test
