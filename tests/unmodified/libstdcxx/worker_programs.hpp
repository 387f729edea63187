// Random programs with detached threads that may outlive the body, as workers of a process do, and what a
// search has to find of them, by a brute force. Where detached threads may wait at the end, an execution is
// over when no thread can run: if the body has ended then, whatever detached threads wait for; otherwise it
// is a deadlock. Where they may not, it fails as soon as the body ends before one of them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <semaphore>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::workers {

constexpr std::size_t kThreads = 4;

struct Call {
  enum class Kind : unsigned char { release, acquire, add, load, start };
  Kind kind = Kind::load;
  std::size_t which =
      0;  ///< semaphore or counter, of two; the thread to start, if no other one has started it
};
using Kind = Call::Kind;

struct Thread {
  enum class Role : unsigned char { joins, is_joined, is_detached };
  Role role = Role::is_joined;
  bool repeats = false;  ///< its calls, for ever
  std::vector<Call> calls{};
};
using Role = Thread::Role;
using Program = std::vector<Thread>;  ///< the body first

struct Answer {
  std::set<std::uint64_t> outcomes;  ///< what the threads that are not detached have found when the body ends
  std::array<std::set<std::uint64_t>, kThreads>
      histories;              ///< what each detached one finds, as far as it comes
  unsigned left_waiting = 0;  ///< the most detached threads that are left
  bool may_get_stuck = false;
  bool may_be_left = false;  ///< a detached thread has not ended when the body does
  bool operator==(const Answer&) const = default;
};

inline std::string text_of(const Program& program) {
  static constexpr std::array kNames{"release", "acquire", "add", "load", "start"};
  static constexpr std::array kRoles{"| body: ", "| joined: ", "| detached: "};
  std::string text;
  for (const Thread& thread : program) {
    text += kRoles.at(static_cast<std::size_t>(thread.role)) + std::string(thread.repeats ? "repeats " : "");
    for (const Call& call : thread.calls) {
      text += kNames.at(static_cast<std::size_t>(call.kind));
      text += "(" + std::to_string(call.which) + ") ";
    }
  }
  return text;
}

// -- The brute force

class BruteForce {
 public:
  /// `may_wait`: detached threads, when the body ends.
  BruteForce(const Program& program, bool may_wait) : program_(program), may_wait_(may_wait) {}

  Answer run() {
    State first{.found = random_calls::Found(program_.size())};
    for (std::size_t t = 0; t < program_.size(); ++t)
      first.is_started.at(t) = program_[t].role != Role::is_detached;
    visit(first);
    return answer_;
  }

 private:
  struct State {
    std::array<bool, kThreads> is_started{};
    std::array<std::size_t, kThreads> at{};
    std::array<unsigned, 2> tokens{};
    std::array<unsigned, 2> counters{};
    random_calls::Found found;
    auto operator<=>(const State&) const = default;
  };

  [[nodiscard]] bool has_ended(const State& state, std::size_t thread) const {
    return state.at.at(thread) == program_[thread].calls.size();
  }
  [[nodiscard]] bool has_body_ended(const State& state) const {
    for (std::size_t t = 0; t < program_.size(); ++t) {
      if (program_[t].role != Role::is_detached && !has_ended(state, t)) return false;
    }
    return true;
  }
  [[nodiscard]] unsigned left(const State& state) const {
    unsigned count = 0;
    for (std::size_t t = 0; t < program_.size(); ++t)
      count += program_[t].role == Role::is_detached && state.is_started.at(t) && !has_ended(state, t);
    return count;
  }

  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    const bool is_body_over = has_body_ended(state);
    if (is_body_over && left(state) != 0 && !may_wait_) {
      answer_.may_be_left = true;
      note_outcome(state);
      return;
    }
    if (is_body_over) note_outcome(state);
    bool goes_on = false;
    for (std::size_t t = 0; t < program_.size(); ++t) {
      if (!state.is_started.at(t) || has_ended(state, t)) continue;
      State next = state;
      if (!make(t, next)) continue;
      goes_on = true;
      visit(next);
    }
    if (goes_on) return;
    answer_.may_get_stuck |= !is_body_over;
    if (is_body_over) answer_.left_waiting = std::max(answer_.left_waiting, left(state));
  }

  void note_outcome(const State& state) {
    random_calls::Found found;
    for (std::size_t t = 0; t < program_.size(); ++t) {
      if (program_[t].role != Role::is_detached) found.push_back(state.found[t]);
    }
    answer_.outcomes.insert(random_calls::outcome_of(found));
  }

  /// False if the thread has to wait.
  bool make(std::size_t thread, State& state) {
    const Call& call = program_[thread].calls[state.at.at(thread)++];
    if (program_[thread].repeats && has_ended(state, thread)) state.at.at(thread) = 0;
    switch (call.kind) {
      case Kind::release:
        ++state.tokens.at(call.which);
        return true;
      case Kind::acquire:
        if (state.tokens.at(call.which) == 0) return false;
        --state.tokens.at(call.which);
        return true;
      case Kind::add:
        find(thread, state, state.counters.at(call.which)++);
        return true;
      case Kind::load:
        find(thread, state, state.counters.at(call.which));
        return true;
      case Kind::start:
        state.is_started.at(call.which) = true;
        return true;
    }
    return false;
  }
  void find(std::size_t thread, State& state, unsigned value) {
    state.found[thread].push_back(value & 7U);
    if (program_[thread].role == Role::is_detached)
      answer_.histories.at(thread).insert(random_calls::outcome_of({state.found[thread]}));
  }

  const Program& program_;
  bool may_wait_;
  std::set<State> seen_;
  Answer answer_;
};

// -- The same with threads

/// Is in static storage, as what workers of a process use: each execution has to begin with it as it was.
struct World {
  std::array<std::counting_semaphore<>, 2> tokens{std::counting_semaphore<>(0), std::counting_semaphore<>(0)};
  std::array<std::atomic<unsigned>, 2> counters{};
  std::array<std::atomic<bool>, kThreads> is_started{};
  std::array<std::uint64_t, kThreads> found{1, 1, 1, 1};  ///< as outcome_of() has it, of each thread alone
};
inline World world;

/// What the threads of an execution leave for the test: each thread for itself.
struct Seen {
  Collected outcomes;
  std::array<Collected, kThreads> histories;
};

inline void run(const Program& program, std::size_t thread, Seen& seen) {
  const auto find = [&](unsigned value) {
    world.found.at(thread) = world.found.at(thread) << 3U | (value & 7U);
    if (program[thread].role == Role::is_detached) seen.histories.at(thread).add(world.found.at(thread));
  };
  do {
    for (const Call& call : program[thread].calls) {
      switch (call.kind) {
        case Kind::release:
          world.tokens.at(call.which).release();
          break;
        case Kind::acquire:
          world.tokens.at(call.which).acquire();
          break;
        case Kind::add:
          find(world.counters.at(call.which).fetch_add(1));
          break;
        case Kind::load:
          find(world.counters.at(call.which).load());
          break;
        case Kind::start:
          if (!world.is_started.at(call.which).exchange(true))
            std::thread([&program, &seen, which = call.which] { run(program, which, seen); }).detach();
          break;
      }
    }
  } while (program[thread].repeats);
}

inline void run_body(const Program& program, Seen& seen) {
  std::vector<std::thread> joined;
  for (std::size_t t = 1; t < program.size(); ++t) {
    if (program[t].role == Role::is_joined) joined.emplace_back([&, t] { run(program, t, seen); });
  }
  run(program, 0, seen);
  for (std::thread& thread : joined) thread.join();
  std::uint64_t outcome = 1;
  for (std::size_t t = 0; t < program.size(); ++t) {
    if (program[t].role == Role::is_detached) continue;
    std::uint64_t found = world.found.at(t);
    unsigned bits = 0;
    while (found >> bits != 1) bits += 3;
    outcome = outcome << bits | (found & ((std::uint64_t{1} << bits) - 1));
  }
  seen.outcomes.add(outcome);
}

// -- The comparison

inline std::string text_of(const Answer& answer) {
  std::ostringstream text;
  const auto list = [&](const char* what, const std::set<std::uint64_t>& numbers) {
    text << what;
    for (const std::uint64_t number : numbers) text << " " << std::oct << number << std::dec;
  };
  list("outcomes", answer.outcomes);
  for (const std::set<std::uint64_t>& history : answer.histories) list("; history", history);
  text << "; left waiting " << answer.left_waiting << (answer.may_get_stuck ? "; may get stuck" : "")
       << (answer.may_be_left ? "; may be left" : "") << "\n";
  return text.str();
}

/// Searches in full, under strategies of each kind, and says what differs from the brute force. Empty:
/// nothing.
inline std::string contradiction(const Program& program, bool may_wait) {
  const Answer answer = BruteForce(program, may_wait).run();
  for (const char* const strategy :
      {"auto", "icb", "dfs", "cb-por", "cb-por-basic", "dfs-sleep", "dpor", "icb-por", "hb-cache"}) {
    Seen seen;  // on the stack, which is not put back
    Options options = exhaustively({.strategy = strategy, .keep_going = true});
    if (may_wait) options.detect = Detectors().without(Detector::detached_threads);
    const Report report = report_of(options, [&] { run_body(program, seen); });
    Answer found{.outcomes = seen.outcomes.all(), .histories = {}};
    for (std::size_t t = 0; t < kThreads; ++t) found.histories.at(t) = seen.histories.at(t).all();
    bool fails_otherwise = false;
    for (const FoundFailure& failure : report.failures) {
      if (failure.kind == FailureKind::deadlock) {
        found.may_get_stuck = true;
      } else if (failure.kind == FailureKind::leak) {
        found.may_be_left = true;
      } else {
        fails_otherwise = true;
      }
    }
    constexpr std::string_view kNote = "an execution ended with its body while ";
    if (const std::size_t at = report.note.find(kNote); at != std::string::npos)
      found.left_waiting = static_cast<unsigned>(std::atoi(report.note.c_str() + at + kNote.size()));
    // One that goes by the graph may miss that a thread is left, and says so.
    if (report.verdict == Verdict::passed_sample) found.may_be_left = answer.may_be_left;
    if (found == answer && !fails_otherwise && report.verdict != Verdict::stopped) continue;
    std::ostringstream text;
    text << strategy << (may_wait ? ", where they may wait: " : ": ") << text_of(program) << "\n"
         << text_of(found) << "brute force: " << text_of(answer) << report;
    return text.str();
  }
  return {};
}

inline Program random_program(std::mt19937& random) {
  const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  Program program(2 + below(3));
  for (std::size_t t = 0; t < program.size(); ++t) {
    Thread& thread = program[t];
    // The last one is always detached, so that none has only threads that are joined.
    thread.role = t == 0                                                  ? Role::joins
                  : t + 1 == program.size() || below(program.size()) != 0 ? Role::is_detached
                                                                          : Role::is_joined;
    // One that repeats its calls waits for tokens of the first semaphore, and gives none of these.
    thread.repeats = thread.role == Role::is_detached && below(3) == 0;
    if (thread.repeats) thread.calls.push_back({Kind::acquire, 0});
    const std::size_t more = thread.repeats ? below(2) : 1 + below(program.size() == 2 ? 3 : 2);
    for (std::size_t n = 0; n < more; ++n) {
      static constexpr std::array kKinds{
          Kind::release, Kind::release, Kind::acquire, Kind::add, Kind::add, Kind::load};
      Call call{kKinds.at(below(kKinds.size())), below(2)};
      if (thread.repeats && call.kind == Kind::release) call.which = 1;
      if (thread.repeats && call.kind == Kind::acquire) call.kind = Kind::load;
      thread.calls.push_back(call);
    }
  }
  // Most are started by the body, some by another thread, and some twice.
  for (std::size_t t = 1; t < program.size(); ++t) {
    if (program[t].role != Role::is_detached) continue;
    for (std::size_t times = below(4) == 0 ? 2 : 1; times-- > 0;) {
      const std::size_t by = below(3) == 0 ? below(t) : 0;
      std::vector<Call>& calls = program[program[by].repeats ? 0 : by].calls;
      calls.insert(calls.begin() + static_cast<std::ptrdiff_t>(below(calls.size() + 1)), {Kind::start, t});
    }
  }
  return program;
}

}  // namespace unmodified::workers
