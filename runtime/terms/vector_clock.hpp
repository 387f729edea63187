// For every thread, the latest of its times that is known.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket::runtime {

/// How many threads an execution has: at most VectorClock::kNear, or any number.
enum class Threads : bool { few, any };

/// The times of the first threads are kept in place and joined without a branch. Most executions have no more
/// threads; callers that know this use Threads::few. The clock keeps its memory when it is cleared.
class VectorClock {
 public:
  static constexpr unsigned kNear = 8;

  template <Threads threads = Threads::any>
  [[nodiscard, gnu::always_inline]] std::uint32_t at(unsigned thread) const {
    if (threads == Threads::few || thread < kNear) [[likely]]
      return static_cast<std::uint32_t>(near_[thread]);
    return at_far(thread - kNear);
  }
  template <Threads threads = Threads::any>
  [[gnu::always_inline]] void set(unsigned thread, std::uint32_t time) {
    if (threads == Threads::few || thread < kNear) [[likely]] {
      near_[thread] = static_cast<std::int32_t>(time);
    } else {
      set_far(thread - kNear, time);
    }
  }
  template <Threads threads = Threads::any>
  [[gnu::always_inline]] void join(const VectorClock& other) {
    const Near theirs = other.near_;  // a copy: no store can change it
    for (std::size_t n = 0; n < kNear; ++n) near_[n] = std::max(near_[n], theirs[n]);
    if (threads == Threads::any && !other.far_.empty()) [[unlikely]]
      join_far(other);
  }
  /// Replaces assignment, and needs no call where there are few threads.
  template <Threads threads = Threads::any>
  [[gnu::always_inline]] void become(const VectorClock& other) {
    near_ = other.near_;
    if (threads == Threads::any && (!far_.empty() || !other.far_.empty())) [[unlikely]]
      far_ = other.far_;
  }
  void clear() {
    near_ = {};
    far_.clear();
  }

 private:
  /// Signed because processors compare vectors of signed numbers directly. No thread's time reaches half of
  /// the unsigned range.
  using Near = std::array<std::int32_t, kNear>;

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

  Near near_{};
  std::vector<std::uint32_t> far_;  ///< for the threads from kNear on
};

}  // namespace hocket::runtime
