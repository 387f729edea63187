// For every thread, up to which of its times something is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket::runtime {

/// Keeps its memory when it is cleared.
class VectorClock {
 public:
  [[nodiscard]] std::uint32_t at(unsigned thread) const {
    return thread < times_.size() ? times_[thread] : 0;
  }
  void set(unsigned thread, std::uint32_t time) {
    reach(thread + std::size_t{1});
    times_[thread] = time;
  }
  void join(const VectorClock& other) {
    reach(other.times_.size());
    for (std::size_t n = 0; n < other.times_.size(); ++n) times_[n] = std::max(times_[n], other.times_[n]);
  }
  void clear() { times_.clear(); }

 private:
  void reach(std::size_t threads) {
    if (times_.size() < threads) times_.resize(threads);
  }

  std::vector<std::uint32_t> times_;
};

}  // namespace hocket::runtime
