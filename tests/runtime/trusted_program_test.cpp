// Programs that Hocket finds by itself, and those that others could have put there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "runtime/platform/trusted_program.hpp"
#include "tests/support/folder.hpp"

namespace {

using hocket::runtime::platform::may_be_trusted;

class AProgramThatWasFound : public testing::Test {
 protected:
  AProgramThatWasFound() {
    std::ofstream(program_) << "#!/bin/sh\n";
    chmod(program_.c_str(), 0755);
    EXPECT_TRUE(may_be_trusted(program_.c_str()));
  }

  hocket::test::Folder folder_;
  std::string program_ = (std::filesystem::absolute(folder_.path()) / "program").string();
};

TEST_F(AProgramThatWasFound, IsNotTrustedWhereEverybodyMayChangeItOrItsFolder) {
  chmod(program_.c_str(), 0757);
  EXPECT_FALSE(may_be_trusted(program_.c_str()));
  chmod(program_.c_str(), 0755);
  chmod(folder_.path().c_str(), 0777);
  EXPECT_FALSE(may_be_trusted(program_.c_str()));
  chmod(folder_.path().c_str(), 01777);  // who comes first in such a folder owns the name
  EXPECT_FALSE(may_be_trusted(program_.c_str()));
}

TEST_F(AProgramThatWasFound, IsNotTrustedIfItsOwnerIsSomebodyElse) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kSomebody = 4711;
  ASSERT_EQ(chown(folder_.path().c_str(), kSomebody, kSomebody), 0);
  EXPECT_FALSE(may_be_trusted(program_.c_str()));
  ASSERT_EQ(chown(folder_.path().c_str(), 0, 0), 0);
  const std::string link = program_ + "-link";
  std::filesystem::create_symlink(program_, link);
  EXPECT_TRUE(may_be_trusted(link.c_str()));
  ASSERT_EQ(lchown(link.c_str(), kSomebody, kSomebody), 0);
  EXPECT_FALSE(may_be_trusted(link.c_str()));
  ASSERT_EQ(chown(program_.c_str(), kSomebody, kSomebody), 0);
  EXPECT_FALSE(may_be_trusted(program_.c_str()));
}

TEST_F(AProgramThatWasFound, IsNotTrustedWithoutItsFolder) {
  EXPECT_FALSE(may_be_trusted("program"));
  EXPECT_FALSE(may_be_trusted((program_ + "-that-is-not-there").c_str()));
}

}  // namespace
