// Loops that poll: random programs of such loops, whose outcomes and prices are those of a brute force that
// knows nothing of waiting: it goes round each loop as often as there are new states.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/effort.hpp"
#include "tests/unmodified/collected.hpp"
#include "tests/unmodified/std_bodies.hpp"

namespace unmodified::polling {

namespace {

using namespace std::chrono_literals;

// ---------------------------------------------------------------------------------------------------------------------
// Programs

enum class Do : std::uint8_t {
  load,              ///< register = x
  store,             ///< x = value
  add,               ///< register = x, x += value
  exchange,          ///< register = x, x = value
  compare_exchange,  ///< register = whether x was `expected`; then x = value
  lock,
  try_lock,  ///< register = whether it succeeded
  unlock,    ///< if the thread holds it
  yield,
  look_at_clock,  ///< register = whether the deadline with the number `value` is over
  // no steps
  count,    ///< counter += 1, up to kMostCounted
  clear,    ///< registers = 0
  jump,     ///< to `target`
  jump_if,  ///< register == expected
  jump_unless,
  jump_if_counted,  ///< counter >= expected
};
constexpr const char* kNames[] = {"load", "store", "add", "exchange", "compare_exchange", "lock", "try_lock",
    "unlock", "yield", "look_at_clock", "count", "clear", "jump", "jump_if", "jump_unless",
    "jump_if_counted"};

struct Command {
  Do what = Do::yield;
  std::uint8_t object = 0;  ///< of atomics or mutexes
  std::uint8_t where = 0;   ///< the register
  std::uint8_t value = 0;
  std::uint8_t expected = 0;
  std::uint8_t target = 0;
};

constexpr unsigned kThreads = 3;
constexpr unsigned kAtomics = 2;
constexpr unsigned kMutexes = 2;
constexpr unsigned kRegisters = 2;
constexpr std::uint8_t kMostCounted = 3;
constexpr std::chrono::nanoseconds kDeadlines[] = {2us, 1ms};  ///< since the beginning

struct Polling {
  std::vector<std::vector<Command>> threads;

  [[nodiscard]] bool looks_at_clock() const {
    return std::any_of(threads.begin(), threads.end(), [](const std::vector<Command>& code) {
      return std::any_of(
          code.begin(), code.end(), [](const Command& c) { return c.what == Do::look_at_clock; });
    });
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::vector<Command>& code : threads) {
      text += "thread\n";
      for (std::size_t n = 0; n < code.size(); ++n) {
        const Command& c = code[n];
        text += "  " + std::to_string(n) + ": " + kNames[static_cast<unsigned>(c.what)] + " object " +
                std::to_string(c.object) + " register " + std::to_string(c.where) + " value " +
                std::to_string(c.value) + " expected " + std::to_string(c.expected) + " target " +
                std::to_string(c.target) + "\n";
      }
    }
    return text;
  }
};

/// Loops have no effect but in the round that leaves them, or a first one. Others may go on for ever without
/// waiting, which is for fair scheduling and not for these programs.
class Writer {
 public:
  explicit Writer(std::mt19937& random) : random_(random) {}

  Polling program() {
    Polling program;
    program.threads.resize(2 + below(2));
    for (std::vector<Command>& code : program.threads) {
      code_.clear();
      const bool is_short = program.threads.size() > 2;
      plain(below(is_short ? 2 : 3));
      if (&code == program.threads.data() || below(2) == 0) {
        loop(below(4) == 0 ? 1 : 0);
        plain(below(2));
        if (!is_short && below(4) == 0) loop(0);
      } else {
        plain(1 + below(is_short ? 2 : 3));
      }
      for (std::uint8_t m = 0; m < kMutexes; ++m) emit({Do::unlock, m});
      code = code_;
    }
    return program;
  }

 private:
  std::uint8_t below(unsigned n) { return static_cast<std::uint8_t>(random_() % n); }
  std::uint8_t here() const { return static_cast<std::uint8_t>(code_.size()); }
  void emit(Command command) { code_.push_back(command); }

  void plain(unsigned count) {
    while (count-- > 0) {
      const std::uint8_t x = below(kAtomics);
      const std::uint8_t r = below(kRegisters);
      switch (below(9)) {
        case 0:
        case 1:
        case 2:
          emit({Do::store, x, r, static_cast<std::uint8_t>(below(4) == 0 ? 0 : 1 + below(2))});
          break;
        case 3:
          emit({Do::load, x, r});
          break;
        case 4:
          emit({Do::add, x, r, 1});
          break;
        case 5:
          emit({Do::compare_exchange, x, r, below(3), below(2)});
          break;
        case 6: {
          const std::uint8_t m = below(kMutexes);
          emit({Do::lock, m});
          emit({Do::store, x, r, below(3)});
          emit({Do::unlock, m});
          break;
        }
        case 7: {
          const std::uint8_t m = below(kMutexes);
          emit({Do::try_lock, m, r});
          emit({Do::load, x, static_cast<std::uint8_t>(1 - r)});
          emit({Do::unlock, m});
          break;
        }
        default:
          emit({Do::yield});
          break;
      }
    }
  }

  /// With so many loops in it.
  void loop(unsigned inner, bool can_be_timed = true) {
    const std::uint8_t head = here();
    std::vector<std::size_t> leaves;
    const auto leave = [&](Command command) {
      leaves.push_back(code_.size());
      emit(command);
    };
    const unsigned looks = 1 + (below(3) == 0 ? 1 : 0);
    const unsigned yield_at = below(4);
    for (unsigned n = 0; n < looks; ++n) {
      if (yield_at == n) emit({Do::yield});
      const std::uint8_t x = below(kAtomics);
      const std::uint8_t r = below(kRegisters);
      switch (below(9)) {
        case 0:
          emit({Do::compare_exchange, x, r, static_cast<std::uint8_t>(1 + below(2)), 0});
          leave({Do::jump_if, 0, r, 0, 1});
          break;
        case 1:
          emit({Do::exchange, x, r, 1});
          leave({Do::jump_unless, 0, r, 0, 1});
          break;
        case 2:
          emit({Do::try_lock, below(kMutexes), r});
          leave({Do::jump_if, 0, r, 0, 1});
          break;
        case 3:
          emit({Do::load, x, r});
          leave({Do::jump_unless, 0, r, 0, below(2)});
          break;
        case 4:
          emit({Do::exchange, static_cast<std::uint8_t>(1 - x), static_cast<std::uint8_t>(1 - r), 1});
          emit({Do::add, x, r, 0});
          leave({Do::jump_if, 0, r, 0, static_cast<std::uint8_t>(1 + below(2))});
          break;
        default:
          emit({Do::load, x, r});
          leave({Do::jump_if, 0, r, 0, static_cast<std::uint8_t>(1 + below(2))});
          break;
      }
      if (inner != 0 && n == 0) loop(inner - 1, false);
    }
    if (yield_at == looks) emit({Do::yield});
    if (below(4) == 0) emit({Do::clear});
    // Time passes only by rounds that are silent: with one look beside that at the clock all are that stay.
    if (can_be_timed && inner == 0 && looks == 1 && below(3) == 0) {
      const std::uint8_t r = below(kRegisters);
      emit({Do::look_at_clock, 0, r, below(std::size(kDeadlines))});
      leave({Do::jump_if, 0, r, 0, 1});
    } else if (below(5) == 0) {
      emit({Do::count});
      leave({Do::jump_if_counted, 0, 0, 0, static_cast<std::uint8_t>(1 + below(kMostCounted))});
    }
    emit({Do::jump, 0, 0, 0, 0, head});
    for (const std::size_t n : leaves) code_[n].target = here();
  }

  std::mt19937& random_;
  std::vector<Command> code_;
};

/// What is left of the program: the atomics, and the registers of each thread.
using Outcome = std::array<std::uint8_t, kAtomics + kThreads * kRegisters>;

std::uint64_t hash(const Outcome& outcome) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint8_t byte : outcome) hash = (hash ^ byte) * 0x100000001b3U;
  return hash;
}

// ---------------------------------------------------------------------------------------------------------------------
// By brute force

constexpr std::uint8_t kNobody = 0xff;

struct State {
  struct OfThread {
    std::uint8_t at = 0;
    std::uint8_t counter = 0;
    std::array<std::uint8_t, kRegisters> registers{};
    friend auto operator<=>(const OfThread&, const OfThread&) = default;
  };
  std::array<std::uint8_t, kAtomics> atomics{};
  std::array<std::uint8_t, kMutexes> owners{kNobody, kNobody};
  std::array<OfThread, kThreads> threads{};
  std::uint8_t deadlines_over = 0;
  std::uint8_t last = kNobody;
  bool has_yielded = false;
  friend auto operator<=>(const State&, const State&) = default;
};

/// What may become of a program. Leaving a thread that could go on, and has not yielded, costs one. So does
/// it if the time comes that a thread waits for while another one could go on.
struct Answer {
  std::map<std::uint64_t, unsigned> outcomes;  ///< with the least that each costs
  bool may_get_stuck = false;                  ///< there are states from which the program comes to no end
};

class BruteForce {
 public:
  explicit BruteForce(const Polling& program) : program_(program) {}

  /// Nothing: there are more states.
  std::optional<Answer> run(std::size_t most_states) {
    State begin;
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
    answer_.may_get_stuck = get_stuck();
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
  [[nodiscard]] bool has_ended(const State& state, unsigned t) const {
    return state.threads[t].at == program_.threads[t].size();
  }
  [[nodiscard]] bool is_able(const State& state, unsigned t) const {
    return !has_ended(state, t) &&
           !(next(state, t).what == Do::lock && state.owners[next(state, t).object] != kNobody);
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
    const bool leaving_costs = state.last != kNobody && !state.has_yielded && is_able(state, state.last);
    for (unsigned t = 0; t < program_.threads.size(); ++t) {
      all_have_ended &= has_ended(state, t);
      if (!is_able(state, t)) continue;
      const unsigned after_switch = price + (leaving_costs && t != state.last ? 1 : 0);
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
    for (unsigned t = 0; t < program_.threads.size(); ++t)
      std::copy(state.threads[t].registers.begin(), state.threads[t].registers.end(),
          outcome.begin() + kAtomics + std::size_t{t} * kRegisters);
    const auto [known, is_new] = answer_.outcomes.emplace(hash(outcome), price);
    if (!is_new) known->second = std::min(known->second, price);
  }

  void step(State& state, unsigned t) const {
    State::OfThread& self = state.threads[t];
    const Command& c = next(state, t);
    std::uint8_t& x = state.atomics[c.object];
    std::uint8_t& owner = state.owners[c.object];
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
        r = owner == kNobody ? 1 : 0;
        if (owner == kNobody) owner = static_cast<std::uint8_t>(t);
        break;
      case Do::unlock:
        owner = kNobody;
        break;
      case Do::look_at_clock:
        r = state.deadlines_over > c.value ? 1 : 0;
        break;
      default:
        break;
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
        case Do::count:
          if (self.counter < kMostCounted) ++self.counter;
          break;
        case Do::clear:
          self.registers = {};
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
          if (state.owners[c.object] == t) return;
          break;
        case Do::lock:
        case Do::try_lock:
          if (state.owners[c.object] != t) return;
          if (c.what == Do::try_lock) self.registers[c.where] = 1;  // it has it already
          break;
        default:
          return;
      }
      self.at = jumps ? c.target : static_cast<std::uint8_t>(self.at + 1);
    }
  }

  [[nodiscard]] bool get_stuck() const {
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
    return std::find(comes_to_an_end.begin(), comes_to_an_end.end(), false) != comes_to_an_end.end();
  }

  const Polling& program_;
  std::map<State, std::size_t> numbers_;
  std::vector<Known> states_;
  std::set<std::pair<unsigned, std::size_t>> left_;  ///< cheapest first
  Answer answer_;
};

// ---------------------------------------------------------------------------------------------------------------------
// In a body

using Clock = std::chrono::steady_clock;

struct Shared {
  const Clock::time_point begin = Clock::now();
  std::array<std::atomic<int>, kAtomics> atomics{};
  std::array<std::mutex, kMutexes> mutexes;
};

std::array<std::uint8_t, kRegisters> run(const std::vector<Command>& code, Shared& shared) {
  std::array<int, kRegisters> registers{};
  std::array<bool, kMutexes> holds{};
  int counter = 0;
  for (std::size_t at = 0; at < code.size();) {
    const Command& c = code[at];
    int& r = registers[c.where];
    bool jumps = false;
    switch (c.what) {
      case Do::load:
        r = shared.atomics[c.object].load();
        break;
      case Do::store:
        shared.atomics[c.object].store(c.value);
        break;
      case Do::add:
        r = shared.atomics[c.object].fetch_add(c.value);
        break;
      case Do::exchange:
        r = shared.atomics[c.object].exchange(c.value);
        break;
      case Do::compare_exchange: {
        int expected = c.expected;
        r = shared.atomics[c.object].compare_exchange_strong(expected, c.value) ? 1 : 0;
        break;
      }
      case Do::lock:
        if (!holds[c.object]) shared.mutexes[c.object].lock();
        holds[c.object] = true;
        break;
      case Do::try_lock:
        if (!holds[c.object]) holds[c.object] = shared.mutexes[c.object].try_lock();
        r = holds[c.object] ? 1 : 0;
        break;
      case Do::unlock:
        if (holds[c.object]) shared.mutexes[c.object].unlock();
        holds[c.object] = false;
        break;
      case Do::yield:
        std::this_thread::yield();
        break;
      case Do::look_at_clock:
        r = Clock::now() - shared.begin >= kDeadlines[c.value] ? 1 : 0;
        break;
      case Do::count:
        if (counter < kMostCounted) ++counter;
        break;
      case Do::clear:
        registers = {};
        break;
      case Do::jump:
        jumps = true;
        break;
      case Do::jump_if:
        jumps = r == c.expected;
        break;
      case Do::jump_unless:
        jumps = r != c.expected;
        break;
      case Do::jump_if_counted:
        jumps = counter >= c.expected;
        break;
    }
    at = jumps ? c.target : at + 1;
  }
  std::array<std::uint8_t, kRegisters> result{};
  for (unsigned n = 0; n < kRegisters; ++n) result[n] = static_cast<std::uint8_t>(registers[n]);
  return result;
}

Outcome run(const Polling& program) {
  Shared shared;
  Outcome outcome{};
  std::array<std::thread, kThreads> threads;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    threads[t] = std::thread([&, t] {
      const std::array<std::uint8_t, kRegisters> registers = run(program.threads[t], shared);
      std::copy(registers.begin(), registers.end(), outcome.begin() + kAtomics + t * kRegisters);
    });
  }
  for (std::size_t t = 0; t < program.threads.size(); ++t) threads[t].join();
  for (unsigned n = 0; n < kAtomics; ++n) outcome[n] = static_cast<std::uint8_t>(shared.atomics[n].load());
  return outcome;
}

/// Passes in full, under strategies of each kind.
void explored_everywhere(void (*body)()) {
  for (const char* const strategy : {"icb", "dfs", "cb-por", "hb-cache"}) {
    hocket::Options options = exhaustively();
    options.strategy = strategy;
    EXPECT_EQ(explored(body, options).verdict, hocket::Verdict::passed_exhaustively) << strategy;
  }
}

struct Search {
  const char* strategy;
  unsigned bound;
};
constexpr Search kSearches[] = {{"icb", 0}, {"icb", 1}, {"icb", 2}, {"cb-por", 0}, {"cb-por", 1},
    {"cb-por", 2}, {"hb-cache", 1}, {"cb-por-basic", 2}, {"cb-por", hocket::unbounded},
    {"dfs-sleep", hocket::unbounded}, {"dfs", hocket::unbounded}, {"icb", hocket::unbounded},
    {"hb-cache", hocket::unbounded}};

void expect_the_same(const Polling& program, const Answer& answer) {
  for (const Search& search : kSearches) {
    SCOPED_TRACE(
        std::string(search.strategy) + ", bound " + std::to_string(search.bound) + "\n" + program.text());
    hocket::Options options = exhaustively();
    options.strategy = search.strategy;
    options.max_preemptions = search.bound;
    options.keep_going = true;
    options.max_executions = 1'000;
    options.time_limit = std::chrono::seconds(2);
    Collected found;
    const hocket::Report report = hocket::explore(
        "polling", [&] { found.add(hash(run(program))); }, options);
    const std::set<std::uint64_t> outcomes = found.all();
    for (const std::uint64_t outcome : outcomes) EXPECT_TRUE(answer.outcomes.contains(outcome));
    EXPECT_EQ(report.note, "");
    for (const hocket::FoundFailure& failure : report.failures) {
      const bool is_stuck =
          failure.kind == hocket::FailureKind::deadlock || failure.kind == hocket::FailureKind::livelock;
      EXPECT_TRUE(is_stuck && answer.may_get_stuck) << report;
    }
    if (report.verdict == hocket::Verdict::stopped || report.executions >= options.max_executions) continue;
    // Where nobody else can go on, time passes here before a silent round, there before any look at the
    // clock.
    const unsigned slack = program.looks_at_clock() ? 1 : 0;
    std::size_t missing = 0;
    for (const auto& [outcome, price] : answer.outcomes)
      missing += price + slack <= search.bound && !outcomes.contains(outcome) ? 1 : 0;
    EXPECT_EQ(missing, 0U) << "of " << answer.outcomes.size() << "\n" << report;
    if (search.bound == hocket::unbounded) {
      EXPECT_EQ(!report.failures.empty(), answer.may_get_stuck) << report;
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomProgramsThatPoll, HaveAllOutcomesAtTheirPricesUnderEveryStrategy) {
  constexpr std::size_t kMostStates = 2'000;
  std::mt19937 random(20080607);
  unsigned checked = 0;
  unsigned stuck = 0;
  const std::uint64_t all = hocket::test::part_of(120);
  for (std::uint64_t n = 0; n < all && !HasFailure(); ++n) {
    const Polling program = Writer(random).program();
    const std::optional<Answer> answer = BruteForce(program).run(kMostStates);
    if (!answer) continue;
    ++checked;
    stuck += answer->may_get_stuck ? 1 : 0;
    expect_the_same(program, *answer);
  }
  EXPECT_GT(checked, all / 2);
  EXPECT_GT(stuck, checked / 20);
  EXPECT_LT(stuck, checked - checked / 20);
}

/// The brute force is right about real threads, too: they show nothing that it has not.
TEST(RandomProgramsThatPoll, HaveNoOtherOutcomesOnThreadsOfTheSystem) {
  constexpr std::size_t kMostStates = 20'000;
  constexpr unsigned kRuns = 30;
  std::mt19937 random(19680821);
  std::size_t seen = 0;
  const std::uint64_t all = hocket::test::part_of(1'000);
  for (std::uint64_t n = 0; n < all && !HasFailure(); ++n) {
    const Polling program = Writer(random).program();
    const std::optional<Answer> answer = BruteForce(program).run(kMostStates);
    if (!answer || answer->may_get_stuck) continue;
    std::set<std::uint64_t> outcomes;
    for (unsigned r = 0; r < kRuns; ++r) outcomes.insert(hash(run(program)));
    for (const std::uint64_t outcome : outcomes)
      EXPECT_TRUE(answer->outcomes.contains(outcome)) << program.text();
    seen += outcomes.size();
  }
  EXPECT_GT(seen, all / 10);
}

TEST(ARoundOfPolling, ThatHasSeenAChangeDoesNotWaitForTheStateBeforeIt) {
  explored_everywhere([] {
    std::atomic<int> x{1};
    std::thread other([&] {
      for (const int value : {2, 1, 2, 1}) x.store(value);
    });
    for (;;) {
      const int first = x.load();
      const int second = x.load();
      if (first == 1 && second == 1) break;
    }
    other.join();
  });
}

TEST(ARoundOfPolling, ThatHasChangedSomethingIsNoWait) {
  explored_everywhere([] {
    std::atomic<int> x{0};
    std::thread other([&] {
      for (int n = 0; n < 3; ++n) x.store(0);
    });
    while (x.exchange(1) == 0) {
    }
    other.join();
  });
}

TEST(AnAwaitOfHockets, WaitsByItselfWhereItsPredicateLooksAtAtomicsOfTheStandardLibrary) {
  explored_everywhere([] {
    std::atomic<int> progress{0};
    std::atomic<int> other{0};
    std::thread worker([&] {
      for (int n = 1; n <= 5; ++n) progress = n;
      other = 1;
    });
    hocket::await([&] { return other.load() == 1 && progress.load() == 5; });
    worker.join();
  });
}

TEST(APollOfTheClock, EndsByTimeOrByWhatItAlsoLooksAt) {
  explored_everywhere([] {
    std::atomic<bool> is_ready{false};
    std::thread waiter([&] {
      const auto begin = Clock::now();
      while (!is_ready.load() && Clock::now() < begin + 2us) {
      }
      is_ready.wait(false);
    });
    is_ready = true;
    is_ready.notify_one();
    waiter.join();
  });
}

TEST(APollOfTheClock, MayBeOverWhileOthersAreStillAtWorkForOnePreemption) {
  for (const char* const strategy : {"icb", "cb-por", "hb-cache"}) {
    hocket::Options options = exhaustively();
    options.strategy = strategy;
    options.max_preemptions = 2;
    const hocket::Report report = hocket::explore(
        "late",
        [] {
          std::atomic<int> progress{0};
          std::thread worker([&] {
            for (int n = 1; n <= 3; ++n) progress = n;
          });
          const auto begin = Clock::now();
          while (progress.load() != 3 && Clock::now() - begin < 8us) std::this_thread::yield();
          hocket::check(Clock::now() - begin < 24us, "waited much longer than it was to");
          hocket::check(progress.load() != 1, "late");
          worker.join();
        },
        options);
    ASSERT_EQ(report.failures.size(), 1U) << strategy << report;
    EXPECT_NE(report.failures[0].message.find("late"), std::string::npos) << report;
    EXPECT_EQ(report.failures[0].bound, 2U) << report;
  }
}

TEST(APollOfTheClock, ThatWaitsForNoTimeIsALivelockWhereNobodyElseEndsIt) {
  const hocket::Report report = hocket::explore(
      "for ever",
      [] {
        std::atomic<bool> is_ready{false};
        Clock::time_point last;
        while (!is_ready.load()) last = Clock::now();
        hocket::check(last > Clock::time_point{}, "no time");
      },
      exhaustively());
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures[0].kind, hocket::FailureKind::livelock) << report;
  EXPECT_NE(report.failures[0].message.find("to let time pass has not ended it"), std::string::npos)
      << report;
}

}  // namespace

}  // namespace unmodified::polling
