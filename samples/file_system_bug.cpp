// A test that fails: two inodes get the same block. The lock of a block is released between seeing that it is
// free and taking it; one preemption there is enough.
#include "samples/file_system.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(FileSystem, GivesABlockToOneInodeOnly) {
  samples::test_file_system<samples::FileSystemSeed::unlocks_block>();
}
