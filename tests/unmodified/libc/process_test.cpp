// What the system and libc keep of the process: its environment, and who it belongs to. Bodies may change the
// first.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include <grp.h>
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

TEST(TheEnvironment, MayGetNewVariablesInSearchAfterSearch) {
  const std::vector<std::string> before = environment();
  for (const char* const value : {"a", "something longer than what was there before", "b"}) {
    const Report report = explored([&] { change(value); });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
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
        Verdict::passed_exhaustively);
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
        Verdict::passed_exhaustively);
    EXPECT_STREQ(std::getenv("HOCKETTEST_BETWEEN"), value);
  }
  unsetenv("HOCKETTEST_BETWEEN");
}

TEST(TheIdentityOfTheProcess, MayBeSetToWhatItIs) {
  explored([] {
    const auto set_all = [] {
      check(setuid(getuid()) == 0 && seteuid(geteuid()) == 0 && setreuid(getuid(), -1U) == 0);
      check(setresuid(-1U, geteuid(), -1U) == 0);
      check(setgid(getgid()) == 0 && setegid(getegid()) == 0 && setregid(-1U, getegid()) == 0);
      check(setresgid(getgid(), getgid(), getgid()) == 0);
      check(setuid(-1U) == -1 && errno == EINVAL);
    };
    in_parallel(set_all, set_all);
  });
  EXPECT_EQ(setuid(getuid()), 0);  // outside a body it is the system's
}

TEST(TheIdentityOfTheProcess, IsNotChangedByABody) {
  if (geteuid() != 0) {
    explored([] { check(setuid(geteuid() + 1) == -1 && errno == EPERM); });
    return;
  }
  expect_failure(hocket::FailureKind::misuse, 0, "setuid()", [] { setuid(4711); });
  expect_failure(hocket::FailureKind::misuse, 0, "setresgid()",
      [] { std::thread([] { setresgid(-1U, 4711, -1U); }).join(); });
  expect_failure(hocket::FailureKind::misuse, 0, "setgroups()", [] { setgroups(0, nullptr); });
  EXPECT_EQ(geteuid(), 0U);
}

}  // namespace

}  // namespace unmodified
