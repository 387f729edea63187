// Calls that wait for files: random programs of threads that write to pipes, read from them, ask whether
// there is anything to read, and count with eventfds. Their outcomes are those of a brute force that knows
// these calls as POSIX and eventfd(2) have them: what is written is read in order, and a read waits while
// there is nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/support/effort.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::files {

namespace {

constexpr std::size_t kPipes = 2;
constexpr std::size_t kCounters = 1;

struct Call {
  enum class Kind : unsigned char { write, read, is_there, add, take };
  Kind kind;
  unsigned char which;  ///< pipe or counter
  unsigned char value;  ///< write, add: from 1 to 3
};
struct Program {
  std::vector<std::vector<Call>> threads;
  /// How many bytes are in each pipe at the beginning: 1, 2, …
  std::array<unsigned char, kPipes> bytes{};
  std::array<bool, kPipes> is_closed{};  ///< for writers, from the beginning
};

/// What the calls of all threads have found, as a number: three bits for each that finds something.
std::uint64_t outcome_of(const std::vector<std::vector<unsigned>>& found) {
  std::uint64_t outcome = 1;
  for (const std::vector<unsigned>& of_thread : found) {
    for (const unsigned value : of_thread) outcome = outcome << 3U | value;
  }
  return outcome;
}

struct Answer {
  std::set<std::uint64_t> outcomes;
  bool may_get_stuck = false;
};

/// Goes through all states.
class BruteForce {
 public:
  explicit BruteForce(const Program& program) : program_(program) {}

  Answer run() {
    State first;
    first.at.resize(program_.threads.size());
    first.found.resize(program_.threads.size());
    for (std::size_t n = 0; n < kPipes; ++n) {
      for (unsigned byte = 1; byte <= program_.bytes.at(n); ++byte) first.pipes.at(n).push_back(byte);
    }
    visit(first);
    return answer_;
  }

 private:
  struct State {
    std::vector<std::size_t> at;
    std::array<std::vector<unsigned>, kPipes> pipes;
    std::array<unsigned, kCounters> counters{};
    std::vector<std::vector<unsigned>> found;
    auto operator<=>(const State&) const = default;
  };

  /// Makes the call if it need not wait.
  [[nodiscard]] bool make(const Call& call, State& state, std::vector<unsigned>& found) const {
    const bool is_closed = program_.is_closed.at(call.which % kPipes);
    std::vector<unsigned>& pipe = state.pipes.at(call.which % kPipes);
    unsigned& counter = state.counters.at(call.which % kCounters);
    switch (call.kind) {
      case Call::Kind::write:
        pipe.push_back(call.value);
        return true;
      case Call::Kind::read:
        if (pipe.empty() && !is_closed) return false;
        found.push_back(pipe.empty() ? 0 : pipe.front());
        if (!pipe.empty()) pipe.erase(pipe.begin());
        return true;
      case Call::Kind::is_there:
        found.push_back(pipe.empty() && !is_closed ? 0 : 1);
        return true;
      case Call::Kind::add:
        counter += call.value;
        return true;
      case Call::Kind::take:
        if (counter == 0) return false;
        found.push_back(counter & 7U);
        counter = 0;
        return true;
    }
    return false;
  }

  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    bool is_over = true;
    bool goes_on = false;
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      const std::vector<Call>& calls = program_.threads[t];
      if (state.at[t] == calls.size()) continue;
      is_over = false;
      State next = state;
      if (!make(calls[next.at[t]++], next, next.found[t])) continue;
      goes_on = true;
      visit(next);
    }
    if (is_over) answer_.outcomes.insert(outcome_of(state.found));
    answer_.may_get_stuck |= !is_over && !goes_on;
  }

  const Program& program_;
  std::set<State> seen_;
  Answer answer_;
};

/// The same calls of the system.
class Files {
 public:
  explicit Files(const Program& program) {
    for (std::size_t n = 0; n < kPipes; ++n) {
      std::array<int, 2>& ends = pipes_.at(n);
      check(pipe(ends.data()) == 0);
      for (unsigned char byte = 1; byte <= program.bytes.at(n); ++byte) check(write(ends[1], &byte, 1) == 1);
      if (program.is_closed.at(n)) close(std::exchange(ends[1], -1));
    }
    for (int& counter : counters_) counter = eventfd(0, 0);
  }
  ~Files() {
    for (const std::array<int, 2>& ends : pipes_) {
      close(ends[0]);
      if (ends[1] != -1) close(ends[1]);
    }
    for (const int counter : counters_) close(counter);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void make(const Call& call, std::vector<unsigned>& found) {
    const std::array<int, 2>& pipe = pipes_.at(call.which % kPipes);
    const int counter = counters_.at(call.which % kCounters);
    std::uint64_t number = call.value;
    unsigned char byte = call.value;
    switch (call.kind) {
      case Call::Kind::write:
        check(write(pipe[1], &byte, 1) == 1);
        break;
      case Call::Kind::read:
        byte = 0;
        check(read(pipe[0], &byte, 1) >= 0);
        found.push_back(byte);
        break;
      case Call::Kind::is_there: {
        pollfd end{pipe[0], POLLIN, 0};
        found.push_back(static_cast<unsigned>(poll(&end, 1, 0)));  // the end of the pipe counts, too
        break;
      }
      case Call::Kind::add:
        check(write(counter, &number, sizeof number) == sizeof number);
        break;
      case Call::Kind::take:
        check(read(counter, &number, sizeof number) == sizeof number);
        found.push_back(static_cast<unsigned>(number & 7U));
        break;
    }
  }

 private:
  std::array<std::array<int, 2>, kPipes> pipes_{};
  std::array<int, kCounters> counters_{};
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"write", "read", "is_there", "add", "take"};
  std::string text;
  for (std::size_t n = 0; n < kPipes; ++n)
    text += std::to_string(program.bytes.at(n)) + (program.is_closed.at(n) ? " closed, " : " bytes, ");
  for (const std::vector<Call>& calls : program.threads) {
    text += "| ";
    for (const Call& call : calls)
      text += std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(" + std::to_string(call.which) +
              ", " + std::to_string(call.value) + ") ";
  }
  return text;
}

Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program;
  for (std::size_t n = 0; n < kPipes; ++n) {
    program.is_closed.at(n) = below(4) == 0;
    program.bytes.at(n) = below(program.is_closed.at(n) ? 3 : 2);
  }
  program.threads.resize(2 + below(2));
  const unsigned most = program.threads.size() == 2 ? 3 : 2;
  for (std::vector<Call>& calls : program.threads) {
    const unsigned count = 1U + below(most);
    for (unsigned n = 0; n < count; ++n) {
      // Writes are about as frequent as reads, so that some programs get stuck and some do not.
      static constexpr std::array kKinds{Call::Kind::write, Call::Kind::write, Call::Kind::write,
          Call::Kind::read, Call::Kind::read, Call::Kind::is_there, Call::Kind::add, Call::Kind::take};
      Call call{kKinds.at(below(kKinds.size())), below(kPipes), static_cast<unsigned char>(1 + below(3))};
      if (call.kind == Call::Kind::write && program.is_closed.at(call.which)) call.kind = Call::Kind::read;
      calls.push_back(call);
    }
  }
  return program;
}

/// Expects of a search in full that it finds what the brute force finds, and nothing else.
void compare(const Program& program, const Answer& answer, const std::string& strategy) {
  SCOPED_TRACE(strategy + ": " + text_of(program));
  Collected outcomes;
  hocket::Options options = exhaustively();
  options.strategy = strategy;
  options.keep_going = true;
  const hocket::Report report = hocket::explore(
      "random pipes",
      [&] {
        Files files(program);
        std::vector<std::vector<unsigned>> found(program.threads.size());
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < program.threads.size(); ++t) {
          threads.emplace_back([&, t] {
            for (const Call& call : program.threads[t]) files.make(call, found[t]);
          });
        }
        for (std::thread& thread : threads) thread.join();
        outcomes.add(outcome_of(found));
      },
      options);
  EXPECT_EQ(outcomes.all(), answer.outcomes);
  EXPECT_EQ(report.failed(), answer.may_get_stuck) << report;
  for (const hocket::FoundFailure& failure : report.failures)
    EXPECT_EQ(failure.kind, hocket::FailureKind::deadlock) << failure.message;
}

TEST(RandomProgramsThatReadAndWritePipes, HaveAllOutcomesUnderEveryStrategy) {
  std::mt19937 random(20261126);
  const std::uint64_t all = hocket::test::part_of(80);
  std::uint64_t stuck = 0;
  for (std::uint64_t n = 0; n < all && !testing::Test::HasFailure(); ++n) {
    const Program program = random_program(random);
    const Answer answer = BruteForce(program).run();
    stuck += answer.may_get_stuck ? 1 : 0;
    for (const char* const strategy : {"auto", "icb-por", "hb-cache", "cb-por"})
      compare(program, answer, strategy);
  }
  EXPECT_GT(stuck, all / 20);
  EXPECT_LT(stuck, all - all / 20);
}

}  // namespace

}  // namespace unmodified::files
