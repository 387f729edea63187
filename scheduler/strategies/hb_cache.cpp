// icb that ends an execution when it reaches a state that an earlier execution has covered: the CONSTRAINT of
// Holzmann & Florian, Model Checking with Bounded Context Switching (Formal Aspects of Computing, 2011),
// Figure 3, with happens-before graphs as states. It is complete within each bound.
//
// An earlier visit with fewer preemptions covers everything that follows, whichever thread came last:
// continuing with another thread costs at most one preemption, and at least one was saved. With equally many
// preemptions, the same thread must have come last. If switching away from a thread is free, it counts as no
// thread. Bounds are searched in ascending order, so the first visit is the cheapest.
//
// The default strategy, auto, is the same as long as that saves executions; forgetting states only means that
// less is cut short. In code that is not instrumented threads may share something that Hocket does not see.
// Then an order of independent steps may matter, so auto runs all of them in small searches.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/platform/physical_memory.hpp"
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

/// Whether the happens-before graph does not determine what may follow the current point.
bool is_more_than_its_graph(const runtime::LogEntry& entry) {
  // The graph contains the choices of values, but not the point where one is being made.
  if (entry.kind == runtime::LogEntry::value) return true;
  // Whether a detached thread ends before the body does is no matter of the graph.
  if (runtime::execution.any_detached()) return true;
  // Only the thread that came last may run, which a price cannot express.
  const runtime::Thread& last = runtime::execution.thread(entry.previous);
  return last.preemption_forbidden != 0 && runtime::execution.enabled.contains(last.index);
}

/// How many bytes the states may take: half of what the user allows for the search, or else a share of the
/// machine's memory that leaves room for other searches and for the frontier.
std::size_t memory_for_states(const Options& options) {
  return options.memory_limit != 0 ? options.memory_limit / 2 : runtime::platform::physical_memory() / 8;
}

/// Remembers every state, up to a memory limit.
class HbCacheRules : public IcbRules {
 public:
  /// `trial`: after so many executions it is decided whether remembering pays; 0: it goes on in any case.
  /// `runs_first_all`: the first trial cuts nothing short.
  explicit HbCacheRules(std::size_t memory_limit, unsigned trial = 0, bool runs_first_all = false)
      : memory_limit_(memory_limit), trial_(trial), cuts_short_(!runs_first_all) {}

  [[nodiscard]] bool watches_new() const { return is_on_; }

  void begin(unsigned bound, const std::function<bool()>& /*must_stop*/) {
    was_covered_ = false;
    if (bound == bound_) return;
    bound_ = bound;
    is_on_ = true;
    if (cuts_short_) runs_ = covered_ = 0;
  }

  bool ended(const runtime::ExecutionResult& /*result*/) {
    if (trial_ == 0 || !is_on_) return true;
    ++runs_;
    covered_ += was_covered_ ? 1 : 0;
    if (runs_ < trial_) return true;
    if (covered_ * kLeastGain < runs_) {
      is_on_ = false;
      table_ = {};
    }
    cuts_short_ = true;
    runs_ = covered_ = 0;
    return true;
  }

  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& /*children*/) {
    if (is_more_than_its_graph(point.entry)) return false;
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
      was_covered_ = true;
      return cuts_short_;
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

  // If fewer than one in so many executions meet a covered state, remembering does not pay. Each bound gets
  // another trial, because executions with more preemptions have more in common.
  static constexpr unsigned kLeastGain = 64;

  ThreadNumbers numbers_;
  StateTable table_;  ///< done: 1 + the least bound at which the state was reached
  std::size_t memory_limit_;
  unsigned trial_;
  bool is_on_ = true;
  bool was_full_ = false;
  unsigned bound_ = 0;
  bool cuts_short_;
  bool was_covered_ = false;  ///< the current execution has met a state that is covered
  unsigned runs_ = 0;         ///< executions since the last decision
  unsigned covered_ = 0;      ///< those of them that met such a state
};

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
      options.max_preemptions, HbCacheRules(memory_for_states(options)));
}

std::unique_ptr<Strategy> make_auto(const Options& options) {
  constexpr unsigned kTrial = 4096;
  return make_auto_with_trials(options, kTrial);
}

std::unique_ptr<Strategy> make_auto_with_trials(const Options& options, unsigned executions) {
  if (options.fair) return make_icb(options);
  return std::make_unique<FrontierSearch<HbCacheRules>>(options.max_preemptions,
      HbCacheRules(memory_for_states(options), executions, runtime::execution.host == nullptr));
}

std::unique_ptr<Strategy> make_hb_bitstate(const Options& options) {
  return std::make_unique<FrontierSearch<BitstateRules>>(
      options.max_preemptions, BitstateRules(options.memory_limit));
}

}  // namespace hocket
