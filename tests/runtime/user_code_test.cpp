// Which source files hold the user's code, by the paths that debug information has.
#include "runtime/platform/symbols/user_code.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace hocket::test {

namespace {

using runtime::platform::holds_user_code;
using runtime::platform::is_of_hocket;

TEST(APath, OfTheUsersTreeHoldsUserCode) {
  EXPECT_TRUE(holds_user_code("/home/me/cache/src/cache.cpp"));
  EXPECT_TRUE(holds_user_code("cache.cpp"));
  EXPECT_TRUE(holds_user_code("../src/cache.hpp"));
  EXPECT_FALSE(holds_user_code("/usr/include/c++/12/bits/stl_vector.h"));
  EXPECT_FALSE(holds_user_code(""));
}

TEST(APath, OfATestFrameworkHoldsNoneWhereverItIs) {
  for (const char* const path : {"/usr/include/gtest/gtest.h", "/usr/src/googletest/googletest/src/gtest.cc",
           "/usr/include/catch2/catch.hpp", "_deps/catch2-src/src/catch2/internal/catch_run_context.cpp",
           "../third_party/catch_amalgamated.cpp", "/usr/include/doctest/doctest.h", "tests/doctest.h"})
    EXPECT_FALSE(holds_user_code(path)) << path;
  EXPECT_TRUE(holds_user_code("src/gtest.cpp"));
  EXPECT_TRUE(holds_user_code("/home/me/googletest/cache_test.cpp"));
}

TEST(APath, OfHocketsTreeHoldsNoneWhetherItIsAbsoluteOrRelative) {
  EXPECT_FALSE(holds_user_code("/opt/include/hocket/runtime/execution/locking.hpp"));
  EXPECT_FALSE(holds_user_code("../../runtime/execution/locking.hpp"));
  EXPECT_FALSE(holds_user_code("runtime/execution/locking.hpp"));
  EXPECT_FALSE(holds_user_code("../../interpose/include/hocket/../../types/mutex.hpp"));
}

TEST(APath, OfHocketsTreeIsToldFromThoseOfOtherLibraries) {
  EXPECT_TRUE(is_of_hocket("/opt/include/hocket/runtime/execution/locking.hpp"));
  EXPECT_TRUE(is_of_hocket("runtime/execution/locking.hpp"));
  EXPECT_FALSE(is_of_hocket("/usr/include/c++/12/bits/stl_vector.h"));
  EXPECT_FALSE(is_of_hocket("cache.cpp"));
  EXPECT_FALSE(is_of_hocket(""));
}

TEST(ARelativePath, HoldsUserCodeWhereHocketHasAFolderButNoFileOfThatName) {
  EXPECT_TRUE(holds_user_code("../runtime/execution/of_the_user.hpp"));
  EXPECT_TRUE(holds_user_code("../../scheduler/jobs.cpp"));
}

TEST(APath, IsLookedAtWithoutAChangeOfErrno) {
  errno = 0;
  EXPECT_TRUE(holds_user_code("../runtime/execution/of_the_user.hpp"));
  EXPECT_EQ(errno, 0);
}

}  // namespace

}  // namespace hocket::test
