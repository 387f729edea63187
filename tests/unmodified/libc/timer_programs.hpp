// Random programs of threads that set timers of timerfd, wait for them, and ask for times. A brute force that
// knows timerfd_create(2) and poll(2) says what is possible if time may pass at any moment, by whole seconds,
// and what has to be found in any case: all that happens on a machine on which nothing but waiting takes
// time.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::timers {

constexpr std::size_t kTimers = 2;
constexpr std::uint64_t kMostExecutions = 3'000;  ///< of programs that have more nothing is said
constexpr int kMostSeconds = 3;                   ///< of every time in a program
constexpr unsigned kMany = 7;                     ///< found in place of all greater numbers

struct Call {
  enum class Kind : unsigned char {
    set,   ///< to `value` seconds, 0: disarms it; and to an interval
    read,  ///< how often it has expired
    poll,  ///< for both, for `value` seconds, or for ever
    left,  ///< to its expiry
    clock
  };
  Kind kind = Kind::clock;
  std::size_t timer = 0;
  int value = 0;  ///< -1: for ever
  int interval = 0;
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

struct Answer {
  std::set<std::uint64_t> outcomes;
  bool may_get_stuck = false;
};

inline std::string text_of(const Program& program) {
  static constexpr std::array kNames{"set", "read", "poll", "left", "clock"};
  return random_calls::text_of(program, [](const Call& call) {
    std::string text = kNames.at(static_cast<std::size_t>(call.kind));
    text += "(" + std::to_string(call.timer) + ", " + std::to_string(call.value);
    return text + (call.interval != 0 ? ", " + std::to_string(call.interval) + ")" : ")");
  });
}

// -- The brute force

class BruteForce {
 public:
  explicit BruteForce(const Program& program, bool only_waiting_takes_time)
      : program_(program), is_lazy_(only_waiting_takes_time) {
    for (const std::vector<Call>& calls : program) {
      for (const Call& call : calls)
        latest_ += call.kind == Kind::left || call.kind == Kind::clock ? 0 : kMostSeconds;
    }
  }

  Answer run() {
    State first{
        .threads = std::vector<Thread>(program_.size()), .found = random_calls::Found(program_.size())};
    visit(first);
    return answer_;
  }

 private:
  static constexpr int kNever = -1;

  struct Timer {
    int next = kNever;
    int interval = 0;
    unsigned expirations = 0;
    int set_at = kNever;
    int ready_since = kNever;
    auto operator<=>(const Timer&) const = default;
  };
  struct Thread {
    std::size_t at = 0;
    bool is_waiting = false;
    int until = kNever;
    unsigned after = 0;  ///< timers that were set in the second in which the wait began, and before it
    auto operator<=>(const Thread&) const = default;
  };
  struct State {
    int now = 0;
    std::array<Timer, kTimers> timers{};
    std::vector<Thread> threads;
    random_calls::Found found;
    auto operator<=>(const State&) const = default;
  };

  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    bool is_over = true;
    bool goes_on = false;
    for (std::size_t t = 0; t < state.threads.size(); ++t) {
      if (state.threads[t].at == program_[t].size()) continue;
      is_over = false;
      State next = state;
      if (!step(t, next)) continue;
      goes_on = true;
      visit(next);
      if (is_lazy_ || !may_end_first(t, state)) continue;
      next = state;
      next.found[t].push_back(0);
      next.threads[t] = {state.threads[t].at + 1};
      visit(next);
    }
    if (is_over) {
      answer_.outcomes.insert(random_calls::outcome_of(state.found));
    } else if (!goes_on && !can_be_woken(state)) {
      answer_.may_get_stuck = true;  // whatever else expires for ever
    } else if (can_change(state)) {
      if ((is_lazy_ && goes_on) || state.now == latest_) return;
      State next = state;
      ++next.now;
      for (Timer& timer : next.timers) expire(timer, next.now);
      visit(next);
    }
  }

  /// Whether the time of a poll may end before a timer expires in the same second: the timer was set after
  /// the wait had begun.
  [[nodiscard]] static bool may_end_first(std::size_t t, const State& state) {
    const Thread& thread = state.threads[t];
    if (!thread.is_waiting || thread.until != state.now) return false;
    bool may = true;
    for (std::size_t n = 0; n < kTimers; ++n) {
      const Timer& timer = state.timers.at(n);
      if (timer.expirations == 0) continue;
      may &= timer.ready_since == state.now && (thread.after & 1U << n) == 0;
    }
    return may;
  }

  /// Whether time ends the wait of a thread, where all that are left wait.
  [[nodiscard]] bool can_be_woken(const State& state) const {
    const auto will_expire = [](const Timer& timer) { return timer.next != kNever; };
    for (std::size_t t = 0; t < state.threads.size(); ++t) {
      if (state.threads[t].at == program_[t].size()) continue;
      const Call& call = program_[t][state.threads[t].at];
      const bool is_for_one = call.kind == Kind::read;
      if (is_for_one ? will_expire(state.timers.at(call.timer))
                     : state.threads[t].until > state.now ||
                           std::any_of(state.timers.begin(), state.timers.end(), will_expire))
        return true;
    }
    return false;
  }

  static bool can_change(const State& state) {
    bool can = false;
    for (const Timer& timer : state.timers) can |= timer.next != kNever;
    for (const Thread& thread : state.threads) can |= thread.is_waiting && thread.until > state.now;
    return can;
  }
  static void expire(Timer& timer, int now) {
    if (timer.next != now) return;
    if (timer.expirations++ == 0) timer.ready_since = now;
    timer.next = timer.interval == 0 ? kNever : now + timer.interval;
  }

  /// False if the thread has to wait.
  bool step(std::size_t t, State& state) const {
    Thread& thread = state.threads[t];
    const Call& call = program_[t][thread.at];
    Timer& timer = state.timers.at(call.timer);
    std::vector<unsigned>& found = state.found[t];
    switch (call.kind) {
      case Kind::set:
        timer = {call.value == 0 ? kNever : state.now + call.value, call.interval, 0, state.now};
        for (Thread& other : state.threads) other.after &= ~(1U << call.timer);
        break;
      case Kind::read:
        if (timer.expirations == 0) return false;
        found.push_back(std::min(timer.expirations, kMany));
        timer.expirations = 0;
        break;
      case Kind::left:
        found.push_back(timer.next == kNever ? 0 : static_cast<unsigned>(timer.next - state.now));
        break;
      case Kind::clock:
        found.push_back(std::min(static_cast<unsigned>(state.now), kMany));
        break;
      case Kind::poll: {
        unsigned ready = 0;
        for (std::size_t n = 0; n < kTimers; ++n) ready |= state.timers.at(n).expirations != 0 ? 1U << n : 0U;
        const bool has_waited = thread.is_waiting && thread.until != kNever && thread.until <= state.now;
        if (ready == 0 && call.value != 0 && !has_waited) {
          if (thread.is_waiting) return false;
          thread.is_waiting = true;
          thread.until = call.value < 0 ? kNever : state.now + call.value;
          for (std::size_t n = 0; n < kTimers; ++n)
            thread.after |= state.timers.at(n).set_at == state.now ? 1U << n : 0U;
          return true;
        }
        found.push_back(ready);
        break;
      }
    }
    thread = {thread.at + 1};
    return true;
  }

  const Program& program_;
  bool is_lazy_;
  int latest_ = 0;  ///< when time may stop: a timer may be set anew just when it has ended a wait
  std::set<State> seen_;
  Answer answer_;
};

// -- The same calls of the system

class Timers {
 public:
  Timers() {
    for (int& timer : timers_) timer = timerfd_create(CLOCK_MONOTONIC, 0);
  }
  ~Timers() {
    for (const int timer : timers_) close(timer);
  }
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  void make(const Call& call, std::vector<unsigned>& found) {
    const int timer = timers_.at(call.timer);
    switch (call.kind) {
      case Kind::set: {
        const itimerspec time{{call.interval, 0}, {call.value, 0}};
        check(timerfd_settime(timer, 0, &time, nullptr) == 0);
        break;
      }
      case Kind::read: {
        std::uint64_t count = 0;
        check(::read(timer, &count, sizeof count) == sizeof count);
        found.push_back(static_cast<unsigned>(std::min<std::uint64_t>(count, kMany)));
        break;
      }
      case Kind::poll: {
        constexpr int kMilliseconds = 1'000;
        std::array<pollfd, kTimers> events{};
        for (std::size_t n = 0; n < kTimers; ++n) events.at(n) = {timers_.at(n), POLLIN, 0};
        ::poll(events.data(), kTimers, call.value < 0 ? -1 : call.value * kMilliseconds);
        unsigned ready = 0;
        for (std::size_t n = 0; n < kTimers; ++n) ready |= events.at(n).revents != 0 ? 1U << n : 0U;
        found.push_back(ready);
        break;
      }
      case Kind::left: {
        itimerspec time{};
        check(timerfd_gettime(timer, &time) == 0 && time.it_value.tv_nsec == 0);
        found.push_back(static_cast<unsigned>(time.it_value.tv_sec));
        break;
      }
      case Kind::clock: {
        const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_).count();
        found.push_back(std::min(static_cast<unsigned>(passed), kMany));
        break;
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::array<int, kTimers> timers_{};
  Clock::time_point begin_ = Clock::now();
};

// -- The comparison

/// Searches in full, under strategies of each kind, and says what differs. Empty: nothing.
inline std::string contradiction(const Program& program) {
  const Answer possible = BruteForce(program, false).run();
  const Answer certain = BruteForce(program, true).run();
  std::set<std::uint64_t> of_first;
  for (const std::string strategy : {"hb-cache", "cb-por", "dpor", "icb-por"}) {
    Collected collected;
    const Report report = report_of(
        exhaustively({.strategy = strategy, .max_executions = kMostExecutions, .keep_going = true}), [&] {
          Timers timers;
          collected.add(random_calls::outcome_of_threads(
              program, [&](const Call& call, std::size_t, auto& found) { timers.make(call, found); }));
        });
    if (report.verdict == Verdict::stopped || report.executions >= kMostExecutions) return {};
    const std::set<std::uint64_t> outcomes = collected.all();
    if (strategy == "hb-cache") of_first = outcomes;
    bool fails_otherwise = false;
    for (const FoundFailure& failure : report.failures)
      fails_otherwise |= failure.kind != FailureKind::deadlock;
    const auto contains = [](const auto& all, const auto& some) {
      return std::includes(all.begin(), all.end(), some.begin(), some.end());
    };
    if (contains(possible.outcomes, outcomes) && contains(outcomes, certain.outcomes) &&
        outcomes == of_first && !fails_otherwise && (possible.may_get_stuck || !report.failed()) &&
        (report.failed() || !certain.may_get_stuck))
      continue;
    std::ostringstream text;
    text << strategy << ": " << text_of(program) << std::oct;
    random_calls::list(text, "found", outcomes);
    random_calls::list(text, "found by hb-cache", of_first);
    random_calls::list(text, "possible", possible.outcomes);
    random_calls::list(text, "certain", certain.outcomes);
    text << std::dec << "\nstuck: possible " << possible.may_get_stuck << ", certain "
         << certain.may_get_stuck << "\n"
         << report;
    return text.str();
  }
  return {};
}

inline Program random_program(std::mt19937& random) {
  const auto below = [&random](unsigned end) { return static_cast<int>(random() % end); };
  Program program(2 + static_cast<std::size_t>(below(2)));
  for (std::vector<Call>& calls : program) {
    for (int left = 1 + below(2); left != 0; --left) {
      static constexpr std::array kKinds{Kind::set, Kind::set, Kind::set, Kind::read, Kind::read, Kind::poll,
          Kind::poll, Kind::left, Kind::clock};
      Call call{.kind = kKinds.at(static_cast<std::size_t>(below(kKinds.size()))),
          .timer = static_cast<std::size_t>(below(kTimers))};
      if (call.kind == Kind::set) {
        call.value = below(6) == 0 ? 0 : 1 + below(kMostSeconds);
        call.interval = call.value != 0 && below(3) == 0 ? 1 + below(kMostSeconds) : 0;
      }
      if (call.kind == Kind::poll) call.value = below(kMostSeconds + 2) - 1;
      calls.push_back(call);
    }
  }
  return program;
}

}  // namespace unmodified::timers
