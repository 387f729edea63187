#include "store_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../runtime/terms/semantics.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "schedule_words.hpp"
#include "shown_steps.hpp"

namespace hocket {

namespace {

using runtime::Operation;
using runtime::RecordedChoice;
using runtime::RecordedThread;

/// What a step is for the processor.
enum class Kind : std::uint8_t {
  load,
  store,  ///< may wait while later loads are done
  whole,  ///< waits for all before it, and all after it wait for it
};

struct Event {
  Kind kind = Kind::whole;
  unsigned thread = 0;
  std::size_t choices = 0;  ///< made before it
};

/// The events of a schedule and what comes before what.
class StoreOrder {
 public:
  explicit StoreOrder(const Schedule& schedule) {
    const std::vector<RecordedChoice>& choices = schedule.choices;
    std::size_t end = std::min(failing_choice(schedule) + 1, choices.size());
    while (end < choices.size() && choices[end].chooses_store) ++end;
    auto fence = schedule.fences.begin();
    for (std::size_t n = 0; n < end; ++n) {
      for (; fence != schedule.fences.end() && fence->choices <= n; ++fence)
        add(Kind::whole, fence->thread, n);
      if (choices[n].is_value || choices[n].operation == Operation::none) continue;
      const bool has_store = n + 1 < end && choices[n + 1].chooses_store;
      add_step(choices[n], n + 1, has_store ? &choices[n + 1] : nullptr);
    }
    order_atomics();
    order_beginnings_and_ends(schedule);
  }

  [[nodiscard]] bool has_a_cycle() const {
    std::vector<std::vector<std::size_t>> after(events_.size());
    std::vector<std::size_t> before(events_.size());
    for (const auto& [one, other] : edges_) {
      after[one].push_back(other);
      ++before[other];
    }
    std::vector<std::size_t> free;
    for (std::size_t n = 0; n < events_.size(); ++n) {
      if (before[n] == 0) free.push_back(n);
    }
    std::size_t done = 0;
    for (; !free.empty(); ++done) {
      const std::size_t one = free.back();
      free.pop_back();
      for (const std::size_t other : after[one]) {
        if (--before[other] == 0) free.push_back(other);
      }
    }
    return done != events_.size();
  }

 private:
  static constexpr std::size_t kFirst = ~std::size_t{0};  ///< the value that an atomic had at first

  struct Read {
    std::size_t event;
    std::size_t from;  ///< a store, or kFirst
  };
  struct Atomic {
    std::vector<std::size_t> stores;  ///< in modification order
    std::vector<Read> reads;
  };

  std::size_t add(Kind kind, unsigned thread, std::size_t choices) {
    const std::size_t number = events_.size();
    if (threads_.size() <= thread) threads_.resize(thread + std::size_t{1});
    for (const std::size_t earlier : threads_[thread]) {
      if (events_[earlier].kind != Kind::store || kind != Kind::load) edges_.emplace_back(earlier, number);
    }
    // Whatever comes before a whole one comes before all that follows it.
    if (kind == Kind::whole) threads_[thread].clear();
    threads_[thread].push_back(number);
    events_.push_back({kind, thread, choices});
    return number;
  }

  void add_step(const RecordedChoice& choice, std::size_t step, const RecordedChoice* store) {
    const bool is_atomic = runtime::is_atomic(runtime::semantics_of(choice.operation).synchronization);
    const bool is_weaker = !choice.order.empty();
    const bool is_store = choice.operation == Operation::atomic_store;
    const bool is_load =
        choice.operation == Operation::atomic_load || choice.operation == Operation::atomic_wait;
    const Kind kind = is_load ? Kind::load : is_store && is_weaker ? Kind::store : Kind::whole;
    const std::size_t event = add(kind, choice.thread, step - 1);
    if (!is_atomic) {
      if (choice.object.empty()) return;
      if (const auto [last, is_new] = last_.try_emplace(choice.object, event); !is_new)
        edges_.emplace_back(std::exchange(last->second, event), event);
      return;
    }
    Atomic& atomic = atomics_[choice.object];
    std::size_t from = atomic.stores.empty() ? kFirst : atomic.stores.back();
    if (store != nullptr) {
      const auto known = by_step_.find(store->seen.step);
      from = known != by_step_.end() ? known->second : kFirst;
    }
    if (!is_store) atomic.reads.push_back({event, from});
    if (is_load || choice.has_failed) return;
    const auto behind = std::find(atomic.stores.begin(), atomic.stores.end(), from);
    atomic.stores.insert(behind == atomic.stores.end() ? atomic.stores.begin() : behind + 1, event);
    by_step_[step] = event;
  }

  void order_atomics() {
    for (const auto& [name, atomic] : atomics_) {
      const std::vector<std::size_t>& stores = atomic.stores;
      for (std::size_t n = 1; n < stores.size(); ++n) edges_.emplace_back(stores[n - 1], stores[n]);
      for (const Read& read : atomic.reads) {
        const auto from = std::find(stores.begin(), stores.end(), read.from);
        // Its own thread's store is read from the buffer, wherever that is.
        if (from != stores.end() && events_[*from].thread != events_[read.event].thread)
          edges_.emplace_back(*from, read.event);
        auto next = from == stores.end() ? stores.begin() : from + 1;
        if (next != stores.end() && *next == read.event) ++next;
        if (next != stores.end()) edges_.emplace_back(read.event, *next);
      }
    }
  }

  void order_beginnings_and_ends(const Schedule& schedule) {
    for (unsigned child = 1; child < schedule.threads.size(); ++child) {
      const RecordedThread& entry = schedule.threads[child];
      for (std::size_t n = 0; n < events_.size(); ++n) {
        if (events_[n].thread != child) continue;
        for (std::size_t other = 0; other < events_.size(); ++other) {
          const auto thread = static_cast<int>(events_[other].thread);
          if (thread == entry.creator && events_[other].choices < entry.made_after)
            edges_.emplace_back(other, n);
          if (thread == entry.joiner && events_[other].choices >= entry.joined_after)
            edges_.emplace_back(n, other);
        }
      }
    }
  }

  std::vector<Event> events_;
  std::vector<std::vector<std::size_t>> threads_;  ///< their events from the last whole one on
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
  std::map<std::string, Atomic> atomics_;
  std::map<std::string, std::size_t> last_;     ///< event, by the name of any other object
  std::map<std::size_t, std::size_t> by_step_;  ///< stores
};

}  // namespace

std::optional<bool> total_store_order_allows(const Schedule& schedule) {
  constexpr std::size_t kMost = 2000;
  if (schedule.choices.size() > kMost) return std::nullopt;
  return !StoreOrder(schedule).has_a_cycle();
}

std::string hardware_that_does(const Schedule& schedule) {
  if (stale_choices(schedule) == 0) return {};
  const std::optional<bool> is_allowed = total_store_order_allows(schedule);
  if (!is_allowed) return {};
  return *is_allowed ? "Hardware: x86 does this, because a store may wait there while later loads are done"
                     : "Hardware: x86 does not do this by itself; ARM, POWER and compilers may";
}

namespace {

using runtime::Operation;
using runtime::RecordedChoice;

/// Looks for cycles that a schedule's stale reads close.
class MissedStores {
 public:
  explicit MissedStores(const Schedule& schedule) : schedule_(schedule), choices_(schedule.choices) {}

  /// The cycle of the stale read at this choice.
  [[nodiscard]] std::string text_of(std::size_t stale) const {
    const std::size_t read = step_before(schedule_, stale);
    const std::size_t missed = choices_[stale].newest.step;
    if (missed == 0 || missed > read || choices_[read].operation == Operation::atomic_store) return {};
    const unsigned thread = choices_[read].thread;
    const unsigned other = choices_[missed - 1].thread;
    if (thread == other) return {};
    for (std::size_t n = missed; n < choices_.size(); ++n) {
      if (choices_[n].thread != other || choices_[n].is_value || !is_load(n)) continue;
      for (std::size_t store = read; store-- > 0;) {
        if (choices_[store].thread == thread && misses(n, store)) return text(missed - 1, n, store, read);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_load(std::size_t n) const {
    return choices_[n].operation == Operation::atomic_load || choices_[n].operation == Operation::atomic_wait;
  }
  [[nodiscard]] bool is_stale_step(std::size_t n) const {
    return n + 1 < choices_.size() && is_stale(choices_[n + 1]);
  }

  /// Whether what the step `store` stores is newer than what the load reads.
  [[nodiscard]] bool misses(std::size_t load, std::size_t store) const {
    const RecordedChoice& choice = choices_[store];
    if (choice.object != choices_[load].object || choice.is_value || choice.has_failed || is_load(store) ||
        is_stale_step(store) || !runtime::is_atomic(runtime::semantics_of(choice.operation).synchronization))
      return false;
    return load < store || (is_stale_step(load) && choices_[load + 1].newest.step == store + 1);
  }

  [[nodiscard]] std::string text(
      std::size_t one, std::size_t its_load, std::size_t other, std::size_t load) const {
    const auto label = [&](std::size_t n) {
      return utf8::printable(schedule_.threads.at(choices_[n].thread).label);
    };
    const auto object = [&](std::size_t n) { return utf8::printable(choices_[n].object); };
    const auto step = [](std::size_t n) { return "step " + std::to_string(n + 1); };
    return "Each misses the other's store: " + label(one) + " stores to " + object(one) + " in " + step(one) +
           " and then reads " + object(its_load) + " in " + step(its_load) + ", without what " +
           label(other) + " stores there in " + step(other) + "; " + label(other) + " then reads " +
           object(load) + " in " + step(load) + ", without that of " + step(one) + ".\n";
  }

  const Schedule& schedule_;
  const std::vector<RecordedChoice>& choices_;
};

}  // namespace

std::string missed_stores_text(const Schedule& schedule) {
  constexpr std::size_t kMost = 2000;
  if (schedule.choices.size() > kMost) return {};
  const MissedStores missed(schedule);
  for (std::size_t n = 1; n < schedule.choices.size(); ++n) {
    if (!is_stale(schedule.choices[n])) continue;
    if (std::string text = missed.text_of(n); !text.empty()) return text;
  }
  return {};
}

}  // namespace hocket
