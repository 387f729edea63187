// Random programs of threads that make calls of the system, and what a search has to find of them: the
// outcomes of a brute force that goes through all states.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/kernel_objects.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::random_calls {

/// The calls of each thread.
template <class Call>
using Threads = std::vector<std::vector<Call>>;

/// What the calls of each thread have found, in their order.
using Found = std::vector<std::vector<unsigned>>;

/// The same as a number: three bits for each call that finds something.
inline std::uint64_t outcome_of(const Found& found) {
  std::uint64_t outcome = 1;
  for (const std::vector<unsigned>& of_thread : found) {
    for (const unsigned value : of_thread) outcome = outcome << 3U | value;
  }
  return outcome;
}

/// The same threads with the parts of their calls in which others may come between: `parts_of(kind)` lists
/// the parts that follow such a call.
template <class Call, class PartsOf>
Threads<Call> in_parts(const Threads<Call>& threads, PartsOf parts_of) {
  Threads<Call> parts(threads.size());
  for (std::size_t t = 0; t < threads.size(); ++t) {
    for (const Call& call : threads[t]) {
      parts[t].push_back(call);
      for (const auto kind : parts_of(call.kind)) {
        parts[t].push_back(call);
        parts[t].back().kind = kind;
      }
    }
  }
  return parts;
}

/// `describe(call)` is a word for a call.
template <class Call, class Describe>
std::string text_of(const Threads<Call>& threads, Describe describe) {
  std::string text;
  for (const std::vector<Call>& calls : threads) {
    text += "| ";
    for (const Call& call : calls) text += describe(call) + " ";
  }
  return text;
}

struct Answer {
  std::set<std::uint64_t> outcomes;
  bool may_get_stuck = false;
};

/// What a call finds whose time is over.
inline constexpr unsigned kExpired = 6;

/// Goes through all states. `Shared` is what the calls change. `make(call, thread, shared, found)` makes one,
/// or returns false if it has to wait. A call with an `is_timed` that is true may wait no longer at any time;
/// if there is a `call_is_over(call, thread, shared)`, that is what then changes.
template <class Call, class Shared, class Make>
class BruteForce {
 public:
  BruteForce(const Threads<Call>& threads, Make make) : threads_(threads), make_(make) {}

  Answer run(const Shared& first) {
    visit({std::vector<std::size_t>(threads_.size()), first, Found(threads_.size())});
    return answer_;
  }

 private:
  struct State {
    std::vector<std::size_t> at;
    Shared shared;
    Found found;
    auto operator<=>(const State&) const = default;
  };

  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    bool is_over = true;
    bool goes_on = false;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (state.at[t] == threads_[t].size()) continue;
      is_over = false;
      State next = state;
      const Call& call = threads_[t][next.at[t]++];
      if (!make_(call, t, next.shared, next.found[t])) {
        if constexpr (requires { call.is_timed; }) {
          if (!call.is_timed) continue;
          next.shared = state.shared;
          next.found[t] = state.found[t];
          next.found[t].push_back(kExpired);
          if constexpr (requires { call_is_over(call, t, next.shared); }) call_is_over(call, t, next.shared);
        } else {
          continue;
        }
      }
      goes_on = true;
      visit(next);
    }
    if (is_over) answer_.outcomes.insert(outcome_of(state.found));
    answer_.may_get_stuck |= !is_over && !goes_on;
  }

  const Threads<Call>& threads_;
  Make make_;
  std::set<State> seen_;
  Answer answer_;
};

template <class Shared, class Call, class Make>
Answer answer_of(const Threads<Call>& threads, const Shared& first, Make make) {
  return BruteForce<Call, Shared, Make>(threads, make).run(first);
}

/// What a random program has shown.
struct Compared {
  std::string contradiction;  ///< what searches find other than the brute force; empty: nothing
  bool may_get_stuck = false;
};

enum class Objects : unsigned char {
  of_body,
  from_before  ///< they exist before the search, which puts them back, also after an execution that is cut
               ///< short
};

/// What the calls find on a thread for each list: `make(call, thread, found)` makes one.
template <class Call, class Make>
std::uint64_t outcome_of_threads(const Threads<Call>& threads, Make make) {
  Found found(threads.size());
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    running.emplace_back([&, t] {
      for (const Call& call : threads[t]) make(call, t, found[t]);
    });
  }
  for (std::thread& thread : running) thread.join();
  return outcome_of(found);
}

/// Appends a line with numbers.
inline void list(std::ostream& text, const char* what, const std::set<std::uint64_t>& all) {
  text << "\n" << what;
  for (const std::uint64_t outcome : all) text << " " << outcome;
}

/// Searches in full, under strategies of each kind; what has more executions than that, as far as it goes.
/// `make_objects()` is called in the body or before the search; what it returns has `make(call, thread,
/// found)`.
template <class Call, class MakeObjects>
Compared compare(const Threads<Call>& threads, const Answer& answer, const std::string& description,
    MakeObjects make_objects, Objects kind = Objects::of_body) {
  using Made = decltype(make_objects());
  const bool are_from_before = kind == Objects::from_before;
  for (const char* const strategy : {"auto", "icb-por", "hb-cache", "cb-por"}) {
    Collected outcomes;
    const LeavesNoKernelObjects leaves_none;
    Options options = exhaustively({.strategy = strategy, .keep_going = true});
    constexpr std::uint64_t kMostExecutions = 200'000;
    options.max_executions = kMostExecutions;
    const std::unique_ptr<Made> before(are_from_before ? new Made(make_objects()) : nullptr);
    const auto body = [&](Made& objects) {
      outcomes.add(outcome_of_threads(threads, [&](const Call& call, std::size_t t, auto& found) {
        if (are_from_before && t == 0) hocket::assume(hocket::choose(2) == 0);
        objects.make(call, t, found);
      }));
    };
    const Report report = report_of(options, [&] {
      if (are_from_before) return body(*before);
      Made made = make_objects();
      body(made);
    });
    bool fails_otherwise = false;
    for (const FoundFailure& failure : report.failures)
      fails_otherwise |= failure.kind != FailureKind::deadlock;
    const std::set<std::uint64_t> found = outcomes.all();
    const bool is_whole = report.stopped_by.empty();
    const bool has_the_outcomes =
        is_whole ? found == answer.outcomes
                 : std::includes(answer.outcomes.begin(), answer.outcomes.end(), found.begin(), found.end());
    const bool gets_stuck_rightly =
        is_whole ? report.failed() == answer.may_get_stuck : !report.failed() || answer.may_get_stuck;
    if (has_the_outcomes && gets_stuck_rightly && !fails_otherwise) continue;
    std::ostringstream text;
    text << strategy << ": " << description << std::oct;
    list(text, "found", found);
    list(text, "possible", answer.outcomes);
    text << (answer.may_get_stuck ? ", stuck" : "") << std::dec << "\n" << report;
    return {text.str(), answer.may_get_stuck};
  }
  return {{}, answer.may_get_stuck};
}

/// Tries random programs as long as tests do. `try_one(random)` makes one with numbers of the generator, and
/// returns whether it may get stuck. If `some_get_stuck`, expects that of some programs, and the contrary of
/// others.
template <class TryOne>
void try_random_programs(std::uint64_t seed, bool some_get_stuck, TryOne try_one) {
  hocket::test::RandomTries tries(seed, 2);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::uint64_t stuck = 0;
  while (!testing::Test::HasFailure() && tries.goes_on()) stuck += try_one(random) ? 1 : 0;
  if (!some_get_stuck || !tries.are_many()) return;
  EXPECT_GT(stuck, tries.tried() / 20);
  EXPECT_LT(stuck, tries.tried() - tries.tried() / 20);
}

/// The same for programs that `compare_one(random)` has compared.
template <class CompareOne>
void compare_random_programs(std::uint64_t seed, bool some_get_stuck, CompareOne compare_one) {
  try_random_programs(seed, some_get_stuck, [&](std::mt19937& random) {
    const Compared one = compare_one(random);
    EXPECT_EQ(one.contradiction, "");
    return one.may_get_stuck;
  });
}

}  // namespace unmodified::random_calls
