// hb-cache with a few bits for each state instead of its name, so that it mistakes some new states for known
// ones.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../api/number_text.hpp"
#include "covered_states.hpp"
#include "icb.hpp"

namespace hocket {

namespace {

/// Remembers a few bits of every state, so it mistakes some new states for old ones.
class BitstateRules : public IcbRules {
 public:
  [[nodiscard]] static constexpr bool watches_new() { return true; }

  explicit BitstateRules(std::size_t memory_limit) {
    constexpr std::size_t kDefault = std::size_t{64} << 20U;
    std::size_t bytes = memory_limit == 0 ? kDefault : std::max<std::size_t>(memory_limit / 2, 4096);
    bytes = std::size_t{1} << static_cast<unsigned>(std::log2(bytes));
    size_ = bytes / sizeof(std::uint64_t);
    words_.reset(static_cast<std::uint64_t*>(std::calloc(size_, sizeof(std::uint64_t))));
    if (words_ == nullptr) throw std::bad_alloc();
  }

  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& /*children*/) {
    if (is_more_than_its_graph(point.entry)) return false;
    const runtime::ClassHash& state = runtime::run.hash;
    for (unsigned fewer = 0; fewer < bound; ++fewer) {
      if (look_up(state, runtime::mix(fewer, 1))) return true;
    }
    const std::uint64_t last = runtime::mix(last_that_counts(point.entry), 2);
    if (look_up(state, last)) return true;
    insert(state, last);
    insert(state, runtime::mix(bound, 1));
    ++states_;
    return false;
  }

  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(std::uint64_t); }
  [[nodiscard]] bool is_complete() const { return false; }
  [[nodiscard]] std::string note() const {
    return fmt::format(
        "of {} states only bits were kept: the probability that one was taken for another and a class was "
        "missed is at most {:.2g}",
        number_text(states_), std::min(1.0, expected_mistakes_));
  }

 private:
  static constexpr unsigned kBits = 3;  ///< bits set per key

  template <class Visit>
  void for_each_bit(const runtime::ClassHash& state, std::uint64_t salt, Visit&& visit) {
    std::uint64_t at = runtime::mix(state.low ^ salt, state.high);
    const std::uint64_t stride = runtime::mix(state.high ^ salt, state.low) | 1U;
    for (unsigned n = 0; n < kBits; ++n, at += stride) {
      const std::uint64_t bit = at & (size_ * 64 - 1);
      visit(words_[bit / 64], std::uint64_t{1} << (bit % 64));
    }
  }

  bool look_up(const runtime::ClassHash& state, std::uint64_t salt) {
    bool is_there = true;
    for_each_bit(state, salt, [&](std::uint64_t word, std::uint64_t bit) { is_there &= (word & bit) != 0; });
    const double fill = static_cast<double>(bits_set_) / (static_cast<double>(size_) * 64);
    expected_mistakes_ += std::pow(fill, kBits);
    return is_there;
  }
  void insert(const runtime::ClassHash& state, std::uint64_t salt) {
    for_each_bit(state, salt, [&](std::uint64_t& word, std::uint64_t bit) {
      bits_set_ += (word & bit) == 0 ? 1 : 0;
      word |= bit;
    });
  }

  struct Free {
    void operator()(std::uint64_t* words) const { std::free(words); }
  };

  std::unique_ptr<std::uint64_t[], Free> words_;  ///< from calloc, so that pages take memory only once used
  std::size_t size_ = 0;                          ///< a power of two
  std::uint64_t states_ = 0;
  std::uint64_t bits_set_ = 0;
  double expected_mistakes_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_hb_bitstate(const Options& options) {
  return std::make_unique<FrontierSearch<BitstateRules>>(
      options.max_preemptions, BitstateRules(options.memory_limit));
}

}  // namespace hocket
