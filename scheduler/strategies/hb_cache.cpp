// icb that ends an execution when it reaches a state that an earlier execution has covered: the CONSTRAINT of
// Holzmann & Florian, Model Checking with Bounded Context Switching (Formal Aspects of Computing, 2011),
// Figure 3, with happens-before graphs as states. It is complete within each bound.
//
// An earlier visit with fewer preemptions covers everything that follows, whichever thread came last:
// continuing with another thread costs at most one preemption, and at least one was saved. With equally many
// preemptions, the same thread must have come last. If switching away from a thread is free, it counts as no
// thread. Bounds are searched in ascending order, so the first visit is the cheapest.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/sabotage.hpp"
#include "../api/number_text.hpp"
#include "../graph/graph.hpp"
#include "../graph/state_table.hpp"
#include "icb.hpp"

namespace hocket {

namespace {

/// The stable key of the thread that came last if switching away from it costs something; otherwise 0.
std::uint64_t last_that_counts(const runtime::LogEntry& entry) {
  if (runtime::is_sabotaged(runtime::Sabotage::no_last_thread_in_cache_key)) return 0;
  return entry.switch_price != 0 ? runtime::execution.thread(entry.previous).key : 0;
}

/// Whether only the thread that came last may run. Executions are not cut short at such states, because what
/// follows depends on this restriction, which a price cannot express.
bool keeps_last_running(const runtime::LogEntry& entry) {
  const runtime::Thread& last = runtime::execution.thread(entry.previous);
  return last.preemption_forbidden != 0 && runtime::execution.enabled.contains(last.index);
}

/// Remembers every state, up to a memory limit.
class HbCacheRules : public IcbRules {
 public:
  static constexpr bool watches_new = true;

  explicit HbCacheRules(std::size_t memory_limit) : memory_limit_(memory_limit / 2) {}

  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& /*children*/) {
    if (point.entry.kind == runtime::LogEntry::value || keeps_last_running(point.entry)) return false;
    const std::uint64_t key = last_that_counts(point.entry);
    const unsigned last = key == 0 ? 0 : numbers_.number(key);
    const auto reached = static_cast<std::uint8_t>(std::min(bound, kMostBound) + 1);
    StateTable::Row* row = table_.find(runtime::execution.hash);
    if (row == nullptr) {
      if (is_full()) return false;
      table_.widen(numbers_.size());
      row = table_.insert(runtime::execution.hash);
      row->done = reached;
    } else if (row->done < reached || (last < table_.width() && row->costs()[last] != 0)) {
      return true;
    } else {
      table_.widen(numbers_.size());
      row = table_.find(runtime::execution.hash);
    }
    row->costs()[last] = reached;
    return false;
  }

  [[nodiscard]] std::size_t bytes() const { return table_.bytes(); }
  [[nodiscard]] std::string note() const {
    if (!was_full_) return {};
    return fmt::format(
        "the memory for states was full after {} of them: from there on less was pruned, and nothing was "
        "lost",
        number_text(table_.size()));
  }

 private:
  // Bounds above this are treated as equal, and then only a state with the same last thread is covered.
  static constexpr unsigned kMostBound = 253;

  bool is_full() {
    was_full_ |= memory_limit_ != 0 && table_.bytes_after_insert() > memory_limit_;
    return was_full_;
  }

  ThreadNumbers numbers_;
  StateTable table_;  ///< done: 1 + the least bound at which the state was reached
  std::size_t memory_limit_;
  bool was_full_ = false;
};

/// Remembers a few bits of every state, so it mistakes some new states for old ones.
class BitstateRules : public IcbRules {
 public:
  static constexpr bool watches_new = true;

  explicit BitstateRules(std::size_t memory_limit) {
    constexpr std::size_t kDefault = std::size_t{64} << 20U;
    std::size_t bytes = memory_limit == 0 ? kDefault : std::max<std::size_t>(memory_limit / 2, 4096);
    bytes = std::size_t{1} << static_cast<unsigned>(std::log2(bytes));
    size_ = bytes / sizeof(std::uint64_t);
    words_.reset(static_cast<std::uint64_t*>(std::calloc(size_, sizeof(std::uint64_t))));
    if (words_ == nullptr) throw std::bad_alloc();
  }

  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& /*children*/) {
    if (point.entry.kind == runtime::LogEntry::value || keeps_last_running(point.entry)) return false;
    const runtime::ClassHash& state = runtime::execution.hash;
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

std::unique_ptr<Strategy> make_hb_cache(const Options& options) {
  return std::make_unique<FrontierSearch<HbCacheRules>>(
      options.max_preemptions, HbCacheRules(options.memory_limit));
}

std::unique_ptr<Strategy> make_hb_bitstate(const Options& options) {
  return std::make_unique<FrontierSearch<BitstateRules>>(
      options.max_preemptions, BitstateRules(options.memory_limit));
}

}  // namespace hocket
