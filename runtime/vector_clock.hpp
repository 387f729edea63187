// For every thread, up to which of its times something is known.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket::runtime {

/// The times of the first threads are kept in place and joined without a branch: most executions have no
/// more. Keeps its memory when it is cleared.
class VectorClock {
 public:
  [[nodiscard, gnu::always_inline]] std::uint32_t at(unsigned thread) const {
    if (thread < kNear) [[likely]]
      return near_[thread];
    return at_far(thread - kNear);
  }
  [[gnu::always_inline]] void set(unsigned thread, std::uint32_t time) {
    if (thread < kNear) [[likely]] {
      near_[thread] = time;
    } else {
      set_far(thread - kNear, time);
    }
  }
  [[gnu::always_inline]] void join(const VectorClock& other) {
    for (std::size_t n = 0; n < kNear; ++n) near_[n] = std::max(near_[n], other.near_[n]);
    if (!other.far_.empty()) [[unlikely]]
      join_far(other);
  }
  /// Takes the place of an assignment, and costs no call where there are few threads.
  [[gnu::always_inline]] void become(const VectorClock& other) {
    near_ = other.near_;
    if (!far_.empty() || !other.far_.empty()) [[unlikely]]
      far_ = other.far_;
  }
  void clear() {
    near_ = {};
    far_.clear();
  }

 private:
  static constexpr unsigned kNear = 8;

  [[nodiscard, gnu::noinline]] std::uint32_t at_far(std::size_t n) const {
    return n < far_.size() ? far_[n] : 0;
  }
  [[gnu::noinline]] void set_far(std::size_t n, std::uint32_t time) {
    reach_far(n + 1);
    far_[n] = time;
  }
  void reach_far(std::size_t threads) {
    if (far_.size() < threads) far_.resize(threads);
  }
  [[gnu::noinline]] void join_far(const VectorClock& other) {
    reach_far(other.far_.size());
    for (std::size_t n = 0; n < other.far_.size(); ++n) far_[n] = std::max(far_[n], other.far_[n]);
  }

  std::array<std::uint32_t, kNear> near_{};
  std::vector<std::uint32_t> far_;  ///< of the threads from kNear on
};

}  // namespace hocket::runtime
