// What the process has open in the kernel and in libc. A search must leave no more of it than it has found,
// however many of its executions are cut short.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <vector>

#include <dirent.h>
#include <pthread.h>

#include "std_bodies.hpp"

namespace unmodified {

struct KernelObjects {
  std::size_t descriptors = 0;
  std::size_t keys_left = 0;  ///< pthread keys that can still be made
  std::size_t mappings = 0;

  static KernelObjects now() {
    KernelObjects count;
    DIR* const folder = opendir("/proc/self/fd");
    while (readdir(folder) != nullptr) ++count.descriptors;
    closedir(folder);
    std::vector<pthread_key_t> keys;
    for (pthread_key_t key{}; pthread_key_create(&key, nullptr) == 0;) keys.push_back(key);
    for (const pthread_key_t key : keys) pthread_key_delete(key);
    count.keys_left = keys.size();
    std::FILE* const maps = std::fopen("/proc/self/maps", "r");
    for (int c = std::fgetc(maps); c != EOF; c = std::fgetc(maps)) count.mappings += c == '\n' ? 1 : 0;
    std::fclose(maps);
    return count;
  }
};

/// Expects at its end that there are no more of them than at its beginning. Hocket's own heap may have grown
/// by a few mappings. From the first failure on Hocket has a connection to the program that finds names.
class LeavesNoKernelObjects {
 public:
  LeavesNoKernelObjects() {
    static const bool has_failed = hocket::explore(
        "fails", [] { check(false, "once"); }, quietly())
                                       .failed();
    EXPECT_TRUE(has_failed);
    before_ = KernelObjects::now();
  }
  ~LeavesNoKernelObjects() {
    constexpr std::size_t kOfHocket = 40;
    const KernelObjects after = KernelObjects::now();
    EXPECT_LE(after.descriptors, before_.descriptors);
    EXPECT_GE(after.keys_left, before_.keys_left);
    EXPECT_LE(after.mappings, before_.mappings + kOfHocket);
  }
  LeavesNoKernelObjects(const LeavesNoKernelObjects&) = delete;
  LeavesNoKernelObjects& operator=(const LeavesNoKernelObjects&) = delete;

 private:
  KernelObjects before_;
};

}  // namespace unmodified
