// What may become of a program whose threads poll, by brute force: it does not know which loops wait, and
// goes round each loop as often as there are new states.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/unmodified/polling/polling_program.hpp"

namespace unmodified::polling {

inline constexpr std::uint8_t kNobody = 0xff;
inline constexpr std::uint8_t kDestroyed = 0xff;  ///< in place of a number of permits

struct State {
  struct OfThread {
    std::uint8_t at = 0;
    std::uint8_t counter = 0;
    bool sleeps = false;  ///< until it is notified
    std::uint8_t waits_behind =
        0;  ///< a barrier at which it has arrived: how often that had opened, plus one
    std::array<std::uint8_t, kMember + 1> registers{};
    friend auto operator<=>(const OfThread&, const OfThread&) = default;
  };
  std::array<std::uint8_t, kAtomics> atomics{};
  std::array<std::uint8_t, kMutexes> owners{kNobody, kNobody};
  std::array<std::uint8_t, kMutexes> readers{};  ///< a bit for each thread
  std::array<std::uint8_t, kMutexes> data{};
  std::uint8_t latch = 0;
  std::array<std::uint8_t, kBarriers> arrived{};
  std::array<std::uint8_t, kBarriers> opened{};  ///< how often
  std::array<std::uint8_t, kSemaphores> permits{};
  std::array<std::uint8_t, kFlags> flags{};
  std::array<OfThread, kThreads> threads{};
  std::uint8_t deadlines_over = 0;
  std::uint8_t last = kNobody;
  bool has_yielded = false;
  // -- In programs with loops that retry: bits for threads
  std::array<std::uint8_t, kThreads> ran{};      ///< those that have run since the thread last yielded
  std::array<std::uint8_t, kThreads> starved{};  ///< those that it has kept from running until then
  friend auto operator<=>(const State&, const State&) = default;
};

/// What may become of a program. Leaving a thread that could go on, and has not yielded, costs one. So does
/// it if the time comes that a thread waits for while another one could go on.
///
/// In a search leaving a thread that polls is free from the round on that is found to be silent, and leaving
/// one that retries once the search is fair; then each step of a thread that has yielded and keeps others
/// from running costs one. Which rounds these are, only the search finds out. So a program has two prices:
/// the most, as if leaving always cost one and loops that retry yielded, and the least, as if leaving a loop
/// were always free and nothing unfair.
enum class Prices : std::uint8_t { most, least };
struct Answer {
  std::map<std::uint64_t, unsigned> outcomes;  ///< with the least that each costs
  std::map<std::uint64_t, unsigned> least;     ///< the same, by the other prices
  bool may_get_stuck = false;                  ///< there are states from which the program comes to no end
  unsigned stuck = 0;                          ///< if so, the least that one of these costs
  std::optional<unsigned> misuse;              ///< the least that a use of a destroyed semaphore costs
};

class BruteForce {
 public:
  BruteForce(const Polling& program, Prices prices) : program_(program), prices_(prices) {}

  /// Nothing: there are more states.
  std::optional<Answer> run(std::size_t most_states) {
    State begin;
    begin.latch = program_.latch;
    begin.permits = program_.semaphores;
    for (unsigned t = 0; t < program_.threads.size(); ++t) run_on(begin, t);
    reach(begin, 0, 0);
    while (!left_.empty()) {
      const std::size_t n = left_.begin()->second;
      left_.erase(left_.begin());
      if (states_[n].is_done) continue;
      states_[n].is_done = true;
      expand(n);
      if (states_.size() > most_states) return {};
    }
    get_stuck();
    return answer_;
  }

 private:
  struct Known {
    State state;
    unsigned price;
    bool is_done = false;
    bool is_end = false;
    std::vector<std::size_t> before{};
  };

  [[nodiscard]] const Command& next(const State& state, unsigned t) const {
    return program_.threads[t][state.threads[t].at];
  }
  [[nodiscard]] bool is_in_loop(const State& state, unsigned t) const {
    const std::vector<Command>& code = program_.threads[t];
    const std::size_t at = state.threads[t].at;
    for (std::size_t n = at; n < code.size(); ++n) {
      if (code[n].what >= Do::jump && code[n].target <= at) return true;
    }
    return false;
  }
  [[nodiscard]] bool has_ended(const State& state, unsigned t) const {
    return state.threads[t].at == program_.threads[t].size();
  }
  [[nodiscard]] bool is_able(const State& state, unsigned t) const {
    if (has_ended(state, t)) return false;
    const State::OfThread& self = state.threads[t];
    const Command& c = next(state, t);
    switch (c.what) {
      case Do::lock:
        return is_free(state, c.object);
      case Do::lock_shared:
        return state.owners[c.object] == kNobody;
      case Do::wait:
        return !self.sleeps;
      case Do::wait_for_latch:
        return state.latch == 0;
      case Do::arrive_and_wait:
        return self.waits_behind == 0 || state.opened[c.object] >= self.waits_behind;
      case Do::acquire:  // a use of a destroyed one is a step, too
        return state.permits[c.object] != 0;
      default:
        return true;
    }
  }
  [[nodiscard]] static bool is_free(const State& state, std::uint8_t mutex) {
    return state.owners[mutex] == kNobody && state.readers[mutex] == 0;
  }
  /// Whether the thread has it in either mode.
  [[nodiscard]] static bool has(const State& state, unsigned t, std::uint8_t mutex) {
    return state.owners[mutex] == t || (state.readers[mutex] >> t & 1U) != 0;
  }
  [[nodiscard]] bool uses_semaphore(const State& state, unsigned t, std::uint8_t semaphore) const {
    if (has_ended(state, t)) return false;
    const Command& c = next(state, t);
    return c.object == semaphore && (c.what == Do::acquire || c.what == Do::try_acquire ||
                                        c.what == Do::release || c.what == Do::destroy);
  }
  /// Whether the next step of the thread is a use of a destroyed semaphore, or destroys one which another
  /// thread is about to use or waits for.
  [[nodiscard]] bool is_misuse(const State& state, unsigned t) const {
    const Command& c = next(state, t);
    if (!uses_semaphore(state, t, c.object)) return false;
    if (state.permits[c.object] == kDestroyed) return true;
    if (c.what != Do::destroy) return false;
    for (unsigned other = 0; other < program_.threads.size(); ++other) {
      if (other != t && uses_semaphore(state, other, c.object)) return true;
    }
    return false;
  }

  void reach(const State& state, unsigned price, std::size_t from) {
    const auto [known, is_new] = numbers_.emplace(state, states_.size());
    const std::size_t n = known->second;
    if (is_new) states_.push_back({state, price});
    states_[n].before.push_back(from);
    const bool is_cheaper = price < states_[n].price;
    if (is_cheaper) states_[n].price = price;
    if (!is_new && !is_cheaper) return;
    left_.emplace(price, n);
  }

  void expand(std::size_t n) {
    const State state = states_[n].state;
    const unsigned price = states_[n].price;
    bool all_have_ended = true;
    const bool leaving_costs = state.last != kNobody && !state.has_yielded && is_able(state, state.last) &&
                               !(prices_ == Prices::least && is_in_loop(state, state.last));
    for (unsigned t = 0; t < program_.threads.size(); ++t) {
      all_have_ended &= has_ended(state, t);
      if (!is_able(state, t)) continue;
      const unsigned after_switch = price + (leaving_costs && t != state.last ? 1 : 0) +
                                    (prices_ == Prices::most && is_unfair(state, t) ? 1 : 0);
      if (is_misuse(state, t)) {
        answer_.misuse = std::min(answer_.misuse.value_or(after_switch), after_switch);
        states_[n].is_end = true;
        continue;
      }
      if (next(state, t).what == Do::notify_one && notify_each(state, t, after_switch, n)) continue;
      State after = state;
      step(after, t);
      reach(after, after_switch, n);
      const Command& command = next(state, t);
      if (command.what != Do::look_at_clock || state.deadlines_over > command.value) continue;
      State later = state;
      later.deadlines_over = static_cast<std::uint8_t>(command.value + 1);
      bool is_other_able = false;
      for (unsigned other = 0; other < program_.threads.size(); ++other)
        is_other_able |= other != t && is_able(state, other);
      step(later, t);
      reach(later, after_switch + (is_other_able ? 1 : 0), n);
    }
    if (!all_have_ended) return;
    states_[n].is_end = true;
    Outcome outcome{};
    std::copy(state.atomics.begin(), state.atomics.end(), outcome.begin());
    std::copy(state.data.begin(), state.data.end(), outcome.begin() + kAtomics);
    for (unsigned t = 0; t < program_.threads.size(); ++t)
      std::copy_n(state.threads[t].registers.begin(), kRegisters,
          outcome.begin() + kAtomics + kMutexes + std::size_t{t} * kRegisters);
    const auto [known, is_new] = answer_.outcomes.emplace(hash(outcome), price);
    if (!is_new) known->second = std::min(known->second, price);
  }

  /// Whether some thread sleeps on the atomic. If so, reaches a state for each that may be woken.
  bool notify_each(const State& state, unsigned t, unsigned price, std::size_t from) {
    bool is_any_asleep = false;
    for (unsigned other = 0; other < program_.threads.size(); ++other) {
      if (!sleeps_on(state, other, next(state, t).object)) continue;
      is_any_asleep = true;
      State after = state;
      after.threads[other].sleeps = false;
      step(after, t);
      reach(after, price, from);
    }
    return is_any_asleep;
  }
  [[nodiscard]] bool sleeps_on(const State& state, unsigned t, std::uint8_t atomic) const {
    return state.threads[t].sleeps && next(state, t).object == atomic;
  }

  void step(State& state, unsigned t) const {
    State::OfThread& self = state.threads[t];
    const Command& c = next(state, t);
    if (program_.retries) note_turn(state, t);
    if (c.what == Do::raise || c.what == Do::look_at_flag) return step_on_flag(state, t);
    std::uint8_t& x = state.atomics[c.object];
    std::uint8_t& owner = state.owners[c.object];
    std::uint8_t& readers = state.readers[c.object];
    std::uint8_t& r = self.registers[c.where];
    state.last = static_cast<std::uint8_t>(t);
    state.has_yielded = c.what == Do::yield;
    switch (c.what) {
      case Do::load:
        r = x;
        break;
      case Do::store:
        x = c.value;
        break;
      case Do::add:
        r = x;
        x = static_cast<std::uint8_t>(x + c.value);
        break;
      case Do::exchange:
        r = x;
        x = c.value;
        break;
      case Do::compare_exchange: {
        const bool succeeds = x == c.expected;
        if (succeeds) x = c.value;
        r = succeeds ? 1 : 0;
        break;
      }
      case Do::lock:
        owner = static_cast<std::uint8_t>(t);
        break;
      case Do::try_lock:
        r = is_free(state, c.object) ? 1 : 0;
        if (r != 0) owner = static_cast<std::uint8_t>(t);
        break;
      case Do::lock_shared:
        readers = static_cast<std::uint8_t>(readers | 1U << t);
        break;
      case Do::try_lock_shared:
        r = owner == kNobody ? 1 : 0;
        if (r != 0) readers = static_cast<std::uint8_t>(readers | 1U << t);
        break;
      case Do::unlock:
        if (owner == t) owner = kNobody;
        readers = static_cast<std::uint8_t>(readers & ~(1U << t));
        break;
      case Do::load_both:
        std::copy(state.atomics.begin(), state.atomics.end(), self.registers.begin());
        break;
      case Do::store_both:
        state.atomics = {c.value, c.expected};
        break;
      case Do::look_at_clock:
        r = state.deadlines_over > c.value ? 1 : 0;
        break;
      case Do::wait:
        if (x != c.value) break;
        self.sleeps = true;
        return;  // it looks again when it is woken
      case Do::notify_all:
        for (unsigned other = 0; other < program_.threads.size(); ++other) {
          if (sleeps_on(state, other, c.object)) state.threads[other].sleeps = false;
        }
        break;
      case Do::count_down:
        if (state.latch != 0) --state.latch;
        break;
      case Do::try_latch:
        r = state.latch == 0 ? 1 : 0;
        break;
      case Do::arrive_and_wait:
        if (self.waits_behind != 0) {
          self.waits_behind = 0;
          break;
        }
        self.waits_behind = static_cast<std::uint8_t>(state.opened[c.object] + 1);
        if (++state.arrived[c.object] == program_.barriers[c.object]) {
          state.arrived[c.object] = 0;
          ++state.opened[c.object];
        }
        return;
      case Do::acquire:
        --state.permits[c.object];
        break;
      case Do::try_acquire:
        r = state.permits[c.object] != 0 ? 1 : 0;
        if (r != 0) --state.permits[c.object];
        break;
      case Do::release:
        ++state.permits[c.object];
        break;
      case Do::destroy:
        state.permits[c.object] = kDestroyed;
        break;
      default:
        break;
    }
    ++self.at;
    run_on(state, t);
    if (c.is_in_retry && !has_ended(state, t) && next(state, t).begins_retry) yield(state, t);
  }

  /// Whether the thread has yielded, and another one could run that it has kept from running.
  [[nodiscard]] bool is_unfair(const State& state, unsigned t) const {
    for (unsigned other = 0; other < program_.threads.size(); ++other) {
      if ((state.starved[t] >> other & 1U) != 0 && is_able(state, other)) return true;
    }
    return false;
  }
  void note_turn(State& state, unsigned t) const {
    for (unsigned other = 0; other < program_.threads.size(); ++other) {
      state.ran[other] = static_cast<std::uint8_t>(state.ran[other] | 1U << t);
      state.starved[other] = static_cast<std::uint8_t>(state.starved[other] & ~(1U << t));
    }
    if (next(state, t).what == Do::yield) yield(state, t);
  }
  void yield(State& state, unsigned t) const {
    const unsigned others = ((1U << program_.threads.size()) - 1) & ~(1U << t);
    state.starved[t] = static_cast<std::uint8_t>(state.starved[t] | (others & ~state.ran[t]));
    state.ran[t] = 0;
  }

  void step_on_flag(State& state, unsigned t) const {
    State::OfThread& self = state.threads[t];
    const Command& c = next(state, t);
    state.last = static_cast<std::uint8_t>(t);
    state.has_yielded = false;
    if (c.what == Do::raise) {
      state.flags[c.object] = 1;
    } else {
      self.registers[c.where] = state.flags[c.object];
    }
    ++self.at;
    run_on(state, t);
  }

  /// Up to the next step.
  void run_on(State& state, unsigned t) const {
    State::OfThread& self = state.threads[t];
    while (!has_ended(state, t)) {
      const Command& c = next(state, t);
      bool jumps = false;
      switch (c.what) {
        case Do::read:
          if (has(state, t, c.object)) self.registers[c.where] = state.data[c.object];
          break;
        case Do::write:
          if (state.owners[c.object] == t) state.data[c.object] = c.value;
          break;
        case Do::lock_both:  // what is spelt out follows
          break;
        case Do::count:
          if (self.counter < kMostCounted) ++self.counter;
          break;
        case Do::clear:
          std::fill_n(self.registers.begin(), kRegisters, std::uint8_t{0});
          break;
        case Do::jump:
          jumps = true;
          break;
        case Do::jump_if:
          jumps = self.registers[c.where] == c.expected;
          break;
        case Do::jump_unless:
          jumps = self.registers[c.where] != c.expected;
          break;
        case Do::jump_if_counted:
          jumps = self.counter >= c.expected;
          break;
        case Do::unlock:
          if (has(state, t, c.object)) return;
          break;
        case Do::lock:
        case Do::lock_shared:
        case Do::try_lock:
        case Do::try_lock_shared:
          if (!has(state, t, c.object)) return;
          if (c.what == Do::try_lock || c.what == Do::try_lock_shared)
            self.registers[c.where] = 1;  // it has it already
          break;
        default:
          return;
      }
      self.at = jumps ? c.target : static_cast<std::uint8_t>(self.at + 1);
    }
  }

  void get_stuck() {
    std::vector<bool> comes_to_an_end(states_.size());
    std::vector<std::size_t> left;
    const auto mark = [&](std::size_t n) {
      if (comes_to_an_end[n]) return;
      comes_to_an_end[n] = true;
      left.push_back(n);
    };
    for (std::size_t n = 0; n < states_.size(); ++n) {
      if (states_[n].is_end) mark(n);
    }
    while (!left.empty()) {
      const std::size_t n = left.back();
      left.pop_back();
      for (const std::size_t before : states_[n].before) mark(before);
    }
    for (std::size_t n = 0; n < states_.size(); ++n) {
      if (comes_to_an_end[n]) continue;
      answer_.stuck = answer_.may_get_stuck ? std::min(answer_.stuck, states_[n].price) : states_[n].price;
      answer_.may_get_stuck = true;
    }
  }

  const Polling& program_;
  Prices prices_;
  std::map<State, std::size_t> numbers_;
  std::vector<Known> states_;
  std::set<std::pair<unsigned, std::size_t>> left_;  ///< cheapest first
  Answer answer_;
};

/// Nothing: there are more states.
inline std::optional<Answer> answer_of(const Polling& program, std::size_t most_states) {
  std::optional<Answer> answer = BruteForce(program, Prices::most).run(most_states);
  if (!answer) return {};
  std::optional<Answer> least = BruteForce(program, Prices::least).run(most_states);
  if (!least) return {};
  answer->least = std::move(least->outcomes);
  return answer;
}

}  // namespace unmodified::polling
