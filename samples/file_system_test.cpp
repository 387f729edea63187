// Tests what iterative context bounding finds in the model of a file system.
#include "samples/file_system.hpp"

#include <gtest/gtest.h>

#include "samples/expect_bound.hpp"

namespace {

using hocket::FailureKind;
using samples::FileSystemSeed;
using samples::test_file_system;

TEST(CorrectFileSystem, GivesEveryInodeABlockOfItsOwnUnderEveryScheduleOfUpToThreePreemptions) {
  samples::expect_pass_within(3, [] { test_file_system<FileSystemSeed::none>(); });
}

TEST(CorrectFileSystem, GivesEveryInodeABlockOfItsOwnUnderEveryScheduleOfThreeProcesses) {
  samples::expect_pass_exhaustively(
      [] { test_file_system<FileSystemSeed::none>({.inodes = 2, .blocks = 3, .processes = 3}); });
  samples::expect_pass_exhaustively(
      [] { test_file_system<FileSystemSeed::none>({.inodes = 3, .blocks = 4, .processes = 3}); });
}

TEST(SeededFileSystem, GivesABlockToTwoInodesWithOnePreemptionWhenItUnlocksTheBlock) {
  samples::expect_failure_at(1, FailureKind::check, "belongs to two inodes",
      [] { test_file_system<FileSystemSeed::unlocks_block>(); });
}

TEST(SeededFileSystem, LosesABlockWithOnePreemptionWhenItUnlocksTheInode) {
  samples::expect_failure_at(1, FailureKind::check, "it is busy and belongs to no inode",
      [] { test_file_system<FileSystemSeed::unlocks_inode>(); });
}

}  // namespace
