// Calls that change who the process belongs to.
#include <gtest/gtest.h>

#include <cerrno>

#include <grp.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

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
