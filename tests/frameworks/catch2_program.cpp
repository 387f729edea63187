#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#define HAS_SKIP
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <hocket/catch2.hpp>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {
#include "framework_program.inc"

TEST_CASE("it uses a generator") {
  const int number = GENERATE(1, 2);
  std::atomic<int> count{0};
  std::thread other([&] { count += number; });
  other.join();
  CHECK(count.load() == number);
}

#if defined(HAS_SKIP)
TEST_CASE("it skips itself") {
  SKIP("not today");
}
#endif
}  // namespace
