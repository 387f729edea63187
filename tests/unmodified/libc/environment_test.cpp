// The environment of the process: libc keeps it, and bodies may change it.
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

/// Two threads take turns under a mutex, so that there are several executions.
void change(const std::string& value) {
  std::mutex lock;
  const auto set = [&](const char* name) {
    const std::lock_guard guard(lock);
    check(std::getenv(name) == nullptr, "each execution begins with the same environment");
    setenv(name, value.c_str(), 1);
    check(std::getenv(name) == value, "what has been set is there");
  };
  in_parallel([&] { set("HOCKETTEST_ONE"); }, [&] { set("HOCKETTEST_OTHER"); });
}

}  // namespace

TEST(TheEnvironment, MayGetNewVariablesInSearchAfterSearch) {
  const std::vector<std::string> before = environment();
  for (const char* const value : {"a", "something longer than what was there before", "b"}) {
    const hocket::Report report = explored([&] { change(value); });
    EXPECT_EQ(report.verdict, hocket::Verdict::passed_exhaustively) << report;
    EXPECT_EQ(report.classes, 2U);
    EXPECT_EQ(environment(), before);
  }
}

TEST(TheEnvironment, MayLoseAndChangeWhatItHad) {
  setenv("HOCKETTEST_HAD", "before", 1);
  const std::vector<std::string> before = environment();
  for (int search = 0; search < 2; ++search) {
    EXPECT_EQ(explored([] {
      check(std::getenv("HOCKETTEST_HAD") == std::string("before"), "it is there");
      setenv("HOCKETTEST_HAD", "after", 1);
      in_parallel([] { unsetenv("HOCKETTEST_HAD"); }, [] {});
      check(std::getenv("HOCKETTEST_HAD") == nullptr, "it is gone");
      clearenv();
    }).verdict,
        hocket::Verdict::passed_exhaustively);
    EXPECT_EQ(environment(), before);
  }
  unsetenv("HOCKETTEST_HAD");
}

TEST(TheEnvironment, MayBeChangedBetweenSearches) {
  for (const char* const value : {"one", "another, which is longer than the one before it"}) {
    setenv("HOCKETTEST_BETWEEN", value, 1);
    EXPECT_EQ(explored([value] {
      check(std::getenv("HOCKETTEST_BETWEEN") == std::string(value), "it is what it is now");
      static char by_hand[] = "HOCKETTEST_BETWEEN=changed";
      in_parallel([] { putenv(by_hand); }, [] {});
    }).verdict,
        hocket::Verdict::passed_exhaustively);
    EXPECT_STREQ(std::getenv("HOCKETTEST_BETWEEN"), value);
  }
  unsetenv("HOCKETTEST_BETWEEN");
}

}  // namespace unmodified
