// Stopping before an operation and choosing which thread runs next: the three paths of a step (see
// scheduling.hpp), the candidates and their prices, choices of values.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <string>

#include "../diagnosis/trace.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

Thread& Scheduling::stop_before(Object& object, Operation operation, bool ready, Where where) {
  Thread& self = *current;
  assert(ending || enabled.contains(self.index));
  self.pending.operation = operation;
  self.pending.object = &object;
  self.pending.where = where;
  assert(ending || ready == can_be_done(self));
  if (!ready) [[unlikely]]
    enabled.erase(self.index);
  if (position >= common_until || self.starter != nullptr) [[unlikely]]
    return after_stop(self);
  self.state = Thread::State::stopped;
  return choose_next();
}

Thread& Scheduling::after_stop(Thread& self) {
  if (ending) return self;
  if (attention == Attention::to_all) [[unlikely]] {
    if (self.is_guarded) refresh(self);
    if (recording) options_.trace->stopped(self);
    if (options_.observer != nullptr && self.joins == nullptr) {
      options_.observer->stopped(self, self.is_guarded || enabled.contains(self.index));
    }
  }
  self.state = Thread::State::stopped;
  if (self.starter != nullptr) {
    Thread& starter = *self.starter;
    self.starter = nullptr;
    if (options_.observer != nullptr) options_.observer->started(self);
    leave_fast_path();
    return starter;
  }
  return choose_next();
}

unsigned Scheduling::least_named(const ThreadSet& set) const {
  if (names_in_order_ && set.low_word() != 0) return static_cast<unsigned>(std::countr_zero(set.low_word()));
  unsigned least = kMaxThreads;
  set.for_each([&](unsigned t) {
    if (least == kMaxThreads || (!names_in_order_ && named_before(*thread_slots_[t], *thread_slots_[least])))
      least = t;
  });
  return least;
}

namespace {

/// The members of every set of threads with indices below 8. The table answers "which is the n-th?" without a
/// loop whose trip count the processor could not predict.
struct SmallSets {
  static constexpr unsigned kThreads = 8;
  std::array<std::uint8_t, 1U << kThreads> size{};
  std::array<std::array<std::uint8_t, kThreads>, 1U << kThreads> member{};

  constexpr SmallSets() {
    for (unsigned set = 0; set < size.size(); ++set) {
      for (unsigned t = 0; t < kThreads; ++t) {
        if ((set >> t & 1U) != 0) member[set][size[set]++] = static_cast<std::uint8_t>(t);
      }
    }
  }
};
constexpr SmallSets kSmallSets;

/// A set of up to 64 threads, prepared for "how many?" and "which is the n-th?". All bytes of a word are
/// counted at once, with no branch that depends on the set and no instruction that only some processors have.
class WideSet {
 public:
  explicit WideSet(std::uint64_t set) : set_(set) {
    std::uint64_t counts = set - (set >> 1 & 0x5555555555555555U);
    counts = (counts & 0x3333333333333333U) + (counts >> 2 & 0x3333333333333333U);
    counts = (counts + (counts >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    up_to_ = counts * kEachByte;
  }

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(up_to_ >> 56); }

  /// `n` counts from 0 and is less than size().
  [[nodiscard]] unsigned member(unsigned n) const {
    constexpr std::uint64_t kHighBits = kEachByte << 7;
    // The high bit of a byte stays if no more than n members are in this byte and the ones below it.
    const std::uint64_t is_below = ((n * kEachByte | kHighBits) - up_to_) & kHighBits;
    const auto first = static_cast<unsigned>((is_below >> 7) * kEachByte >> 56) * 8;
    const auto before = static_cast<unsigned>(up_to_ << 8 >> first & 0xffU);
    return first + kSmallSets.member[set_ >> first & 0xffU][n - before];
  }

 private:
  static constexpr std::uint64_t kEachByte = 0x0101010101010101U;

  std::uint64_t set_;
  std::uint64_t up_to_;  ///< in each byte, how many members are in it and in the bytes below it
};

}  // namespace

/// Writes the log entry of the common path at this position.
[[gnu::always_inline]] inline LogEntry& Scheduling::write_entry(unsigned chosen) {
  const std::uint64_t set = enabled.low_word();
  const bool switch_costs = (set >> last_ & 1) != 0 && !last_yielded_;
  LogEntry& entry = log[position];
  entry = {set, static_cast<std::uint32_t>(hash.low), static_cast<std::uint16_t>(thread_code(chosen)),
      static_cast<std::uint8_t>(last_), LogEntry::narrow, switch_costs, 0};
  return entry;
}

/// The end of the common path.
[[gnu::always_inline]] inline Thread& Scheduling::step_by(unsigned chosen) {
  write_entry(chosen);
  Thread& next = *thread_slots_[chosen];
  ++position;
  last_ = chosen;
  last_yielded_ = false;
  plan_fast_path();
  return set_going(next, Mode::run);
}

// The common path: there is no reason for the slow path, so the enabled threads are the candidates. Its calls
// are tail calls, so that it needs no frame.
Thread& Scheduling::choose_next() {
  assert(counters_are_right());
  assert(sets_are_right());
  if (position >= common_until) [[unlikely]]
    return choose_on_slow_path();
  const std::uint64_t set = enabled.low_word();
  Chooser& chooser = *chooser_;
  if (position >= chooser.consult_at && enabled.has_several_low()) {
    if (chooser.draws.next == chooser.draws.end) return consult();
    if (set >= kSmallSets.size.size()) [[unlikely]]
      return draw_from_many();
    return step_by(kSmallSets.member[set][Chooser::pick(*chooser.draws.next++, kSmallSets.size[set])]);
  }
  if (set == 0) [[unlikely]]
    return deadlock();
  const bool last_is_enabled = (set >> last_ & 1) != 0;
  if (!last_is_enabled && !names_in_order_) [[unlikely]]
    return step_by_least_named();
  return step_by(last_is_enabled ? last_ : static_cast<unsigned>(std::countr_zero(set)));
}

/// The chooser has returned `code`, which is no candidate. Returns whether the execution runs on, by
/// defaults.
bool Scheduling::runs_out(Code code) {
  if (code == kPruned && run_out()) return true;
  begin_ending(code == kPruned ? Outcome::pruned : Outcome::diverged);
  return false;
}

/// Lets the chooser decide.
Thread& Scheduling::consult() {
  const LogEntry& entry = write_entry(enabled.contains(last_) ? last_ : least_named(enabled));
  so_far_.size = position;
  const OwnMemory own;
  const Code code = chooser_->choose({position, entry, &so_far_});
  const unsigned chosen = thread_of(code);
  if (code != thread_code(chosen % 64) || !enabled.contains(chosen)) [[unlikely]] {
    if (runs_out(code)) return step_by(thread_of(entry.code));
    return *current;
  }
  return step_by(chosen);
}

Thread& Scheduling::draw_from_many() {
  const WideSet set(enabled.low_word());
  return step_by(set.member(Chooser::pick(*chooser_->draws.next++, set.size())));
}

Thread& Scheduling::step_by_least_named() {
  return step_by(least_named(enabled));
}

/// Whether nothing but the observer keeps this point from the common path.
bool Scheduling::is_only_observed() const {
  return slow_path_reasons_ == 1 && options_.observer != nullptr && !recording && position < common_end_ &&
         !enabled.empty();
}

/// The common path with an observer.
Thread& Scheduling::choose_observed() {
  const OwnMemory own;
  const LogEntry& entry = write_entry(enabled.contains(last_) ? last_ : least_named(enabled));
  unsigned chosen = thread_of(entry.code);
  const bool is_asked = chooser_->wants_forced || enabled.has_several_low();
  if (position >= chooser_->consult_at && is_asked) {
    so_far_.size = position;
    const Code code = chooser_->choose({position, entry, &so_far_});
    const bool is_candidate = code == thread_code(thread_of(code) % 64) && enabled.contains(thread_of(code));
    if (!is_candidate && !runs_out(code)) return *current;
    if (is_candidate) chosen = thread_of(code);
  }
  if (options_.observer != nullptr) options_.observer->chose_thread(*thread_slots_[chosen], Mode::run);
  return step_by(chosen);
}

Thread& Scheduling::choose_on_slow_path() {
  if (position >= options_.max_steps) [[unlikely]] {
    reach_step_limit(current->pending.where);
    return *current;
  }
  if (is_only_observed()) return choose_observed();
  const OwnMemory own;
  ColdState& m = *cold_state_;
  LogEntry entry{};
  entry.check = static_cast<std::uint32_t>(hash.low);
  entry.previous = static_cast<std::uint8_t>(last_);
  const Code code = choose_among_all(entry);
  if (code == kDiverged) return *current;  // the execution is being ended
  entry.code = static_cast<std::uint16_t>(code);
  Thread& next = *thread_slots_[thread_of(code)];
  const Pending& pending = next.pending;
  if (attention == Attention::to_all) [[unlikely]] {
    if (recording && !options_.trace->step(execution, next, code, entry)) {
      begin_ending(Outcome::diverged);
      return *current;
    }
    if (options_.observer != nullptr) options_.observer->chose_thread(next, mode_of(code));
  }
  if (options_.fair) {
    m.fairness.chose(next.index, gives_way(pending.operation, mode_of(code)), pending.where);
  }
  if (position >= common_end_) [[unlikely]] {
    ThreadSet able = enabled;
    able |= expirable_;
    if (options_.fair) able = could_go_on();
    m.last_steps.note(next.index, pending.operation, mode_of(code), pending.object, able, now_);
  }
  log[position] = entry;
  ++position;
  last_ = next.index;
  last_yielded_ = false;
  const bool was_guarded = next.is_guarded;
  const bool was_over =
      next.polls && (mode_of(code) == Mode::expire || (next.looks.lets_time_pass && is_held_by_guard(next)));
  set_going(next, mode_of(code));
  if (was_guarded) [[unlikely]] {
    read_awaited(next, pending.operation);
    if (was_over) end_poll_by_time(next);
  }
  enabled.insert(next.index);
  common_until = slow_path_reasons_ == 0 ? common_end_ : 0;
  plan_fast_path();
  return next;
}

// The general way to choose: more than 64 threads, timed waits, yields, guards, fairness. Builds the list of
// candidates with their prices. Returns kDiverged if there is nothing to choose or the chooser returns
// something that is not a candidate.
Code Scheduling::choose_among_all(LogEntry& entry) {
  const OwnMemory own;
  ColdState& m = *cold_state_;
  guarded_.for_each([&](unsigned t) {
    if (thread_slots_[t]->state == Thread::State::stopped) refresh(*thread_slots_[t]);
  });
  ThreadSet held_back;
  if (options_.fair) {
    const ThreadSet able = could_go_on();
    m.fairness.settle(able);
    held_back = m.fairness.held_back(able);
  }
  ThreadSet expirable = may_expire_now();
  m.held_late_waits |= expirable != expirable_;
  ThreadSet all = enabled;
  all |= expirable;
  all |= wakable_;
  held_back &= all;
  const bool is_forced = enabled.contains(last_) && thread_slots_[last_]->preemption_forbidden != 0;
  if (options_.leaves_out_unfair && !is_forced && !held_back.empty()) {
    all -= held_back;
    m.left_out_unfair = true;
  }
  ThreadSet futile;
  at_yield_.for_each([&](unsigned t) {
    if (enabled.contains(t) && is_futile(*thread_slots_[t])) futile.insert(t);
  });
  // A thread that is held back or at a futile yield counts as not enabled.
  ThreadSet useful = enabled;
  useful -= held_back;
  useful -= futile;
  const bool last_counts = useful.contains(last_) && !last_yielded_;
  const auto first = static_cast<std::uint32_t>(m.candidates.size());
  const auto add = [&](unsigned thread, Mode mode, unsigned price) {
    m.candidates.push_back(
        {static_cast<std::uint16_t>(thread_code(thread, mode)), static_cast<std::uint16_t>(price)});
  };
  const auto hold_time = [&](unsigned thread, unsigned price) {
    if (!options_.fair || !may_hold_time(thread)) return;
    if (options_.leaves_out_unfair) {
      m.left_out_unfair = true;
    } else {
      note_priced_yield(thread, true);
      add(thread, Mode::timeless, price);
    }
  };
  if (is_forced) {  // how its own wait ends is not for other threads to decide
    add(last_, Mode::run, 0);
    if (expirable.contains(last_)) add(last_, Mode::expire, 1);
    hold_time(last_, 1);
  } else {
    all.for_each([&](unsigned t) {
      const unsigned switching = t != last_ && last_counts ? 1 : 0;
      const unsigned unfairness = held_back.contains(t) ? 1 : 0;
      if (enabled.contains(t)) {
        const bool wastes = futile.contains(t) && !useful.empty();
        if (wastes || unfairness != 0) note_priced_yield(t, wastes);
        add(t, Mode::run, switching + std::max(unfairness, wastes ? 1U : 0U));
      }
      // A thread at a futile yield counts as not enabled here too. Otherwise the clock would never move if
      // one thread of the body spins until the timed wait of another one is over.
      if (expirable.contains(t)) add(t, Mode::expire, switching + unfairness + (useful.empty() ? 0 : 1));
      if (wakable_.contains(t)) add(t, Mode::spurious, switching + unfairness + 1);
      if (at_yield_.contains(t)) hold_time(t, switching + unfairness + 1);
    });
  }

  // The default costs nothing. At least one of the threads that could run is not held back: see Fairness.
  expirable -= held_back;
  futile -= held_back;
  Code code = kDiverged;
  if (is_forced || useful.contains(last_)) {
    code = thread_code(last_);
  } else if (!useful.empty()) {
    code = thread_code(least_named(useful));
  } else if (!expirable.empty()) {
    unsigned soonest = least_named(expirable);
    expirable.for_each([&](unsigned t) {
      if (thread_slots_[t]->pending.deadline < thread_slots_[soonest]->pending.deadline) soonest = t;
    });
    code = thread_code(soonest, Mode::expire);
  } else if (!futile.empty()) {
    // All threads spin. Each gets its turn, so that a loop that gives up after some rounds reaches that
    // point.
    unsigned calmest = least_named(futile);
    futile.for_each([&](unsigned t) {
      if (thread_slots_[t]->futile_yields < thread_slots_[calmest]->futile_yields) calmest = t;
    });
    code = thread_code(calmest);
  } else {
    deadlock();
    return kDiverged;
  }

  const auto count = static_cast<std::uint64_t>(m.candidates.size() - first);
  entry.kind = LogEntry::wide;
  entry.switch_price = last_counts ? 1 : 0;
  entry.what = count << 32U | first;
  const bool is_asked = count > 1 || (options_.observer != nullptr && chooser_->wants_forced);
  if (position >= chooser_->consult_at && is_asked) {
    entry.code = static_cast<std::uint16_t>(code);
    so_far_.size = position;
    so_far_.candidates = m.candidates.data();
    code = chooser_->choose({position, entry, &so_far_});
    const bool known = std::any_of(m.candidates.begin() + first, m.candidates.end(),
        [&](const Candidate& candidate) { return candidate.code == code; });
    if (!known) {
      if (!runs_out(code)) return kDiverged;
      code = entry.code;
    }
  }
  m.took_unfair_turn |= mode_of(code) == Mode::timeless || held_back.contains(thread_of(code));
  return code;
}

void Scheduling::note_priced_yield(unsigned thread, bool is_at_it) {
  ColdState& m = *cold_state_;
  if (m.priced_yield || running_out) return;
  m.priced_yield = true;
  m.yields_at = is_at_it ? thread_slots_[thread]->pending.where : m.fairness.last_yield(thread);
}

std::uint32_t Scheduling::choose_value(
    Operation operation, std::uint32_t count, std::uint16_t price, Where where) {
  if (ending || count <= 1) return 0;
  if (position >= options_.max_steps) {
    reach_step_limit(where);
    end_here();
    return 0;
  }
  LogEntry entry{};
  entry.kind = LogEntry::value;
  entry.what = std::uint64_t{price} << 32U | count;
  entry.check = static_cast<std::uint32_t>(hash.low);
  entry.previous = static_cast<std::uint8_t>(last_);
  Code value = 0;
  if (options_.observer != nullptr) options_.observer->met_values(*current, operation, count, price);
  if (position >= chooser_->consult_at) {
    so_far_.size = position;
    {
      const OwnMemory own;
      value = chooser_->choose({position, entry, &so_far_});
    }
    if (value >= count) {
      if (!runs_out(value)) {
        end_here();
        return 0;
      }
      value = 0;
    }
  }
  entry.code = static_cast<std::uint16_t>(value);
  if (recording && !options_.trace->value(execution, operation, value, count, price, where)) {
    begin_ending(Outcome::diverged);
    end_here();
    return 0;
  }
  if (options_.observer != nullptr) options_.observer->chose_value(*current, value);
  if (position >= common_end_) [[unlikely]]
    cold_state_->last_steps.note(current->index, operation, Mode::run, nullptr, enabled, now_);
  log[position] = entry;
  ++position;
  // The chooser may now want to be consulted at another position. A stop of 0 was forced and stays: this may
  // be a new thread, which must return to its starter at its first operation, or one that has just yielded.
  if (stop != 0) plan_fast_path();
  return value;
}

std::uint32_t Scheduling::choose(std::uint32_t count, Where where) {
  if (count == 0 || count > kCodeLimit) {
    fail(FailureKind::misuse,
        "choose(" + std::to_string(count) + "): the number of values must be between 1 and " +
            std::to_string(kCodeLimit),
        where);
    return 0;
  }
  if (count == 1) return 0;  // there is nothing to decide
  const std::uint32_t value = choose_value(Operation::choose, count, 0, where);
  if (!ending) act_alone(Operation::choose, value);
  return value;
}

bool Scheduling::fails_spuriously(Where where) {
  if (!options_.spurious_failures) return false;
  const bool fails = choose_value(Operation::atomic_compare_exchange, 2, 1, where) != 0;
  if (fails && !ending) note_spurious_failure();
  return fails;
}

bool Scheduling::polls_to_its_end(Where where) {
  const std::uint32_t value = choose_value(Operation::poll_to_end, 2, 0, where);
  if (!ending) act_alone(Operation::poll_to_end, value);
  return value != 0;
}

void Scheduling::grant_a_step() {
  if (options_.max_steps == kMaxPositions) return;
  ++options_.max_steps;
  ++common_end_;
  ++granted_steps_;
}

void Scheduling::forbid_preemption() {
  if (current->preemption_forbidden++ == 0) add_slow_path_reason();
}

void Scheduling::allow_preemption() {
  if (current->preemption_forbidden != 0 && --current->preemption_forbidden == 0) --slow_path_reasons_;
}

}  // namespace hocket::runtime
