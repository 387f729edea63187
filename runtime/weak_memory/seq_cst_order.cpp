#include "seq_cst_order.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "../terms/sabotage.hpp"

namespace hocket::runtime {

void SeqCstOrder::begin() {
  for (unsigned thread = 0; thread < threads_used_; ++thread) {
    threads_[thread].used = 0;
    threads_[thread].fences.clear();
  }
  threads_used_ = 0;
}

SeqCstOrder::Event& SeqCstOrder::new_event(unsigned thread) {
  threads_used_ = std::max(threads_used_, thread + 1);
  Events& its = threads_[thread];
  if (++its.used > its.all.size()) its.all.emplace_back();
  return its.all[its.used - 1];
}

void SeqCstOrder::fenced(unsigned thread, const VectorClock& known) {
  if (is_sabotaged(Sabotage::seq_cst_fences_order_nothing)) return;
  Event& event = new_event(thread);
  event.history = nullptr;
  event.read = event.made = nullptr;
  event.is_seq_cst = true;
  event.time = known.at(thread);
  event.before.become(known);
  event.after.become(known);
  threads_[thread].fences.push_back(threads_[thread].used - 1);
}

// An operation that is not seq_cst matters, too: for fences that happen before it or after it.
void SeqCstOrder::acted(unsigned thread, StoreHistory& history, const Store* read, Store* made,
    bool is_seq_cst, const VectorClock& before, const VectorClock& after) {
  Event& event = new_event(thread);
  event.history = &history;
  event.read = read;
  event.made = made;
  event.is_seq_cst = is_seq_cst;
  event.time = after.at(thread);
  event.before.become(before);
  event.after.become(after);
  if (made != nullptr && is_seq_cst) made->event = threads_[thread].used;
}

std::size_t SeqCstOrder::fences_known(unsigned thread, const VectorClock& known) const {
  const Events& its = threads_[thread];
  const std::uint32_t time = known.at(thread);
  const auto end = std::partition_point(its.fences.begin(), its.fences.end(),
      [&](std::uint32_t number) { return its.all[number].time <= time; });
  return static_cast<std::size_t>(end - its.fences.begin());
}

/// The seq_cst events that come after some others, and whether the choice or a fence before it is among them.
///
/// Whatever comes after an event also comes after those that follow it in its thread. So what was reached in
/// a thread, or at an atomic, is all from some number on, and each event and store is looked at once.
class SeqCstOrder::Reach {
 public:
  Reach(const SeqCstOrder& order, const OlderChoice& choice, unsigned threads)
      : order_(order), choice_(choice), threads_(threads) {
    reached_.fill(kNothing);
    after_fence_.fill(kNothing);
  }

  /// Begins with what comes after the choice. `through_readers`: also if a thread reads it and then comes to
  /// a fence, which counts for fences that happen before the choice.
  void begin(bool through_readers) {
    reach_stores(*choice_.history, choice_.place + 1, through_readers);
    while (!waiting_.empty()) {
      const auto [thread, number] = waiting_.back();
      waiting_.pop_back();
      follow(thread, number);
    }
  }

  /// Whether the choice itself, a seq_cst operation, is reached.
  [[nodiscard]] bool reaches_choice() const {
    return reaches_choice_ || reached_[choice_.thread] != kNothing;
  }
  /// Whether a fence that happens before the choice is reached.
  [[nodiscard]] bool reaches_fence_before_choice() const {
    for (unsigned thread = 0; thread < threads_; ++thread) {
      const std::size_t known = order_.fences_known(thread, *choice_.after);
      if (known != 0 && order_.threads_[thread].fences[known - 1] >= reached_[thread]) return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] const Events& events(unsigned thread) const { return order_.threads_[thread]; }
  [[nodiscard]] const Event& event(unsigned thread, std::uint32_t number) const {
    return events(thread).all[number];
  }

  /// The event with that number is reached, if it is seq_cst, and those after it.
  void reach(unsigned thread, std::uint32_t number) {
    std::uint32_t& first = reached_[thread];
    const std::uint32_t end = first == kNothing ? events(thread).used : first;
    if (number >= end) return;
    for (std::uint32_t n = number; n < end; ++n) {
      if (event(thread, n).is_seq_cst) waiting_.emplace_back(thread, n);
    }
    first = number;
  }

  /// The first fence of each thread that happens after what `thread` did at `time` is reached.
  void reach_fences_after(unsigned thread, std::uint32_t time) {
    for (unsigned other = 0; other < threads_; ++other) {
      const auto& fences = events(other).fences;
      const auto first = std::partition_point(fences.begin(), fences.end(),
          [&](std::uint32_t number) { return event(other, number).after.at(thread) < time; });
      if (first != fences.end()) reach(other, *first);
    }
  }

  /// The stores of an atomic from `place` on come after something that is reached.
  void reach_stores(const StoreHistory& history, std::uint32_t place, bool through_readers) {
    reach_stores(history, place, through_readers ? place : history.size());
  }
  /// The same, and the threads that have read the stores from `read_from` on.
  void reach_stores(const StoreHistory& history, std::uint32_t place, std::uint32_t read_from) {
    if (&history == choice_.history && choice_.writes && place <= choice_.place + 1 && begun_)
      reaches_choice_ |= choice_.is_seq_cst;
    begun_ = true;
    auto [known, is_new] = stores_.try_emplace(&history, history.size(), history.size());
    auto& [stored, read] = known->second;
    for (std::uint32_t n = place; n < stored; ++n) {
      const Store& store = history[n];
      if (store.is_known_to_all) continue;
      if (store.event != 0) reach(store.thread, store.event - 1);
      reach_fences_after(store.thread, store.time);
    }
    stored = std::min(stored, place);
    for (std::uint32_t n = read_from; n < read; ++n) {
      for (unsigned reader = 0; reader < threads_; ++reader) {
        const std::uint32_t time = history[n].first_read.at(reader);
        if (time != 0) reach_fences_after(reader, time);
      }
    }
    read = std::min(read, read_from);
  }

  /// Reaches what comes after one event.
  void follow(unsigned thread, std::uint32_t number) {
    const Event& it = event(thread, number);
    reaches_choice_ |= choice_.is_seq_cst && comes_before(it, thread,
                                                 {choice_.thread, events(choice_.thread).used,
                                                     choice_.history, choice_.before, choice_.after});
    for (unsigned other = 0; other < threads_; ++other) {
      if (other == thread) continue;
      const Events& its = events(other);
      for (std::uint32_t n = first_knowing(other, thread, it.time); n < its.used; ++n) {
        const Event& later = its.all[n];
        if (!later.is_seq_cst ||
            !comes_before(it, thread, {other, n, later.history, &later.before, &later.after}))
          continue;
        reach(other, n);
        break;
      }
    }
    if (!it.is_fence()) {
      if (is_in_history(it)) reach_stores(*it.history, it.next_place(), false);
      return;
    }
    reach_what_follows(thread, number + 1);
    for (unsigned other = 0; other < threads_; ++other) {
      if (other != thread) reach_what_follows(other, first_knowing(other, thread, it.time));
    }
  }

  /// A fence that is reached happens before the events of a thread from `number` on.
  void reach_what_follows(unsigned thread, std::uint32_t number) {
    std::uint32_t& first = after_fence_[thread];
    const std::uint32_t end = first == kNothing ? events(thread).used : first;
    for (std::uint32_t n = number; n < end; ++n) {
      const Event& it = event(thread, n);
      if (it.is_fence() || !is_in_history(it)) continue;
      reach_stores(*it.history, it.next_place(), it.made != nullptr ? it.made->place : it.next_place());
    }
    first = std::min(end, number);
  }

  /// A seq_cst event, or the choice.
  struct Later {
    unsigned thread;
    std::uint32_t number;
    const StoreHistory* history;  ///< nullptr: a fence
    const VectorClock* before;
    const VectorClock* after;
  };
  /// Whether `it`, of `thread`, comes before another event because it happens before it: not just because one
  /// synchronizes with the other, unless at one atomic.
  [[nodiscard]] bool comes_before(const Event& it, unsigned thread, const Later& later) const {
    if (later.after->at(thread) < it.time) return false;
    const bool is_to_fence = later.history == nullptr;
    if (is_to_fence ? it.is_fence() : it.history == later.history) return true;
    // What the event itself has released does not count, only what its thread did afterwards.
    const std::uint32_t time = it.time + (it.made != nullptr ? 1 : 0);
    if ((is_to_fence ? later.after : later.before)->at(thread) >= time) return true;
    return (is_to_fence || it.is_fence()) &&
           has_between(it, thread, is_to_fence ? it.history : later.history, later);
  }

  /// Whether an operation on that atomic happens between the two.
  [[nodiscard]] bool has_between(
      const Event& it, unsigned thread, const StoreHistory* history, const Later& later) const {
    for (unsigned other = 0; other < threads_; ++other) {
      const Events& its = events(other);
      for (std::uint32_t n = first_knowing(other, thread, it.time); n < its.used; ++n) {
        const Event& between = its.all[n];
        const bool is_before_later =
            other == later.thread ? n < later.number : between.time <= later.after->at(other);
        if (!is_before_later) break;
        if (&between != &it && between.history == history && follows(between, other, it, thread)) return true;
      }
    }
    return false;
  }

  /// Of events of one thread, whether the first one comes later; true for others.
  static bool follows(const Event& one, unsigned thread_of_one, const Event& other, unsigned thread) {
    return thread_of_one != thread || &one > &other;
  }

  /// The number of the first event of `thread` that knows what `other` did at `time`.
  [[nodiscard]] std::uint32_t first_knowing(unsigned thread, unsigned other, std::uint32_t time) const {
    const auto begin = events(thread).all.begin();
    const auto first = std::partition_point(
        begin, begin + events(thread).used, [&](const Event& it) { return it.after.at(other) < time; });
    return static_cast<std::uint32_t>(first - begin);
  }

  /// Whether the history still has what the event read or made: it may have begun anew since.
  static bool is_in_history(const Event& it) {
    const Store& store = *(it.made != nullptr ? it.made : it.read);
    return store.place < it.history->size() && &(*it.history)[store.place] == &store;
  }

  const SeqCstOrder& order_;
  const OlderChoice& choice_;
  unsigned threads_;
  std::array<std::uint32_t, kMaxThreads> reached_;
  std::array<std::uint32_t, kMaxThreads> after_fence_;
  /// The places from which on stores were reached, and those who have read them.
  std::unordered_map<const StoreHistory*, std::pair<std::uint32_t, std::uint32_t>> stores_;
  std::vector<std::pair<unsigned, std::uint32_t>> waiting_;
  bool reaches_choice_ = false;
  bool begun_ = false;
};

bool SeqCstOrder::forbids(const OlderChoice& choice, unsigned threads) {
  if (is_sabotaged(Sabotage::seq_cst_orders_nothing)) return false;
  bool follows_fence = false;
  for (unsigned thread = 0; thread < threads && !follows_fence; ++thread)
    follows_fence = fences_known(thread, *choice.after) != 0;
  if (!choice.is_seq_cst && !follows_fence) return false;
  bool choice_reaches_fence = false;
  if (choice.is_seq_cst) {
    Reach reach(*this, choice, threads);
    reach.begin(false);
    if (reach.reaches_choice()) return true;
    choice_reaches_fence = reach.reaches_fence_before_choice();
  }
  if (!follows_fence) return false;
  Reach reach(*this, choice, threads);
  reach.begin(true);
  return reach.reaches_fence_before_choice() ||
         (choice.is_seq_cst && choice_reaches_fence && reach.reaches_choice());
}

}  // namespace hocket::runtime
