// Random programs of threads that make futex system calls, and what a search has to find of them: the
// outcomes and the deadlocks of a brute force that knows these calls as futex(2) has them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::futexes {

constexpr unsigned kAll = INT_MAX;
constexpr unsigned kAnyBit = FUTEX_BITSET_MATCH_ANY;

struct Call {
  enum class Kind : unsigned char { wait, wake, requeue, compare_and_requeue, add_and_wake, store, load };
  Kind kind = Kind::load;
  std::size_t word = 0;  ///< of two; the other one is the second of a call
  unsigned value = 0;    ///< to store, or that is expected, or with which the old one is compared
  unsigned wakes = 0;    ///< at most so many threads
  unsigned others = 0;   ///< that are requeued, or woken at the second word
  unsigned bits = kAnyBit;
  bool is_private = true;
  bool is_timed = false;
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

// What a call finds: a value, a number of threads, or one of these.
constexpr unsigned kIsWoken = 4;
constexpr unsigned kTimeIsOver = 5;
constexpr unsigned kHasOtherValue = 6;

/// The numbers of the threads that wait for ever, each as a bit, the first thread as 1.
using Deadlocks = std::set<unsigned>;

struct Answer {
  std::set<std::uint64_t> outcomes;
  Deadlocks deadlocks;
};

inline std::string text_of(const Program& program) {
  static constexpr std::array kNames{
      "wait", "wake", "requeue", "compare_and_requeue", "add_and_wake", "store", "load"};
  return random_calls::text_of(program, [](const Call& call) {
    const auto number = [](unsigned value) { return value >= kAll ? "all" : std::to_string(value); };
    std::string text = kNames.at(static_cast<std::size_t>(call.kind)) + ("(" + std::to_string(call.word));
    if (call.kind != Kind::load && call.kind != Kind::wake) text += ", value " + number(call.value);
    const bool reaches_threads = call.kind != Kind::load && call.kind != Kind::store;
    if (reaches_threads && call.kind != Kind::wait) text += ", wakes " + number(call.wakes);
    if (reaches_threads && call.kind > Kind::wake) text += ", others " + number(call.others);
    if (reaches_threads && call.bits != kAnyBit) text += ", bits " + number(call.bits);
    if (reaches_threads && !call.is_private) text += ", shared";
    return text + (call.is_timed ? ", timed)" : ")");
  });
}

// -- The brute force

class BruteForce {
 public:
  explicit BruteForce(const Program& program) : program_(program) {}

  Answer run() {
    visit({{}, std::vector<Thread>(program_.size()), random_calls::Found(program_.size())});
    return answer_;
  }

 private:
  struct Thread {
    std::size_t at = 0;  ///< the calls that it has made
    bool is_waiting = false;
    std::size_t word = 0;  ///< that it waits for
    unsigned bits = 0;
    bool is_private = false;
    bool is_timed = false;
    auto operator<=>(const Thread&) const = default;
  };
  struct State {
    std::array<unsigned, 2> words{};
    std::vector<Thread> threads;
    random_calls::Found found;
    auto operator<=>(const State&) const = default;
  };
  /// A state in the middle of a call, and how many threads the call has reached so far.
  struct Reached {
    State state;
    unsigned count;
  };

  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    bool goes_on = false;
    unsigned waiting = 0;
    for (std::size_t t = 0; t < program_.size(); ++t) {
      const Thread& thread = state.threads[t];
      waiting |= thread.is_waiting ? 1U << t : 0U;
      if (thread.is_waiting && thread.is_timed) {
        goes_on = true;
        State next = state;
        end_wait(next, t, kTimeIsOver);
        visit(next);
      } else if (!thread.is_waiting && thread.at != program_[t].size()) {
        goes_on = true;
        State next = state;
        make(program_[t][next.threads[t].at++], t, next);
      }
    }
    if (goes_on) return;
    if (waiting != 0) {
      answer_.deadlocks.insert(waiting);
    } else {
      answer_.outcomes.insert(random_calls::outcome_of(state.found));
    }
  }

  static void end_wait(State& state, std::size_t thread, unsigned why) {
    state.threads[thread].is_waiting = false;
    state.found[thread].push_back(why);
  }

  void make(const Call& call, std::size_t thread, State& state) {
    std::vector<unsigned>& found = state.found[thread];
    unsigned& word = state.words.at(call.word);
    const std::size_t other = 1 - call.word;
    const auto all_have_returned = [&](const std::vector<Reached>& ends) {
      for (const Reached& end : ends) {
        State next = end.state;
        next.found[thread].push_back(end.count);
        visit(next);
      }
    };
    switch (call.kind) {
      case Kind::store:
        word = call.value;
        break;
      case Kind::load:
        found.push_back(word);
        break;
      case Kind::wait:
        if (word != call.value) {
          found.push_back(kHasOtherValue);
        } else {
          state.threads[thread] = {
              state.threads[thread].at, true, call.word, call.bits, call.is_private, call.is_timed};
        }
        break;
      case Kind::wake:
        return all_have_returned(wake({state, 0}, call.word, call.bits, call.wakes, call));
      case Kind::compare_and_requeue:
        if (word != call.value) {
          found.push_back(kHasOtherValue);
          break;
        }
        [[fallthrough]];
      case Kind::requeue: {
        std::vector<Reached> ends;
        for (const Reached& woken : wake({state, 0}, call.word, kAnyBit, call.wakes, call)) {
          // Linux returns the number of all, which the page says of FUTEX_CMP_REQUEUE only.
          for_each_choice(woken.state, call.word, kAnyBit, call.others, call, [&](unsigned chosen) {
            ends.push_back({woken.state, woken.count + static_cast<unsigned>(std::popcount(chosen))});
            for (std::size_t t = 0; t < program_.size(); ++t) {
              if ((chosen >> t & 1U) != 0) ends.back().state.threads[t].word = other;
            }
          });
        }
        return all_have_returned(ends);
      }
      case Kind::add_and_wake: {
        const unsigned before = state.words.at(other)++;
        std::vector<Reached> ends;
        for (const Reached& woken : wake({state, 0}, call.word, kAnyBit, call.wakes, call)) {
          const unsigned others = before == call.value ? call.others : 0;
          for (const Reached& end : wake(woken, other, kAnyBit, others, call)) ends.push_back(end);
        }
        return all_have_returned(ends);
      }
    }
    visit(state);
  }

  /// Every state to which it may lead that up to `most` of the threads are woken that wait for a word.
  std::vector<Reached> wake(
      const Reached& before, std::size_t word, unsigned bits, unsigned most, const Call& call) const {
    std::vector<Reached> ends;
    for_each_choice(before.state, word, bits, most, call, [&](unsigned chosen) {
      ends.push_back({before.state, before.count + static_cast<unsigned>(std::popcount(chosen))});
      for (std::size_t t = 0; t < program_.size(); ++t) {
        if ((chosen >> t & 1U) != 0) end_wait(ends.back().state, t, kIsWoken);
      }
    });
    return ends;
  }

  /// Calls `visit(threads)` for each set of `most` of those that the call may reach, or for that of all of
  /// them.
  template <class Visit>
  void for_each_choice(const State& state, std::size_t word, unsigned bits, unsigned most, const Call& call,
      Visit visit) const {
    unsigned able = 0;
    for (std::size_t t = 0; t < program_.size(); ++t) {
      const Thread& thread = state.threads[t];
      const bool is_able = thread.is_waiting && thread.word == word && (thread.bits & bits) != 0 &&
                           thread.is_private == call.is_private;
      able |= is_able ? 1U << t : 0U;
    }
    const auto count = std::min(most, static_cast<unsigned>(std::popcount(able)));
    for (unsigned chosen = 0; chosen <= able; ++chosen) {
      if ((chosen & ~able) == 0 && static_cast<unsigned>(std::popcount(chosen)) == count) visit(chosen);
    }
  }

  const Program& program_;
  std::set<State> seen_;
  Answer answer_;
};

// -- The same calls of the system

class Words {
 public:
  void make(const Call& call, std::vector<unsigned>& found) {
    const auto result_of = [&](long result) {
      found.push_back(result == -1 && errno == EAGAIN ? kHasOtherValue : static_cast<unsigned>(result));
    };
    const long others = call.others;
    switch (call.kind) {
      case Kind::store:
        words_.at(call.word).store(call.value);
        break;
      case Kind::load:
        found.push_back(words_.at(call.word).load());
        break;
      case Kind::wait:
        found.push_back(wait(call));
        break;
      case Kind::wake: {
        const int operation = call.bits == kAnyBit ? FUTEX_WAKE : FUTEX_WAKE_BITSET;
        result_of(futex(call, operation, call.wakes, nullptr, call.bits));
        break;
      }
      case Kind::requeue:
        result_of(futex(call, FUTEX_REQUEUE, call.wakes, others, 0));
        break;
      case Kind::compare_and_requeue:
        result_of(futex(call, FUTEX_CMP_REQUEUE, call.wakes, others, call.value));
        break;
      case Kind::add_and_wake:
        result_of(futex(call, FUTEX_WAKE_OP, call.wakes, others,
            static_cast<unsigned>(FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, call.value))));
        break;
    }
  }

 private:
  template <class Fourth>
  long futex(const Call& call, int operation, unsigned value, Fourth fourth, unsigned last) {
    const int flags = call.is_private ? FUTEX_PRIVATE_FLAG : 0;
    return syscall(
        SYS_futex, &words_.at(call.word), operation | flags, value, fourth, &words_.at(1 - call.word), last);
  }
  unsigned wait(const Call& call) {
    const bool has_bits = call.bits != kAnyBit;
    const timespec time{0, 1000};  // with bits it is a point in time, which has passed
    const long result = futex(call, has_bits ? FUTEX_WAIT_BITSET : FUTEX_WAIT, call.value,
        call.is_timed ? &time : nullptr, call.bits);
    if (result == 0) return kIsWoken;
    check(errno == ETIMEDOUT || errno == EAGAIN);
    return errno == ETIMEDOUT ? kTimeIsOver : kHasOtherValue;
  }

  std::array<std::atomic<unsigned>, 2> words_{};
};

// -- The comparison

/// The threads that wait for ever, from a report that says "thread 2 waits for a notification of …".
inline unsigned stuck_threads(const std::string& message, std::size_t threads) {
  unsigned stuck = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    const std::string waits = "thread " + std::to_string(t + 1) + " waits for a notification";
    if (message.find(waits) != std::string::npos) stuck |= 1U << t;
  }
  return stuck;
}

/// Searches in full, under complete strategies of each kind, and says what differs from the brute force.
/// Empty: nothing.
inline std::string contradiction(const Program& program, const Answer& answer) {
  std::uint64_t classes = 0;
  for (const std::string strategy : {"icb", "dfs", "cb-por", "cb-por-basic", "dpor", "icb-por", "hb-cache"}) {
    Collected outcomes;
    const Report report = report_of(exhaustively({.strategy = strategy, .keep_going = true}), [&] {
      Words words;
      outcomes.add(random_calls::outcome_of_threads(
          program, [&](const Call& call, std::size_t, auto& found) { words.make(call, found); }));
    });
    Deadlocks deadlocks;
    std::string others;
    for (const FoundFailure& failure : report.failures) {
      if (failure.kind == FailureKind::deadlock) {
        deadlocks.insert(stuck_threads(failure.message, program.size()));
      } else {
        others += failure.message;
      }
    }
    if (strategy == "icb") classes = report.classes;
    const bool has_all_classes =
        report.classes == classes || strategy == "hb-cache";  // which need not come to the end of each
    if (outcomes.all() == answer.outcomes && deadlocks == answer.deadlocks && others.empty() &&
        has_all_classes && report.verdict != Verdict::stopped)
      continue;
    std::string text = strategy + ": " + text_of(program) + "\n";
    const auto list = [&](const char* what, const auto& found, const auto& expected) {
      text += what;
      for (const auto number : found) text += " " + std::to_string(number);
      text += ", by the brute force:";
      for (const auto number : expected) text += " " + std::to_string(number);
      text += "\n";
    };
    list("outcomes:", outcomes.all(), answer.outcomes);
    list("deadlocks:", deadlocks, answer.deadlocks);
    std::ostringstream whole;
    whole << text << others << "\n" << report;
    return whole.str() + "classes of icb: " + std::to_string(classes);
  }
  return {};
}

inline Program random_program(std::mt19937& random) {
  const auto below = [&random](unsigned end) { return static_cast<unsigned>(random() % end); };
  static constexpr std::array kWaits{Kind::wait, Kind::wait, Kind::wait, Kind::store, Kind::load};
  static constexpr std::array kOthers{Kind::wake, Kind::wake, Kind::wake, Kind::requeue, Kind::requeue,
      Kind::compare_and_requeue, Kind::add_and_wake, Kind::store, Kind::store, Kind::wait};
  const bool has_bits = below(2) == 0;
  const bool has_shared = below(4) == 0;
  const bool has_times = below(3) != 0;
  const unsigned threads = 2 + below(2);
  Program program(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    const unsigned calls = 1 + below(threads == 2 ? 3U : 2U);
    for (unsigned n = 0; n < calls; ++n) {
      Call call;
      // One thread does not wait much, so that others are woken.
      call.kind = t + 1 == threads ? kOthers.at(below(kOthers.size())) : kWaits.at(below(kWaits.size()));
      call.word = below(2);
      call.value = below(4) == 0 ? 1 : 0;
      if (call.kind == Kind::store) call.value = 1 - call.value;
      const bool requeues = call.kind == Kind::requeue || call.kind == Kind::compare_and_requeue;
      call.wakes = requeues ? below(2) : below(3) == 0 ? kAll : 1;
      call.others = below(3) == 0 ? kAll : 1;
      const bool may_have_bits = call.kind == Kind::wait || call.kind == Kind::wake;
      if (has_bits && may_have_bits) call.bits = 1 + below(3);
      call.is_private = !has_shared || below(3) != 0;
      call.is_timed = has_times && call.kind == Kind::wait && below(2) == 0;
      program[t].push_back(call);
    }
  }
  return program;
}

}  // namespace unmodified::futexes
