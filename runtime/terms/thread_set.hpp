// A set of logical threads, as a bitmap of their indices within one execution.
//
// Indices are assigned in the order of creation, so they are meaningful only within one execution under one
// schedule. Where a stable identity across schedules is needed, Thread::key is used.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace hocket::runtime {

/// The maximum number of logical threads in one execution, including the body's own.
inline constexpr unsigned kMaxThreads = 256;

class ThreadSet {
 public:
  static constexpr unsigned kWords = kMaxThreads / 64;

  [[nodiscard]] bool contains(unsigned thread) const {
    return (words_[thread / 64] >> (thread % 64) & 1) != 0;
  }
  void insert(unsigned thread) { words_[thread / 64] |= std::uint64_t{1} << (thread % 64); }
  void erase(unsigned thread) { words_[thread / 64] &= ~(std::uint64_t{1} << (thread % 64)); }
  void assign(unsigned thread, bool member) { member ? insert(thread) : erase(thread); }
  void clear() { words_ = {}; }

  /// Whether more than one member has an index below 64.
  [[nodiscard]] bool has_several_low() const { return (words_[0] & (words_[0] - 1)) != 0; }

  [[nodiscard]] bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }

  [[nodiscard]] unsigned size() const {
    // Sets are small or empty, so this is faster than std::popcount, which is a call on baseline x86-64.
    unsigned n = 0;
    for (auto word : words_) {
      for (; word != 0; word &= word - 1) ++n;
    }
    return n;
  }

  /// The members with an index below 64, as a bitmap.
  [[nodiscard]] std::uint64_t low_word() const { return words_[0]; }

  /// Whether every member has an index below 64.
  [[nodiscard]] bool is_narrow() const { return (words_[1] | words_[2] | words_[3]) == 0; }

  /// Calls `visit(index)` for each member in ascending order. The set may change during the visit; the visit
  /// does not see the changes.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (unsigned w = 0; w < kWords; ++w) {
      for (auto word = words_[w]; word != 0; word &= word - 1) {
        visit(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
      }
    }
  }

  ThreadSet& operator|=(const ThreadSet& other) {
    for (unsigned w = 0; w < kWords; ++w) words_[w] |= other.words_[w];
    return *this;
  }
  ThreadSet& operator&=(const ThreadSet& other) {
    for (unsigned w = 0; w < kWords; ++w) words_[w] &= other.words_[w];
    return *this;
  }
  ThreadSet& operator-=(const ThreadSet& other) {
    for (unsigned w = 0; w < kWords; ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  friend bool operator==(const ThreadSet&, const ThreadSet&) = default;

 private:
  static_assert(kWords == 4, "empty() and is_narrow() name the words");
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace hocket::runtime
