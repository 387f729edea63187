// The same programs as threads, explored through schedules, and as models, explored through states.
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <hocket/hocket.hpp>

#include "check_without_files.hpp"
#include "random_models.hpp"

namespace hocket::model::test {

namespace {

constexpr unsigned kThreads = 3;  // besides the main thread, which starts and joins them
constexpr unsigned kVariables = 2;
constexpr unsigned kMutexes = 2;

enum class Verb : std::uint8_t { load, store, add, exchange, compare_exchange, lock, try_lock, unlock };
constexpr unsigned kVerbs = 8;

struct Operation {
  Verb verb = Verb::load;
  unsigned object = 0;
  int value = 0;
};

/// What threads and processes share, and what each of them remembers: the last value that it read.
struct Memory {
  std::array<std::int8_t, kVariables> variables{};
  std::array<std::int8_t, kThreads> read{};
  friend auto operator<=>(const Memory&, const Memory&) = default;
};

/// A thread unlocks only what it holds, and does not lock that again. Whether it holds a mutex after
/// try_lock() depends on the schedule, so such operations are skipped when the thread gets there.
using Program = std::array<std::vector<Operation>, kThreads>;

bool is_skipped(const Operation& operation, unsigned held) {
  const bool holds = (held >> operation.object & 1U) != 0;
  if (operation.verb == Verb::unlock) return !holds;
  return holds && (operation.verb == Verb::lock || operation.verb == Verb::try_lock);
}

/// What was reached within a bound.
struct Results {
  std::set<Memory> ends;
  bool has_deadlock = false;
  friend bool operator==(const Results&, const Results&) = default;
};

// As threads

class Threads {
 public:
  explicit Threads(const Program& program) : program_(program) {}

  Results within(unsigned bound) {
    results_ = {};
    hocket::Options options;
    options.strategy = "icb";
    options.max_preemptions = bound;
    options.keep_going = true;
    options.detect = Detectors().without(Detector::lock_orders);  // which looks beyond the bound
    options.try_saved = options.save_schedules = false;
    const hocket::Report report = explore(
        "threads", [this] { body(); }, options);
    for (const hocket::FoundFailure& failure : report.failures) {
      EXPECT_EQ(failure.kind, FailureKind::deadlock) << report;
      results_.has_deadlock = true;
    }
    return results_;
  }

 private:
  struct Shared {
    std::array<atomic<int>, kVariables> variables{};
    std::array<mutex, kMutexes> mutexes{};
    Memory memory;
  };

  void body() {
    Shared shared;
    {
      std::vector<thread> threads;
      for (unsigned number = 0; number < kThreads; ++number)
        threads.emplace_back([this, &shared, number] { run(shared, number); });
      for (thread& one : threads) one.join();
    }
    for (unsigned n = 0; n < kVariables; ++n)
      shared.memory.variables[n] = static_cast<std::int8_t>(shared.variables[n].load());
    results_.ends.insert(shared.memory);
  }

  void run(Shared& shared, unsigned number) const {
    unsigned held = 0;
    int read = 0;
    for (const Operation& operation : program_[number]) {
      if (!is_skipped(operation, held)) perform(operation, shared, held, read);
    }
    shared.memory.read[number] = static_cast<std::int8_t>(read);
    for (unsigned n = 0; n < kMutexes; ++n) {
      if ((held >> n & 1U) != 0) shared.mutexes[n].unlock();
    }
  }

  static void perform(const Operation& operation, Shared& shared, unsigned& held, int& read) {
    switch (operation.verb) {
      case Verb::load:
        read = shared.variables[operation.object].load();
        break;
      case Verb::store:
        shared.variables[operation.object].store(operation.value);
        break;
      case Verb::add:
        read = shared.variables[operation.object].fetch_add(operation.value);
        break;
      case Verb::exchange:
        read = shared.variables[operation.object].exchange(operation.value);
        break;
      case Verb::compare_exchange:
        shared.variables[operation.object].compare_exchange_strong(read, operation.value);
        break;
      case Verb::lock:
        shared.mutexes[operation.object].lock();
        held |= 1U << operation.object;
        break;
      case Verb::try_lock:
        if (shared.mutexes[operation.object].try_lock()) held |= 1U << operation.object;
        break;
      case Verb::unlock:
        shared.mutexes[operation.object].unlock();
        held &= ~(1U << operation.object);
        break;
    }
  }

  const Program& program_;
  Results results_;
};

// As a model

/// The threads are processes 1, 2, …; process 0 is the main thread, which joins them.
struct Processes {
  struct State {
    Memory memory;
    std::array<std::uint8_t, kThreads> at{};    ///< the next operation
    std::array<std::uint8_t, kThreads> held{};  ///< mutexes
    std::uint8_t joined = 0;
    bool operator==(const State&) const = default;
  };
  const Program* program = nullptr;
  Results* results = nullptr;

  [[nodiscard]] State initial() const {
    State state;
    for (unsigned number = 0; number < kThreads; ++number) skip(state, number);
    return state;
  }

  void successors(const State& state, Emit<State> emit) const {
    if (state.joined < kThreads && has_ended(state, state.joined)) {
      State next = state;
      ++next.joined;
      emit(0, "join", next);
    }
    for (unsigned number = 0; number < kThreads; ++number) {
      if (!can_step(state, number)) continue;
      State next = state;
      if (state.at[number] < (*program)[number].size()) {
        perform((*program)[number][state.at[number]], next, number);
        ++next.at[number];
        skip(next, number);
      } else {
        next.held[number] &= static_cast<std::uint8_t>(next.held[number] - 1);  // the least mutex
      }
      emit(number + 1, "step", next);
    }
  }

  [[nodiscard]] bool holds(const State& state) const {
    if (state.joined == kThreads) {
      results->ends.insert(state.memory);
    } else {
      results->has_deadlock |= is_stuck(state);
    }
    return true;
  }

 private:
  void skip(State& state, unsigned number) const {
    const std::vector<Operation>& code = (*program)[number];
    while (state.at[number] < code.size() && is_skipped(code[state.at[number]], state.held[number]))
      ++state.at[number];
  }
  [[nodiscard]] bool has_ended(const State& state, unsigned number) const {
    return state.at[number] == (*program)[number].size() && state.held[number] == 0;
  }
  static bool is_free(const State& state, unsigned mutex) {
    unsigned held = 0;
    for (const std::uint8_t one : state.held) held |= one;
    return (held >> mutex & 1U) == 0;
  }
  [[nodiscard]] bool can_step(const State& state, unsigned number) const {
    if (has_ended(state, number)) return false;
    if (state.at[number] == (*program)[number].size()) return true;
    const Operation& operation = (*program)[number][state.at[number]];
    return operation.verb != Verb::lock || is_free(state, operation.object);
  }
  [[nodiscard]] bool is_stuck(const State& state) const {
    if (has_ended(state, state.joined)) return false;
    for (unsigned number = 0; number < kThreads; ++number) {
      if (can_step(state, number)) return false;
    }
    return true;
  }

  static void perform(const Operation& operation, State& state, unsigned number) {
    std::int8_t& read = state.memory.read[number];
    const auto value = static_cast<std::int8_t>(operation.value);
    const auto mutex = static_cast<std::uint8_t>(1U << operation.object);
    std::int8_t& variable = state.memory.variables[operation.object];
    switch (operation.verb) {
      case Verb::load:
        read = variable;
        break;
      case Verb::store:
        variable = value;
        break;
      case Verb::add:
        read = variable;
        variable = static_cast<std::int8_t>(variable + value);
        break;
      case Verb::exchange:
        read = std::exchange(variable, value);
        break;
      case Verb::compare_exchange:
        if (variable == read) {
          variable = value;
        } else {
          read = variable;
        }
        break;
      case Verb::try_lock:
        if (!is_free(state, operation.object)) break;
        [[fallthrough]];
      case Verb::lock:
        state.held[number] |= mutex;
        break;
      case Verb::unlock:
        state.held[number] &= static_cast<std::uint8_t>(~mutex);
        break;
    }
  }
};

Results as_model(const Program& program, const char* strategy, unsigned bound) {
  Results results;
  check_without_files<Searches::breadth_first | Searches::depth_first>(
      "processes", Processes{&program, &results}, {.strategy = strategy, .max_preemptions = bound});
  return results;
}

std::ostream& operator<<(std::ostream& out, const Operation& operation) {
  constexpr std::array<const char*, kVerbs> kNames{
      "load", "store", "add", "exchange", "compare_exchange", "lock", "try_lock", "unlock"};
  return out << kNames.at(static_cast<std::size_t>(operation.verb)) << ' ' << operation.object << ' '
             << operation.value;
}

rc::Gen<std::vector<Operation>> code() {
  const auto operation = rc::gen::build<Operation>(
      rc::gen::set(&Operation::verb, rc::gen::map(rc::gen::inRange(0U, 2 * kVerbs),
                                         [](unsigned number) {
                                           // Half of them lock, so that some programs deadlock.
                                           return number < kVerbs ? static_cast<Verb>(number) : Verb::lock;
                                         })),
      rc::gen::set(&Operation::object, rc::gen::inRange(0U, kVariables)),
      rc::gen::set(&Operation::value, rc::gen::inRange(1, 4)));
  return rc::gen::mapcat(rc::gen::inRange(0, 6), [operation](int length) {
    return rc::gen::container<std::vector<Operation>>(static_cast<std::size_t>(length), operation);
  });
}

TEST(APrograms, ThreadsAndItsModelReachTheSameEndsWithinEveryBound) {
  static_assert(kVariables == kMutexes, "an operation's object is a variable or a mutex");
  std::size_t deadlocks = 0;
  std::size_t differences = 0;  // programs of which a preemption shows more than none does
  on_random_models([&] {
    Program program;
    for (std::vector<Operation>& one : program) one = *code();
    Threads threads(program);
    std::size_t ends = 0;
    for (unsigned bound = 0; bound < 3; ++bound) {
      RC_LOG() << "bound " << bound << "\n";
      const Results expected = threads.within(bound);
      RC_ASSERT(as_model(program, "icb", bound) == expected);
      RC_ASSERT(as_model(program, "bcs", bound) == expected);
      if (bound == 0) ends = expected.ends.size();
      differences += bound == 2 && expected.ends.size() > ends ? 1 : 0;
      deadlocks += bound == 2 && expected.has_deadlock ? 1 : 0;
    }
  });
  EXPECT_GT(deadlocks, 0);
  EXPECT_GT(differences, 0);
}

}  // namespace

}  // namespace hocket::model::test
