// Numbers of threads that stay the same across the executions of a search.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace hocket::graph {

/// Assigns threads numbers that are stable across the executions of a search. They start at 1; 0 means no
/// thread.
class ThreadNumbers {
 public:
  unsigned number(std::uint64_t key) {
    const auto [place, is_new] = numbers_.try_emplace(key, static_cast<unsigned>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return place->second;
  }
  [[nodiscard]] std::uint64_t key(unsigned number) const { return keys_[number]; }
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(keys_.size()); }

 private:
  std::unordered_map<std::uint64_t, unsigned> numbers_;
  std::vector<std::uint64_t> keys_{0};
};

}  // namespace hocket::graph
