#include "tests/oracle/machine.hpp"

#include <algorithm>
#include <limits>

namespace hocket::oracle {

// ---------------------------------------------------------------------------------------------------------------------
// Who may go on

bool Machine::is_free(const State& state, unsigned mutex) const {
  return state.objects[mutex].owner == kNobody && state.objects[mutex].readers == 0;
}

bool Machine::waits_before(const Instruction& at) {
  switch (at.verb) {
    case Verb::lock:
    case Verb::lock_shared:
    case Verb::acquire:
      return true;
    case Verb::try_lock_for:
    case Verb::try_lock_shared_for:
    case Verb::try_acquire_for:
      return at.value > 0;
    default:
      return false;
  }
}

bool Machine::can_take(const State& state, const Instruction& at) const {
  switch (at.verb) {
    case Verb::lock_shared:
    case Verb::try_lock_shared:
    case Verb::try_lock_shared_for:
      return state.objects[at.object].owner == kNobody;
    case Verb::acquire:
    case Verb::try_acquire:
    case Verb::try_acquire_for:
      return state.objects[at.object].value > 0;
    default:
      return is_free(state, at.object);
  }
}

bool Machine::is_enabled(const State& state, unsigned thread) const {
  const ThreadState& t = state.threads[thread];
  switch (t.phase) {
    case Phase::before:
      if (t.at.verb == Verb::sleep && is_late(t.at)) return false;
      return !waits_before(t.at) || can_take(state, t.at);
    case Phase::woken:  // a shared mutex is taken in a step of its own
      return is_shared(t.at.mutex) || is_free(state, t.at.mutex);
    case Phase::retakes:
      return t.takes_shared ? state.objects[t.at.mutex].owner == kNobody : is_free(state, t.at.mutex);
    case Phase::watches:
      for (unsigned o = 0; o < kMostObjects; ++o) {
        if ((t.watched >> o & 1U) != 0 && t.seen_version[o] != state.objects[o].version) return true;
      }
      return false;
    case Phase::releases:
    case Phase::roused:
    case Phase::looks:
      return true;
    default:
      return false;
  }
}

// What takes no time is over at once, so it cannot be late.
bool Machine::is_late(const Instruction& at) const {
  return program_.is_late && at.value > 0;
}

bool Machine::has_time_limit(const State& state, unsigned thread) const {
  const ThreadState& t = state.threads[thread];
  switch (t.at.verb) {
    case Verb::try_lock_for:
    case Verb::try_lock_shared_for:
    case Verb::try_acquire_for:
      return t.phase == Phase::before && !is_enabled(state, thread);
    case Verb::wait_for:
      return t.phase == Phase::waits || t.phase == Phase::woken;
    case Verb::sleep:
      return t.phase == Phase::before && is_late(t.at);
    default:
      return false;
  }
}

bool Machine::may_expire(const State& state, unsigned thread) const {
  if (!has_time_limit(state, thread)) return false;
  if (!is_late(state.threads[thread].at)) return true;
  const std::int8_t end = state.threads[thread].over_at;
  for (unsigned t = 0; t < kMostThreads; ++t) {
    const ThreadState& other = state.threads[t];
    if (holds_up_time(state, t)) return false;
    if (has_time_limit(state, t) && other.over_at < end) return false;
    // A thread that sleeps has its turn at the end of its sleep, though it may be futile.
    const bool sleeps = other.phase == Phase::before && other.at.verb == Verb::sleep && !is_late(other.at);
    if (sleeps && !program_.is_fair && state.objects[kClock].value + other.at.value < end) return false;
  }
  return true;
}

bool Machine::may_wake_spuriously(const State& state, unsigned thread) const {
  const ThreadState& t = state.threads[thread];
  return program_.spurious_wakeups && t.phase == Phase::waits;
}

bool Machine::is_at_futile_yield(const State& state, unsigned thread) const {
  const ThreadState& t = state.threads[thread];
  const bool is_at_yield = t.phase == Phase::before && yields(t.at);
  if (!is_at_yield || !t.has_yielded || t.has_written) return false;
  for (unsigned o = 0; o <= kClock; ++o) {
    if ((t.has_read >> o & 1U) != 0 && t.version[o] != state.objects[o].version) return false;
  }
  return true;
}

// Before the first step, the main thread counts as the thread that made the last step.
bool Machine::is_kept_running(const State& state, Last last) const {
  const unsigned thread = last.thread == kNobody ? 0 : last.thread;
  return state.threads[thread].frame.guards != 0 && is_enabled(state, thread);
}

bool Machine::is_sealed(const State& state, Last last) const {
  return program_.has_seals && could_go_on(state, last) && state.threads[last.thread].at.is_sealed;
}

std::vector<Candidate> Machine::candidates(const State& state, Last last, bool without_unfair) const {
  if (state.cut != Cut::none) return {};
  bool somebody_is_useful = false;
  bool somebody_can_go_on = false;
  for (unsigned t = 0; t < kMostThreads; ++t) {
    somebody_is_useful |= is_useful(state, t) && !owes(state, t);
    somebody_can_go_on |= is_enabled(state, t) || may_expire(state, t);
  }
  if (!somebody_can_go_on) return {};  // no program may rely on spurious wake-ups

  const bool last_could_go_on = could_go_on(state, last);
  std::vector<Candidate> candidates;
  if (is_kept_running(state, last) || is_sealed(state, last)) {
    const std::uint8_t t = last.thread == kNobody ? std::uint8_t{0} : last.thread;
    candidates.push_back({{t, Way::run}, 0});
    if (may_expire(state, t)) candidates.push_back({{t, Way::expire}, 1});
    if (may_hold_time(state, t) && !without_unfair) candidates.push_back({{t, Way::timeless}, 1});
    return candidates;
  }
  for (std::uint8_t t = 0; t < kMostThreads; ++t) {
    const unsigned switching = last_could_go_on && t != last.thread ? 1 : 0;
    const unsigned unfairness = owes(state, t) ? 1 : 0;
    if (without_unfair && unfairness != 0) continue;
    if (is_enabled(state, t)) {
      const bool wastes = is_at_futile_yield(state, t) && somebody_is_useful;
      candidates.push_back({{t, Way::run}, switching + std::max(unfairness, wastes ? 1U : 0U)});
    }
    if (may_expire(state, t)) {
      candidates.push_back({{t, Way::expire}, switching + unfairness + (somebody_is_useful ? 1 : 0)});
    }
    if (may_wake_spuriously(state, t)) {
      candidates.push_back({{t, Way::spurious}, switching + unfairness + 1});
    }
    if (may_hold_time(state, t) && !without_unfair) {
      candidates.push_back({{t, Way::timeless}, switching + unfairness + 1});
    }
  }
  return candidates;
}

// ---------------------------------------------------------------------------------------------------------------------
// Fairness

std::uint8_t Machine::able(const State& state) const {
  unsigned set = 0;
  bool may_time_pass = true;
  std::int8_t first_end = std::numeric_limits<std::int8_t>::max();
  for (unsigned t = 0; t < kMostThreads; ++t) {
    set |= is_enabled(state, t) ? 1U << t : 0;
    if (holds_up_time(state, t)) may_time_pass = false;
    if (may_expire(state, t)) first_end = std::min(first_end, state.threads[t].over_at);
  }
  for (unsigned t = 0; t < kMostThreads; ++t) {
    const std::int8_t end = state.threads[t].over_at;
    const bool is_over = end <= state.objects[kClock].value || (may_time_pass && end == first_end);
    if (may_expire(state, t) && is_over) set |= 1U << t;
  }
  return static_cast<std::uint8_t>(set);
}

bool Machine::owes(const State& state, unsigned thread) const {
  return program_.is_fair && (state.debts[thread].owed_to & able(state)) != 0;
}

bool Machine::may_let_time_pass(const State& state, unsigned thread) const {
  for (unsigned t = 0; t < kMostThreads; ++t) {
    if (t != thread && holds_up_time(state, t)) return false;
  }
  return true;
}

bool Machine::must_let_time_pass(const State& state, unsigned thread) const {
  for (unsigned t = 0; t < kMostThreads; ++t) {
    if (t != thread && is_useful(state, t)) return false;
  }
  return true;
}

bool Machine::may_hold_time(const State& state, unsigned thread) const {
  const ThreadState& t = state.threads[thread];
  const bool sleeps = t.phase == Phase::before && t.at.verb == Verb::sleep && !is_late(t.at);
  return sleeps && may_let_time_pass(state, thread) && !must_let_time_pass(state, thread);
}

void Machine::account_for(
    State& state, unsigned thread, bool yields, std::uint8_t before, std::uint8_t after) {
  const auto self = static_cast<std::uint8_t>(1U << thread);
  for (Debt& debt : state.debts) {
    debt.owed_to &= static_cast<std::uint8_t>(~self);
    debt.always_enabled &= after;
    debt.has_run |= self;
  }
  Debt& own = state.debts[thread];
  own.stopped |= static_cast<std::uint8_t>(before & ~after);
  if (!yields) return;
  own.owed_to |= static_cast<std::uint8_t>((own.always_enabled | own.stopped) & ~own.has_run);
  own.always_enabled = after;
  own.stopped = own.has_run = 0;
}

bool Machine::all_have_ended(const State& state) {
  return std::all_of(state.threads.begin(), state.threads.end(),
      [](const ThreadState& t) { return t.phase == Phase::ended || t.phase == Phase::absent; });
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

std::vector<unsigned> Machine::stable_name(const State& state, unsigned thread) const {
  std::vector<unsigned> name;
  for (; thread != 0; thread = program_.threads[thread].parent) name.push_back(state.threads[thread].ordinal);
  std::reverse(name.begin(), name.end());
  return name;
}

std::vector<unsigned> Machine::sleepers(const State& state, const Instruction& waker) const {
  const bool on_condition = waker.verb == Verb::notify_one || waker.verb == Verb::notify_all;
  std::vector<unsigned> threads;
  for (unsigned n = 0; n < kMostThreads; ++n) {
    const ThreadState& t = state.threads[n];
    const bool sleeps = on_condition
                            ? t.phase == Phase::waits || (t.phase == Phase::releases && !t.is_notified)
                            : t.phase == Phase::parked;
    if (sleeps && t.at.object == waker.object) threads.push_back(n);
  }
  if (threads.size() > 1) {
    std::sort(threads.begin(), threads.end(),
        [&](unsigned a, unsigned b) { return stable_name(state, a) < stable_name(state, b); });
  }
  return threads;
}

}  // namespace hocket::oracle
