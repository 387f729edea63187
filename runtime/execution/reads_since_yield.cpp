#include "reads_since_yield.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace hocket::runtime {

namespace {

void remove_duplicates(std::vector<Thread::Read>& reads) {
  const auto is_before = [](const Thread::Read& a, const Thread::Read& b) {
    if (a.object != b.object) return std::less<>()(a.object, b.object);
    return a.version < b.version;
  };
  std::sort(reads.begin(), reads.end(), is_before);
  const auto is_same = [](const Thread::Read& a, const Thread::Read& b) {
    return a.object == b.object && a.version == b.version;
  };
  reads.erase(std::unique(reads.begin(), reads.end(), is_same), reads.end());
}

}  // namespace

void note_read_since_yield(Thread& thread, const Object& object, std::uint32_t version) {
  std::vector<Thread::Read>& reads = thread.reads_since_yield;
  if (!reads.empty() && reads.back().object == &object && reads.back().version == version) return;
  // Each time the memory is full. It grows unless at least half of it becomes free, so that this takes
  // constant time on average.
  if (reads.size() == reads.capacity() && !reads.empty()) {
    const std::size_t full = reads.size();
    remove_duplicates(reads);
    if (reads.size() > full / 2) reads.reserve(2 * full);
  }
  reads.push_back({&object, version});
}

}  // namespace hocket::runtime
