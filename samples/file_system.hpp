// A model of a file system, after Flanagan and Godefroid: Dynamic Partial-Order Reduction for Model Checking
// Software, 2005.
//
// Processes create files. A file has an inode. An inode without a block is given one: the first free block,
// searched from a position that depends on the inode. Each inode and each block has its own lock, so
// processes conflict only where two create the same file or where their inodes search the same blocks.
//
// Two bugs can be seeded, each by changing up to three lines. Nothing else depends on them:
// test_file_system() checks one invariant, which only the correct file system keeps under every schedule.
#pragma once

#include <cstddef>
#include <hocket/hocket.hpp>
#include <mutex>
#include <string>
#include <vector>

#include "samples/sample_program.hpp"

namespace samples {

enum class FileSystemSeed {
  none,
  /// A process releases a block's lock between seeing that the block is free and taking it: two inodes get
  /// the same block.
  unlocks_block,
  /// A process releases the inode's lock while it searches for a block: another process does the same, and
  /// the block that the first one has found is lost.
  unlocks_inode,
};

template <FileSystemSeed seed = FileSystemSeed::none>
class FileSystem {
 public:
  static constexpr int kNone = -1;

  /// There must be at least as many blocks as inodes.
  FileSystem(std::size_t inodes, std::size_t blocks) : inodes_(inodes), blocks_(blocks) {
    for (std::size_t n = 0; n < inodes; ++n) {
      hocket::name(inodes_[n].lock, "inode " + std::to_string(n));
      hocket::name(inodes_[n].block, "file " + std::to_string(n));
    }
    for (std::size_t n = 0; n < blocks; ++n) {
      hocket::name(blocks_[n].lock, "block " + std::to_string(n));
      hocket::name(blocks_[n].is_busy, "busy " + std::to_string(n));
    }
  }

  /// For any process: makes sure that the inode has a block.
  void create(std::size_t number) {
    Inode& inode = inodes_[number];
    std::unique_lock guard(inode.lock);
    if (inode.block != kNone) return;
    if (seed == FileSystemSeed::unlocks_inode) guard.unlock();
    const int block = allocate(2 * number);
    if (seed == FileSystemSeed::unlocks_inode) guard.lock();
    inode.block = block;
  }

  // To be called when all processes have ended.
  [[nodiscard]] std::size_t inodes() const { return inodes_.size(); }
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }
  [[nodiscard]] int block_of(std::size_t inode) const { return inodes_[inode].block; }
  [[nodiscard]] bool is_busy(std::size_t block) const { return blocks_[block].is_busy; }

 private:
  struct Inode {
    hocket::mutex lock;
    hocket::var<int> block{kNone};  ///< guarded by lock
  };
  struct Block {
    hocket::mutex lock;
    hocket::var<bool> is_busy{false};  ///< guarded by lock
  };

  int allocate(std::size_t from) {
    for (std::size_t number = from % blocks_.size();; number = (number + 1) % blocks_.size()) {
      Block& block = blocks_[number];
      std::unique_lock guard(block.lock);
      if (block.is_busy) continue;
      if (seed == FileSystemSeed::unlocks_block) {
        guard.unlock();
        guard.lock();
      }
      block.is_busy = true;
      return static_cast<int>(number);
    }
  }

  std::vector<Inode> inodes_;
  std::vector<Block> blocks_;
};

/// There are at least as many processes as inodes. With three inodes and four blocks, the first and the
/// fourth process create the same file, and inodes 0 and 2 both search for a block from block 0 on.
struct FileSystemSetup {
  std::size_t inodes = 3;
  std::size_t blocks = 4;
  std::size_t processes = 4;
};

/// The body of a test: each process creates a file; the first process is the body's own thread. Afterwards
/// every file has a block, and a block is busy if and only if it belongs to exactly one inode.
template <FileSystemSeed seed>
void test_file_system(const FileSystemSetup& setup = {}) {
  FileSystem<seed> files(setup.inodes, setup.blocks);
  hocket::name_this_thread("process 0");
  std::vector<hocket::thread> processes;
  for (std::size_t n = 1; n < setup.processes; ++n) {
    processes.emplace_back([&files, n] { files.create(n % files.inodes()); });
    hocket::name(processes.back(), "process " + std::to_string(n));
  }
  files.create(0);
  for (hocket::thread& process : processes) process.join();

  std::vector<int> owners(files.blocks());
  for (std::size_t inode = 0; inode < files.inodes(); ++inode) {
    const int block = files.block_of(inode);
    hocket::check(block != files.kNone, "inode " + std::to_string(inode) + " has no block");
    hocket::check(++owners[static_cast<std::size_t>(block)] == 1,
        "block " + std::to_string(block) + " belongs to two inodes");
  }
  for (std::size_t block = 0; block < files.blocks(); ++block) {
    hocket::check(files.is_busy(block) == (owners[block] == 1),
        "block " + std::to_string(block) + " is lost: it is busy and belongs to no inode");
  }
}

inline SampleProgram file_system_program() {
  return {"file system", 4, [] { test_file_system<FileSystemSeed::none>(); },
      {{"unlocks the block", 1, hocket::FailureKind::check, "belongs to two inodes",
           [] { test_file_system<FileSystemSeed::unlocks_block>(); }},
          {"unlocks the inode", 1, hocket::FailureKind::check, "it is busy and belongs to no inode",
              [] { test_file_system<FileSystemSeed::unlocks_inode>(); }}}};
}

}  // namespace samples
