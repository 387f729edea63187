// What the strategies that choose at random have in common: which candidates they put last, and how they pick
// one of the others.
//
// A candidate is a last resort if it would lead nowhere: another round of a loop that spins or yields in
// vain. A strategy that holds threads back might otherwise run such a loop for ever, while the thread that
// the loop waits for never gets its turn. So is, with a probability of a half, a thread that does not do its
// pending operation: a wait that expires, a wake-up without a reason.
#pragma once

#include <cstdint>

#include "random_bits.hpp"
#include "strategy.hpp"

namespace hocket {

class Sampling : public Strategy {
 public:
  explicit Sampling(std::uint64_t seed) : bits_(seed) {}

  bool next() override { return true; }
  bool finished(const runtime::ExecutionResult& result) override {
    return result.outcome != runtime::Outcome::diverged;
  }
  [[nodiscard]] bool is_sampling() const override { return true; }

 protected:
  /// Each value with the same probability. Where values have a price because they are surprising, such as
  /// that of an older store, the first one has 3/4, and each of the others half of what the one before it
  /// has.
  runtime::Code any_value(const runtime::ChoicePoint& point) {
    const auto count = static_cast<std::uint32_t>(point.entry.what);
    if (point.entry.what >> 32U == 0) return bits_.below(count);
    if (bits_.below(4) != 0) return 0;
    std::uint32_t value = 1;
    while (value + 1 < count && bits_.below(2) != 0) ++value;
    return value;
  }

  /// The candidate whose thread has the highest rank: `rank_of(thread)`, 64 bits. Of candidates with the same
  /// rank it is the first one.
  template <class Rank>
  runtime::Code with_highest_rank(const runtime::ChoicePoint& point, Rank&& rank_of) {
    Choice choice;
    std::uint64_t highest = 0;
    for_each_contender(point, choice, [&](unsigned thread, bool is_first) {
      const std::uint64_t rank = rank_of(thread);
      if (!is_first && rank <= highest) return false;
      highest = rank;
      return true;
    });
    return choice.code;
  }

  /// A candidate with a probability proportional to `weight_of(thread)`, which is above 0. The sum of all
  /// weights must be below 2^32.
  template <class Weight>
  runtime::Code by_weight(const runtime::ChoicePoint& point, Weight&& weight_of) {
    Choice choice;
    std::uint32_t sum = 0;
    for_each_contender(point, choice, [&](unsigned thread, bool is_first) {
      const std::uint32_t weight = weight_of(thread);
      sum = is_first ? weight : sum + weight;
      return is_first || bits_.below(sum) < weight;
    });
    return choice.code;
  }

  RandomBits bits_;

 private:
  struct Choice {
    runtime::Code code = runtime::kDiverged;
    std::uint32_t last_resorts = 0;  ///< met so far
    bool is_last_resort = true;
  };

  bool is_last_resort(const runtime::ChoicePoint& point, const runtime::Candidate& candidate) {
    if (runtime::mode_of(candidate.code) != runtime::Mode::run) return bits_.below(2) == 0;
    const bool is_previous = runtime::thread_of(candidate.code) == point.entry.previous;
    return candidate.price > (is_previous ? 0 : point.entry.switch_price);
  }

  /// Asks `takes(thread, is_first)` for each candidate that is not a last resort whether it replaces the
  /// choice so far. If all of them are last resorts, each is chosen with the same probability.
  template <class Takes>
  void for_each_contender(const runtime::ChoicePoint& point, Choice& choice, Takes&& takes) {
    point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
      if (is_last_resort(point, candidate)) {
        if (choice.is_last_resort && bits_.below(++choice.last_resorts) == 0) choice.code = candidate.code;
      } else if (takes(runtime::thread_of(candidate.code), choice.is_last_resort)) {
        choice.code = candidate.code;
        choice.is_last_resort = false;
      }
    });
  }
};

}  // namespace hocket
