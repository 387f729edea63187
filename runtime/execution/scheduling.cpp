// Stopping before an operation and choosing which thread runs next: the three paths of a step (see
// scheduling.hpp), the candidates and their prices, choices of values.
#include "scheduling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <optional>
#include <string>

#include "../diagnosis/trace.hpp"
#include "../terms/prices.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"
#include "outside.hpp"
#include "sealed_steps.hpp"

namespace hocket::runtime {

Thread& Scheduling::take_out_of_sets(Thread& thread) {
  assert(thread.is_in_a_set);
  return execution.enabled_threads.take_out_of_sets(thread);
}

Thread& step::stop_before(Object& object, Operation operation, bool ready, Where where) {
  Thread& self = *run.current;
  assert(run.ending || run.enabled.contains(self.index));
  self.pending.operation = operation;
  self.pending.object = &object;
  self.pending.where = where;
  assert(run.ending || ready == EnabledThreads::can_be_done(self));
  if (!ready) [[unlikely]]
    run.enabled.erase(self.index);
  if (run.position >= run.common_until || self.starter != nullptr) [[unlikely]]
    return execution.scheduling.stop_on_slow_path(self, ready);
  self.state = Thread::State::stopped;
  return Scheduling::choose_next();
}

Thread& Scheduling::stop_on_slow_path(Thread& self, bool ready) {
  if (ready && execution.retries.are_watched()) [[unlikely]]
    return stop_in_retry(self);
  return after_stop(self);
}

Thread& Scheduling::stop_in_retry(Thread& self) {
  if (execution.retries.makes_yield(self)) yield_in_retry(self);
  return after_stop(self);
}

void Scheduling::yield_in_retry(Thread& self) {
  assert(&self == run.current);
  if (run.ending || self.starter != nullptr || self.is_guarded) return;
  const Pending pending = self.pending;
  const bool waits = self.waits_in != nullptr;  // as before a lock, which is free
  if (waits) take_out_of_sets(self);
  const bool is_first = run.recording && run.trace()->enter(self, kGivesWay.data());
  self.instrumented.gives_way_before = &pending;
  const bool goes_on = step::yield(Operation::thread_yield, 0, pending.where);
  self.instrumented.gives_way_before = nullptr;
  if (is_first) run.trace()->leave(self);
  if (!goes_on) return;
  self.has_yielded = false;  // each round changes something, so none of these yields is futile
  self.pending = pending;
  if (waits) self.wait_in(*EnabledThreads::waiting_set(pending));
  if (!EnabledThreads::can_be_done(self)) run.enabled.erase(self.index);
}

Thread& Scheduling::after_stop(Thread& self) {
  assert(&self == run.current);
  if (run.ending) return self;
  if (run.attention == Attention::to_all) [[unlikely]] {
    if (self.is_guarded) enabled_threads_.refresh(self);
    if (run.recording) run.options.trace->stopped(self);
    if (run.options.observer != nullptr && self.joins == nullptr) {
      run.options.observer->stopped(self, self.is_guarded || run.enabled.contains(self.index));
    }
    if (run.options.sealed_steps != nullptr) {
      const OwnMemory own;
      self.is_sealed = run.options.sealed_steps->include_next();
    }
  }
  self.state = Thread::State::stopped;
  if (self.starter != nullptr) {
    Thread& starter = *self.starter;
    self.starter = nullptr;
    if (run.options.observer != nullptr) run.options.observer->started(self);
    Pace::leave_fast_path();
    return starter;
  }
  return choose_next();
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
  const std::uint64_t set = run.enabled.low_word();
  const bool switch_costs = (set >> run.last & 1) != 0 && !run.last_yielded;
  assert(run.position < kMaxPositions);
  LogEntry& entry = run.log[run.position];
  entry = {set, static_cast<std::uint32_t>(run.hash.low), static_cast<std::uint16_t>(thread_code(chosen)),
      static_cast<std::uint8_t>(run.last), LogEntry::narrow, switch_costs, 0, 0};
  return entry;
}

/// The end of the common path.
[[gnu::always_inline]] inline Thread& Scheduling::step_by(unsigned chosen) {
  write_entry(chosen);
  Thread& next = *run.threads[chosen];
  ++run.position;
  run.last = chosen;
  run.last_yielded = false;
  Pace::plan_fast_path();
  return set_going(next, Mode::run);
}

[[gnu::cold, gnu::noinline]] static Thread& next_where_none_is_enabled() {
  if (goes_on_from_outside()) return Scheduling::choose_next();
  return run.ending ? *run.current : execution.stuck_threads.deadlock();
}

// The common path: there is no reason for the slow path, so the enabled threads are the candidates. Its calls
// are tail calls, so that it needs no frame.
Thread& Scheduling::choose_next() {
  assert(execution.enabled_threads.counters_are_right());
  assert(execution.enabled_threads.sets_are_right());
  if (run.position >= run.common_until) [[unlikely]]
    return execution.scheduling.choose_on_slow_path();
  const std::uint64_t set = run.enabled.low_word();
  Chooser& chooser = *run.chooser;
  if (run.position >= chooser.consult_at && run.enabled.has_several_low()) {
    if (chooser.draws.next == chooser.draws.end) return execution.scheduling.consult();
    if (set >= kSmallSets.size.size()) [[unlikely]]
      return draw_from_many();
    return step_by(kSmallSets.member[set][Chooser::pick(*chooser.draws.next++, kSmallSets.size[set])]);
  }
  if (set == 0) [[unlikely]]
    return next_where_none_is_enabled();
  const bool last_is_enabled = (set >> run.last & 1) != 0;
  if (!last_is_enabled && !execution.threads.names_in_order()) [[unlikely]]
    return execution.scheduling.step_by_least_named();
  return step_by(last_is_enabled ? run.last : static_cast<unsigned>(std::countr_zero(set)));
}

/// The chooser has returned `code`, which is no candidate. Returns whether the execution runs on, by
/// defaults.
bool Scheduling::runs_out(Code code) {
  if (code == kPruned && verdict_.run_out()) return true;
  verdict_.begin_ending(code == kPruned ? Outcome::pruned : Outcome::diverged);
  return false;
}

/// Lets the chooser decide.
Thread& Scheduling::consult() {
  const LogEntry& entry =
      write_entry(run.enabled.contains(run.last) ? run.last : threads_.least_named(run.enabled));
  so_far_.size = run.position;
  const OwnMemory own;
  const Code code = run.chooser->choose({run.position, entry, &so_far_});
  const unsigned chosen = thread_of(code);
  if (code != thread_code(chosen % 64) || !run.enabled.contains(chosen)) [[unlikely]] {
    if (runs_out(code)) return step_by(thread_of(entry.code));
    return *run.current;
  }
  return step_by(chosen);
}

Thread& Scheduling::draw_from_many() {
  const WideSet set(run.enabled.low_word());
  return step_by(set.member(Chooser::pick(*run.chooser->draws.next++, set.size())));
}

Thread& Scheduling::step_by_least_named() {
  return step_by(threads_.least_named(run.enabled));
}

/// Whether nothing but the observer keeps this point from the common path.
bool Scheduling::is_only_observed() const {
  return pace_.reasons() == 1 && run.options.observer != nullptr && !run.recording &&
         !pace_.is_near_limit() && !run.enabled.empty();
}

/// The common path with an observer.
Thread& Scheduling::choose_observed() {
  const OwnMemory own;
  const LogEntry& entry =
      write_entry(run.enabled.contains(run.last) ? run.last : threads_.least_named(run.enabled));
  unsigned chosen = thread_of(entry.code);
  const bool is_asked = run.chooser->wants_forced || run.enabled.has_several_low();
  if (run.position >= run.chooser->consult_at && is_asked) {
    so_far_.size = run.position;
    const Code code = run.chooser->choose({run.position, entry, &so_far_});
    const bool is_candidate =
        code == thread_code(thread_of(code) % 64) && run.enabled.contains(thread_of(code));
    if (!is_candidate && !runs_out(code)) return *run.current;
    if (is_candidate) chosen = thread_of(code);
  }
  if (run.options.observer != nullptr) run.options.observer->chose_thread(threads_[chosen], Mode::run);
  return step_by(chosen);
}

Thread& Scheduling::choose_on_slow_path() {
  if (run.position >= run.options.max_steps) [[unlikely]] {
    stuck_threads_.reach_step_limit(run.current->pending.where);
    if (run.ending) return *run.current;
  }
  if (is_only_observed()) return choose_observed();
  const OwnMemory own;
  ColdState& m = *run.cold;
  LogEntry entry{};
  entry.check = static_cast<std::uint32_t>(run.hash.low);
  entry.previous = static_cast<std::uint8_t>(run.last);
  const std::optional<Code> chosen = choose_among_all(entry);
  if (!chosen) return *run.current;
  const Code code = *chosen;
  entry.code = static_cast<std::uint16_t>(code);
  Thread& next = threads_[thread_of(code)];
  const Pending& pending = next.pending;
  if (run.attention == Attention::to_all) [[unlikely]] {
    if (run.recording && !run.options.trace->step(next, code, entry)) {
      verdict_.begin_ending(Outcome::diverged);
      return *run.current;
    }
    if (run.options.observer != nullptr) run.options.observer->chose_thread(next, mode_of(code));
  }
  if (run.options.fair) {
    m.scheduling.fairness.chose(next.index, gives_way(pending.operation, mode_of(code)), pending.where);
  }
  if (pace_.is_near_limit()) [[unlikely]] {
    ThreadSet able = run.enabled;
    able |= enabled_threads_.expirable();
    if (run.options.fair) able = enabled_threads_.could_go_on();
    m.scheduling.last_steps.note(next, pending.operation, mode_of(code), pending.object, able, time_.now());
  }
  entry.gives_way = next.instrumented.gives_way_before != nullptr;
  run.log[run.position] = entry;
  ++run.position;
  run.last = next.index;
  run.last_yielded = false;
  const bool was_guarded = next.is_guarded;
  const bool was_over =
      next.polls && (mode_of(code) == Mode::expire ||
                        (next.instrumented.looks.lets_time_pass && EnabledThreads::is_held_by_guard(next)));
  set_going(next, mode_of(code));
  if (was_guarded) [[unlikely]] {
    Awaiting::read_awaited(next, pending.operation);
    if (was_over) awaiting_.end_poll_by_time(next);
  }
  run.enabled.insert(next.index);
  pace_.enter_common_path();
  Pace::plan_fast_path();
  return next;
}

/// A choice among all threads: more than 64 threads, timed waits, yields, guards, fairness.
struct Scheduling::Situation {
  ThreadSet able;              ///< could take a step, in one mode or another
  ThreadSet expirable;         ///< may take one because their time is over
  ThreadSet held_back;         ///< see Fairness
  ThreadSet futile;            ///< at a yield that would change nothing
  ThreadSet useful;            ///< enabled, and neither held back nor futile
  bool leaving_costs = false;  ///< letting another thread run than the last one is a preemption
  bool is_forced = false;      ///< no other thread than the last one may run
};

Scheduling::Situation Scheduling::situation() {
  ColdState& m = *run.cold;
  enabled_threads_.refresh_guarded();
  Situation now;
  if (run.options.fair) {
    const ThreadSet able = enabled_threads_.could_go_on();
    m.scheduling.fairness.settle(able);
    now.held_back = m.scheduling.fairness.held_back(able);
  }
  now.expirable = enabled_threads_.may_expire_now();
  m.scheduling.held_late_waits |= now.expirable != enabled_threads_.expirable();
  now.able = run.enabled;
  now.able |= now.expirable;
  now.able |= enabled_threads_.wakable();
  now.held_back &= now.able;
  enabled_threads_.at_yield().for_each([&](unsigned t) {
    if (run.enabled.contains(t) && EnabledThreads::is_futile(threads_[t])) now.futile.insert(t);
  });
  now.useful = run.enabled;
  now.useful -= now.held_back;
  now.useful -= now.futile;
  now.leaving_costs = now.useful.contains(run.last) && !run.last_yielded;
  const Thread& last = threads_[run.last];
  now.is_forced = run.enabled.contains(run.last) && last.preemption_forbidden != 0;
  if (last.is_sealed && now.leaving_costs && !now.is_forced) {
    now.is_forced = true;
    ThreadSet others = now.able;
    others.erase(run.last);
    m.scheduling.left_out_sealed |= !others.empty();
  }
  if (run.options.leaves_out_unfair && !now.is_forced && !now.held_back.empty()) {
    now.able -= now.held_back;
    m.scheduling.left_out_unfair = true;
  }
  return now;
}

namespace {

void add_candidate(unsigned thread, Mode mode, unsigned price) {
  run.cold->scheduling.candidates.push_back(
      {static_cast<std::uint16_t>(thread_code(thread, mode)), static_cast<std::uint16_t>(price)});
}

/// Candidates are in the order of their codes, and most threads have one.
template <class Iterator>
Iterator find_candidate(Iterator begin, Iterator end, Code code) {
  if (begin == end) return end;
  Iterator at = begin + std::min<std::ptrdiff_t>(thread_of(code), end - begin - 1);
  while (at != begin && at->code > code) --at;
  while (at != end && at->code < code) ++at;
  return at != end && at->code == code ? at : end;
}

/// The candidates of the last position at which each enabled thread could run and none could do anything
/// else. With many threads the next list mostly differs from it in two prices, or not at all.
struct PlainList {
  ThreadSet threads;
  unsigned last = 0;
  unsigned price = 0;  ///< of any other thread than the last one
  std::uint32_t position = kMaxPositions;
  std::uint32_t first = 0;

  /// Whether it is that of the position before this one.
  [[nodiscard]] bool is_fresh() const {
    if (position + 1 != run.position || run.log[position].kind != LogEntry::wide) return false;
    const auto size = static_cast<std::uint32_t>(run.cold->scheduling.candidates.size());
    return run.log[position].what == (std::uint64_t{size - first} << 32U | first);
  }
};
constinit PlainList plain_list;

/// Lists the threads that can run, which can do nothing else: a new list, or the last one again.
void list_plain(unsigned price) {
  std::vector<Candidate>& candidates = run.cold->scheduling.candidates;
  PlainList& list = plain_list;
  const auto end = static_cast<std::uint32_t>(candidates.size());
  const bool is_like_last = list.is_fresh() && list.price == price && list.threads == run.enabled;
  if (is_like_last && (list.last == run.last || price == 0)) {
    list.position = run.position;
    list.last = run.last;
    return;
  }
  if (is_like_last) {
    candidates.resize(end + (end - list.first));
    std::copy(candidates.begin() + list.first, candidates.begin() + end, candidates.begin() + end);
    const auto set_price = [&](unsigned thread, unsigned to) {
      const auto at = find_candidate(candidates.begin() + end, candidates.end(), thread_code(thread));
      if (at != candidates.end()) at->price = static_cast<std::uint16_t>(to);
    };
    set_price(list.last, price);
    set_price(run.last, 0);
  } else {
    run.enabled.for_each([&](unsigned t) { add_candidate(t, Mode::run, t != run.last ? price : 0); });
  }
  list = {run.enabled, run.last, price, run.position, end};
}

}  // namespace

/// The candidate that lets no time pass for a thread that is about to sleep, although time could pass.
void Scheduling::list_timeless(unsigned thread, unsigned price) {
  if (!run.options.fair || !enabled_threads_.may_hold_time(thread)) return;
  if (run.options.leaves_out_unfair) {
    run.cold->scheduling.left_out_unfair = true;
  } else {
    note_priced_yield(thread, true);
    add_candidate(thread, Mode::timeless, price);
  }
}

void Scheduling::list_candidates(const Situation& now) {
  if (!now.is_forced && now.able == run.enabled && now.expirable.empty() && now.held_back.empty() &&
      enabled_threads_.at_yield().empty() && enabled_threads_.wakable().empty())
    return list_plain(now.leaving_costs ? 1 : 0);
  plain_list.position = kMaxPositions;
  if (now.is_forced) {
    add_candidate(run.last, Mode::run, price_without_preemption(Mode::run));
    if (now.expirable.contains(run.last))
      add_candidate(run.last, Mode::expire, price_without_preemption(Mode::expire));
    list_timeless(run.last, price_without_preemption(Mode::timeless));
    return;
  }
  now.able.for_each([&](unsigned t) {
    const Circumstances its{t != run.last && now.leaving_costs, now.held_back.contains(t),
        now.futile.contains(t), !now.useful.empty()};
    if (run.enabled.contains(t)) {
      const bool wastes = its.is_futile && its.somebody_is_useful;
      if (wastes || its.is_held_back) note_priced_yield(t, wastes);
      add_candidate(t, Mode::run, price_of(Mode::run, its));
    }
    if (now.expirable.contains(t)) add_candidate(t, Mode::expire, price_of(Mode::expire, its));
    if (enabled_threads_.wakable().contains(t))
      add_candidate(t, Mode::spurious, price_of(Mode::spurious, its));
    if (enabled_threads_.at_yield().contains(t)) list_timeless(t, price_of(Mode::timeless, its));
  });
}

/// The default, which costs nothing, unless no thread can go on. At least one of the threads that could
/// run is not held back: see Fairness.
std::optional<Code> Scheduling::default_of(const Situation& now) const {
  if (now.is_forced || now.useful.contains(run.last)) return thread_code(run.last);
  if (!now.useful.empty()) return thread_code(threads_.least_named(now.useful));
  ThreadSet expirable = now.expirable;
  expirable -= now.held_back;
  if (!expirable.empty()) {
    unsigned soonest = threads_.least_named(expirable);
    expirable.for_each([&](unsigned t) {
      if (threads_[t].pending.deadline < threads_[soonest].pending.deadline) soonest = t;
    });
    return thread_code(soonest, Mode::expire);
  }
  ThreadSet futile = now.futile;
  futile -= now.held_back;
  if (futile.empty()) return std::nullopt;
  // All threads spin. Each gets its turn, so that a loop that gives up after some rounds reaches that point.
  unsigned calmest = threads_.least_named(futile);
  futile.for_each([&](unsigned t) {
    if (threads_[t].futile_yields < threads_[calmest].futile_yields) calmest = t;
  });
  return thread_code(calmest);
}

/// Lets the chooser decide between the candidates from `first` on. Returns none if the chooser's code is not
/// one of theirs and the execution does not run on.
std::optional<Code> Scheduling::ask(LogEntry& entry, std::uint32_t first, Code by_default) {
  const std::vector<Candidate>& candidates = run.cold->scheduling.candidates;
  entry.code = static_cast<std::uint16_t>(by_default);
  so_far_.size = run.position;
  so_far_.candidates = candidates.data();
  const Code code = run.chooser->choose({run.position, entry, &so_far_});
  if (find_candidate(candidates.begin() + first, candidates.end(), code) != candidates.end()) return code;
  if (runs_out(code)) return by_default;
  return std::nullopt;
}

// Returns none if the execution is being ended: there is nothing to choose, or the chooser has returned
// something that is not a candidate.
std::optional<Code> Scheduling::choose_among_all(LogEntry& entry) {
  const OwnMemory own;
  ColdState& m = *run.cold;
  const auto end = static_cast<std::uint32_t>(m.scheduling.candidates.size());
  const Situation now = situation();
  // A worker whose wait has a timeout waits, too.
  if (run.enabled.empty() && !run.ending && stuck_threads_.only_workers_wait()) [[unlikely]] {
    if (goes_on_from_outside()) return choose_among_all(entry);
    stuck_threads_.deadlock();
    return std::nullopt;
  }
  list_candidates(now);
  const std::uint32_t first = plain_list.position == run.position ? plain_list.first : end;
  std::optional<Code> code = default_of(now);
  if (!code) {
    if (goes_on_from_outside()) return choose_among_all(entry);
    if (!run.ending) stuck_threads_.deadlock();
    return std::nullopt;
  }
  const auto count = static_cast<std::uint64_t>(m.scheduling.candidates.size() - first);
  entry.kind = LogEntry::wide;
  entry.switch_price = now.leaving_costs ? 1 : 0;
  entry.what = count << 32U | first;
  const bool is_asked = count > 1 || (run.options.observer != nullptr && run.chooser->wants_forced);
  if (run.position >= run.chooser->consult_at && is_asked) code = ask(entry, first, *code);
  if (code)
    m.scheduling.took_unfair_turn |=
        mode_of(*code) == Mode::timeless || now.held_back.contains(thread_of(*code));
  return code;
}

void Scheduling::note_priced_yield(unsigned thread, bool is_at_it) {
  ColdState& m = *run.cold;
  if (m.scheduling.priced_yield || run.running_out) return;
  m.scheduling.priced_yield = true;
  m.scheduling.yields_at =
      is_at_it ? threads_[thread].pending.where : m.scheduling.fairness.last_yield(thread);
}

std::uint32_t Scheduling::choose_value(
    Operation operation, std::uint32_t count, std::uint16_t price, Where where) {
  if (run.ending || count <= 1) return 0;
  if (run.position >= run.options.max_steps) {
    stuck_threads_.reach_step_limit(where);
    if (run.ending) {
      verdict_.end_here();
      return 0;
    }
  }
  LogEntry entry{};
  entry.kind = LogEntry::value;
  entry.what = std::uint64_t{price} << 32U | count;
  entry.check = static_cast<std::uint32_t>(run.hash.low);
  entry.previous = static_cast<std::uint8_t>(run.last);
  Code value = 0;
  if (run.options.observer != nullptr)
    run.options.observer->met_values(*run.current, operation, count, price);
  if (run.position >= run.chooser->consult_at) {
    so_far_.size = run.position;
    {
      const OwnMemory own;
      value = run.chooser->choose({run.position, entry, &so_far_});
    }
    if (value >= count) {
      if (!runs_out(value)) {
        verdict_.end_here();
        return 0;
      }
      value = 0;
    }
  }
  entry.code = static_cast<std::uint16_t>(value);
  if (run.recording && !run.options.trace->value(operation, value, count, price, where)) {
    verdict_.begin_ending(Outcome::diverged);
    verdict_.end_here();
    return 0;
  }
  if (run.options.observer != nullptr) run.options.observer->chose_value(*run.current, value);
  if (pace_.is_near_limit()) [[unlikely]]
    run.cold->scheduling.last_steps.note(
        *run.current, operation, Mode::run, nullptr, run.enabled, time_.now());
  run.log[run.position] = entry;
  ++run.position;
  // The chooser may now want to be consulted at another position. A stop of 0 was forced and stays: this may
  // be a new thread, which must return to its starter at its first operation, or one that has just yielded.
  if (run.stop != 0) Pace::plan_fast_path();
  return value;
}

std::uint32_t Scheduling::choose(std::uint32_t count, Where where) {
  if (count == 0 || count > kCodeLimit) {
    verdict_.fail(FailureKind::misuse,
        "choose(" + std::to_string(count) + "): the number of values must be between 1 and " +
            std::to_string(kCodeLimit),
        where);
    return 0;
  }
  if (count == 1) return 0;  // there is nothing to decide
  const std::uint32_t value = choose_value(Operation::choose, count, 0, where);
  if (!run.ending) Actions::act_alone(Operation::choose, value);
  return value;
}

bool Scheduling::fails_spuriously(Where where) {
  if (!run.options.spurious_failures) return false;
  const bool fails = choose_value(Operation::atomic_compare_exchange, 2, 1, where) != 0;
  if (fails && !run.ending) Actions::act_alone(Operation::atomic_compare_exchange, 1);
  return fails;
}

bool Scheduling::polls_to_its_end(Where where) {
  const std::uint32_t value = choose_value(Operation::poll_to_end, 2, 0, where);
  if (!run.ending) Actions::act_alone(Operation::poll_to_end, value);
  return value != 0;
}

void Scheduling::forbid_preemption() {
  if (run.current->preemption_forbidden++ == 0) pace_.add_reason();
}

void Scheduling::allow_preemption() {
  if (run.current->preemption_forbidden != 0 && --run.current->preemption_forbidden == 0) pace_.drop_reason();
}

}  // namespace hocket::runtime
