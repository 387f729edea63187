// Numbers that executions of a body leave for the test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

namespace unmodified {

/// Lives outside of the body, whose executions must not allocate for it.
class Collected {
 public:
  /// Throws std::out_of_range if there are too many.
  void add(std::uint64_t number) {
    std::size_t n = 0;
    while (n < size_ && numbers_[n] != number) ++n;
    if (n == size_) numbers_.at(size_++) = number;
  }
  [[nodiscard]] std::set<std::uint64_t> all() const { return {numbers_.begin(), numbers_.begin() + size_}; }

 private:
  std::array<std::uint64_t, 4096> numbers_{};
  std::size_t size_ = 0;
};

}  // namespace unmodified
