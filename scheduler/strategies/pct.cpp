// Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi, Nagarakatte, A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs (ASPLOS 2010).
//
// Threads get random priorities, and the enabled thread with the highest priority runs. At d - 1 random steps
// the running thread falls below all others. A bug that needs d ordered steps is hit with a probability of at
// least 1 / (n · k^(d-1)) in each execution of n threads and k steps. A thread that is about to spin, at a
// yield that would change nothing, gives way; otherwise a thread that polls for another one would hang.
//
// The length of an execution has to be guessed before it runs. The longest length so far is a bad guess: if a
// thread polls a thousand times under some priorities, hardly a priority change would fall into the few steps
// that other executions take. So the guess cycles through the shortest and the median of the executions that
// completed recently, and the longest so far. Without the longest, changes would never fall into the end of a
// long execution.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "sampling.hpp"

namespace hocket {

namespace {

class Pct final : public Sampling {
 public:
  explicit Pct(const Options& options)
      : Sampling(options.seed), depth_(options.pct_depth), length_(options.pct_length) {}

  bool next() override {
    priorities_.clear();
    changes_.clear();
    // If no depth is given, cycle through the small ones, because most bugs have a small depth.
    const unsigned depth = depth_ != 0 ? depth_ : 1 + static_cast<unsigned>(executions_ % kDeepest);
    const std::uint32_t length = length_ != 0 ? length_ : expected_length();
    for (unsigned n = 1; n < depth; ++n) changes_.push_back(bits_.below(length));
    std::sort(changes_.begin(), changes_.end(), std::greater<>());
    lowest_ = kStart;
    ++executions_;
    return true;
  }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    if (point.entry.kind == runtime::LogEntry::value) return any_value(point);
    while (!changes_.empty() && changes_.back() <= point.position) {
      changes_.pop_back();
      priority(point.entry.previous) = --lowest_;
    }
    return with_highest_rank(point, [&](unsigned thread) { return priority(thread); });
  }

  bool finished(const runtime::ExecutionResult& result) override {
    if (result.outcome == runtime::Outcome::completed) {
      longest_ = std::max(longest_, result.log.size);
      latest_[completed_++ % latest_.size()] = result.log.size;
      if (completed_ < latest_.size() || completed_ % kSortEvery == 0) sort_latest();
    }
    return Sampling::finished(result);
  }

 private:
  static constexpr unsigned kDeepest = 4;
  static constexpr std::size_t kLatest = 64;                        ///< executions whose lengths are kept
  static constexpr std::size_t kSortEvery = 16;                     ///< executions
  static constexpr std::uint64_t kStart = std::uint64_t{1} << 32U;  ///< initial priorities lie above

  [[nodiscard]] std::uint32_t expected_length() const {
    const std::array<std::uint32_t, 4> guesses{shortest_, median_, shortest_, longest_};
    return std::max<std::uint32_t>(guesses[executions_ / kDeepest % guesses.size()], 1);
  }
  void sort_latest() {
    std::array<std::uint32_t, kLatest> sorted = latest_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(completed_, kLatest));
    std::sort(sorted.begin(), end);
    shortest_ = sorted.front();
    median_ = *(sorted.begin() + (end - sorted.begin()) / 2);
  }

  std::uint64_t& priority(unsigned thread) {
    while (priorities_.size() <= thread) {
      priorities_.push_back(kStart + (std::uint64_t{bits_.below(kMostPriority)} << 8U) + priorities_.size());
    }
    return priorities_[thread];
  }
  static constexpr std::uint32_t kMostPriority = ~std::uint32_t{0};

  unsigned depth_;
  std::uint32_t length_;
  std::uint32_t longest_ = 0;   ///< of all executions that completed
  std::uint32_t shortest_ = 0;  ///< of the latest executions that completed
  std::uint32_t median_ = 0;    ///< likewise
  std::array<std::uint32_t, kLatest> latest_{};
  std::size_t completed_ = 0;
  std::uint64_t executions_ = 0;
  std::vector<std::uint64_t> priorities_;  ///< indexed by thread
  std::vector<std::uint32_t> changes_;     ///< positions, descending
  std::uint64_t lowest_ = kStart;
};

}  // namespace

std::unique_ptr<Strategy> make_pct(const Options& options) {
  return std::make_unique<Pct>(options);
}

}  // namespace hocket
