// How much of a bound a search with a stack of pending executions has done, and how much there may be.
//
// After Knuth (Estimating the Efficiency of Backtrack Programs, 1975), with the weights of Kilby, Slaney,
// Thiébaux and Walsh (Estimating Search Tree Size, 2006): the executions that are pending when a bound begins
// have equal shares of it. An execution divides its share equally among itself and those that branch off from
// it at the same bound. The sum of the shares of all executions that were run says how much is done; it is 1
// at the end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../api/report.hpp"

namespace hocket {

class ShareDone {
 public:
  /// A bound begins with so many pending executions.
  void begin(std::uint64_t pending) {
    siblings_.assign(1, {pending, 1 / static_cast<double>(pending)});
    done_ = 0;
    runs_ = 0;
    samples_ = 0;
    next_sample_ = kFirstSample;
  }
  /// The execution that was pushed last is taken from the stack.
  void take() {
    Siblings& top = siblings_.back();
    taken_ = top.share;
    if (--top.left == 0) siblings_.pop_back();
  }
  /// At the next point of the execution that was taken, so many other choices stay within the bound. They are
  /// pushed.
  void branch(std::uint64_t children) {
    taken_ /= static_cast<double>(children + 1);
    siblings_.push_back({children, taken_});
  }
  /// The execution that was taken has been run, and everything that branches off from it has been pushed.
  void finish() {
    done_ += taken_;
    if (++runs_ != next_sample_) return;
    totals_[samples_++ % kSamples] = total();
    next_sample_ *= 2;
  }

  /// `pending`: executions that are pending at this bound.
  [[nodiscard]] BoundEstimate estimate(std::uint64_t pending) const {
    double least = total();
    double most = least;
    for (std::size_t n = 0; n < std::min(samples_, kSamples); ++n) {
      least = std::min(least, totals_[n]);
      most = std::max(most, totals_[n]);
    }
    const std::uint64_t known = runs_ + pending;
    BoundEstimate result;
    result.runs = runs_;
    result.share = pending == 0 ? 1 : std::min(done_, 1.0);
    result.least = result.most = known;
    if (pending == 0) return result;
    // What is left may be that much smaller or larger than it seems.
    const auto done = static_cast<double>(runs_);
    result.least = std::max(known, rounded(done + std::max(least - done, 0.0) / kDoubt));
    result.most = std::max(known, rounded(done + std::max(most - done, 0.0) * kDoubt));
    return result;
  }

 private:
  /// Pending executions that branched off at the same point. All of them are run before those below.
  struct Siblings {
    std::uint64_t left;
    double share;  ///< of each
  };

  [[nodiscard]] double total() const { return done_ > 0 ? static_cast<double>(runs_) / done_ : 0; }
  static std::uint64_t rounded(double number) {
    constexpr double kMost = 1e18;
    return static_cast<std::uint64_t>(std::min(number, kMost));
  }

  static constexpr std::uint64_t kFirstSample = 8;
  static constexpr std::size_t kSamples = 3;  ///< earlier estimates that count, the last of many
  static constexpr double kDoubt = 2;

  std::vector<Siblings> siblings_{{1, 1.0}};
  double taken_ = 1;
  double done_ = 0;
  std::uint64_t runs_ = 0;
  std::array<double, kSamples> totals_{};  ///< what the total seemed to be after 8, 16, 32, … executions
  std::size_t samples_ = 0;
  std::uint64_t next_sample_ = kFirstSample;
};

}  // namespace hocket
