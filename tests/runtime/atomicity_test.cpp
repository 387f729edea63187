// Blocks that are marked as atomic: which executions fail by the definition, and what reports say of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/process/search_guards.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/support/failure_of.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::test {

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// An account whose deposits are done in two sections.
struct Account {
  mutex lock;
  var<int> balance{0};

  void deposit_in_two_sections() {
    const atomic_block block;
    int found = 0;
    {
      const std::lock_guard guard(lock);
      found = balance;
    }
    const std::lock_guard guard(lock);
    balance = found + 1;
  }
  void deposit() {
    const atomic_block block;
    const std::lock_guard guard(lock);
    balance = balance + 1;
  }
};

void two_deposits(void (Account::*deposit)()) {
  Account account;
  in_parallel([&] { (account.*deposit)(); }, [&] { (account.*deposit)(); });
}

TEST(AtomicBlocks, FailWhereAnotherThreadComesBetweenTheirOperations) {
  const FoundFailure failure = failure_of([] { two_deposits(&Account::deposit_in_two_sections); });
  EXPECT_EQ(failure.kind, FailureKind::atomicity);
  EXPECT_EQ(failure.bound, 1U);
  EXPECT_THAT(failure.message,
      ContainsRegex("between the operations of the block that thread [12] entered at atomicity_test.cpp:"));
  EXPECT_THAT(failure.message, ContainsRegex("thread [12] performs mutex.unlock on .* at "
                                             "atomicity_test.cpp:[0-9]+ \\(in step [0-9]+\\)\n      before "
                                             "thread [12] performs mutex.lock on"));
}

TEST(AtomicBlocks, PassWhereOneLockIsHeld) {
  expect_to_pass([] { two_deposits(&Account::deposit); });
}

TEST(AtomicBlocks, MayBeInterruptedByWhatDoesNotConflict) {
  expect_to_pass([] {
    atomic<int> x{0}, y{0};
    in_parallel(
        [&] {
          const atomic_block block;
          x.load();
          x.load();
        },
        [&] {
          x.load();
          y.store(1);
        });
  });
}

TEST(AtomicBlocks, ReadTogether) {
  expect_to_pass([] {
    shared_mutex lock;
    const auto read_twice = [&] {
      const atomic_block block;
      { const std::shared_lock guard(lock); }
      const std::shared_lock guard(lock);
    };
    in_parallel(read_twice, read_twice);
  });
}

/// Thread 1 does this, in a block that thread 2 comes between.
template <class Body>
FoundFailure interrupted(const Body& body) {
  return failure_of([&] {
    atomic<int> x{0};
    in_parallel([&] { body(x); }, [&] { x.store(1); });
  });
}

TEST(AtomicBlocks, ContainTheBlocksWithinThem) {
  const FoundFailure failure = interrupted([](atomic<int>& x) {
    const atomic_block outer;
    {
      const atomic_block inner;
      x.load();
    }
    const atomic_block inner;
    x.store(2);
  });
  EXPECT_EQ(failure.kind, FailureKind::atomicity);
}

TEST(AtomicBlocks, EndOneAfterTheOther) {
  expect_to_pass([] {
    atomic<int> x{0};
    const auto two_blocks = [&] {
      {
        const atomic_block block;
        x.load();
      }
      const atomic_block block;
      x.store(2);
    };
    in_parallel(two_blocks, two_blocks);
  });
}

TEST(AtomicBlocks, EndWithAnException) {
  expect_to_pass([] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          try {
            const atomic_block block;
            x.load();
            throw std::runtime_error("leaves the block");
          } catch (const std::runtime_error&) {
          }
          x.store(2);
        },
        [&] { x.store(1); });
  });
}

TEST(AtomicBlocks, MayBeOpenAtADeadlock) {
  const FoundFailure failure = failure_of([] {
    mutex one, other;
    const auto take = [](mutex& first, mutex& second) {
      const atomic_block block;
      const std::lock_guard holds(first);
      const std::lock_guard takes(second);
    };
    in_parallel([&] { take(one, other); }, [&] { take(other, one); });
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock) << failure.message;
}

TEST(AtomicBlocks, AreNotAtomicIfTheyWaitForAnotherThread) {
  const FoundFailure failure = failure_of([] {
    atomic<int> x{0};
    const atomic_block block;
    thread([&] { x.store(1); }).join();
  });
  EXPECT_EQ(failure.kind, FailureKind::atomicity);
  EXPECT_THAT(failure.message, HasSubstr("main creates thread 1 at"));
  EXPECT_THAT(failure.message, HasSubstr("main joins thread 1"));
}

TEST(AtomicBlocks, AreNotLookedAtWithoutTheirDetector) {
  expect_to_pass([] { two_deposits(&Account::deposit_in_two_sections); },
      exhaustively({.detect = Detectors().without(Detector::atomicity)}));
}

TEST(AtomicBlocks, FailInAScheduleThatReplays) {
  const Folder folder;
  Options options{.max_preemptions = unbounded, .schedule_dir = folder.path(), .try_saved = false};
  const auto body = [] { two_deposits(&Account::deposit_in_two_sections); };
  const Report found = explore("blocks", body, options);
  ASSERT_TRUE(found.failed()) << found;
  options.replay = found.failures.at(0).schedule_file;
  const Report again = explore("blocks", body, options);
  ASSERT_TRUE(again.failed()) << again;
  EXPECT_EQ(again.failures.at(0).kind, FailureKind::atomicity);
  EXPECT_EQ(again.failures.at(0).message, found.failures.at(0).message);
}

// ---------------------------------------------------------------------------------------------------------------------
// Older values

/// Thread 1 reads x twice in a block. Thread 2 stores in between, and the second read may yet read the older
/// value: then the block comes before the store.
TEST(AtomicBlocks, ComeBeforeStoresThatTheyReadAnOlderValueThan) {
  std::set<std::pair<int, int>> seen;
  Options options =
      exhaustively({.memory_model = MemoryModel::c11, .detect = Detectors().without(Detector::atomicity)});
  const auto body = [&](bool is_marked) {
    atomic<int> x{0};
    in_parallel(
        [&, is_marked] {
          std::optional<atomic_block> block;
          if (is_marked) block.emplace();
          const int first = x.load(memory_order_relaxed);
          seen.emplace(first, x.load(memory_order_relaxed));
        },
        [&] { x.store(1, memory_order_relaxed); });
  };
  expect_to_pass([&] { body(true); }, options);
  EXPECT_EQ(seen.count({0, 1}), 1U);
  seen.clear();
  options.detect = Detectors();
  options.keep_going = true;
  static_cast<void>(report_of(options, [&] { body(true); }));
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{0, 0}, {1, 1}}));
}

/// Both read what was there before: no order of operations does so, whether they are in blocks or not.
TEST(AtomicBlocks, AreNotToBlameForWhatWeakOrdersAllow) {
  std::set<std::pair<int, int>> seen;
  const Report report = report_of(exhaustively({.keep_going = true, .memory_model = MemoryModel::c11}), [&] {
    atomic<int> x{0}, y{0};
    int of_x = 0, of_y = 0;
    in_parallel(
        [&] {
          const atomic_block block;
          x.store(1, memory_order_relaxed);
          of_y = y.load(memory_order_relaxed);
        },
        [&] {
          const atomic_block block;
          y.store(1, memory_order_relaxed);
          of_x = x.load(memory_order_relaxed);
        });
    seen.emplace(of_x, of_y);
  });
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 0}}));
  ASSERT_FALSE(report.failures.empty());  // each reads what the other has stored
  EXPECT_EQ(report.failures.at(0).kind, FailureKind::atomicity);
}

// ---------------------------------------------------------------------------------------------------------------------
// Random programs, against the definition

enum class Verb : std::uint8_t { load, store, lock, unlock, lock_shared, unlock_shared, enter, leave };

struct Instruction {
  Verb verb;
  unsigned object;  ///< 0 and 1: atomics, 2: a mutex, 3: a shared mutex
};

using Code = std::vector<Instruction>;
using Program = std::vector<Code>;  ///< by thread

constexpr unsigned kAtomics = 2;

Program random_program(std::mt19937_64& random) {
  const auto below = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  Program program(2 + below(2));
  for (Code& code : program) {
    const unsigned length = program.size() == 2 ? 2 + below(3) : 1 + below(2);
    for (unsigned n = 0; n < length; ++n) {
      const auto place = code.begin() + below(static_cast<unsigned>(code.size()) + 1);
      code.insert(place, {below(2) == 0 ? Verb::load : Verb::store, below(kAtomics)});
    }
    const auto put_around = [&](Instruction before, Instruction after) {
      const unsigned first = below(static_cast<unsigned>(code.size()));
      const unsigned count = 1 + below(static_cast<unsigned>(code.size()) - first);
      code.insert(code.begin() + first + count, after);
      code.insert(code.begin() + first, before);
    };
    if (below(4) == 0) put_around({Verb::lock, 2}, {Verb::unlock, 2});
    if (below(5) == 0) put_around({Verb::lock_shared, 3}, {Verb::unlock_shared, 3});
    if (below(6) == 0) code.insert(code.end(), {{Verb::lock, 3}, {Verb::unlock, 3}});
    if (below(4) != 0) put_around({Verb::enter, 0}, {Verb::leave, 0});
    if (below(4) == 0) put_around({Verb::enter, 0}, {Verb::leave, 0});
  }
  return program;
}

std::string to_text(const Program& program) {
  constexpr std::array<const char*, 8> kNames{
      "load", "store", "lock", "unlock", "r-lock", "r-unlock", "{", "}"};
  std::string text;
  for (const Code& code : program) {
    for (const Instruction& one : code)
      text += std::string(kNames.at(static_cast<std::size_t>(one.verb))) + std::to_string(one.object) + " ";
    text += "\n";
  }
  return text;
}

/// What the threads have done, in this order: for each thread, and the place in its code.
using Done = std::vector<std::pair<unsigned, std::size_t>>;

bool is_operation(const Instruction& instruction) {
  return instruction.verb != Verb::enter && instruction.verb != Verb::leave;
}

/// Runs the program, and notes each operation when it has been done.
void run(const Program& program, Done& done) {
  std::array<atomic<int>, kAtomics> atomics;
  mutex lock;
  shared_mutex shared;
  done.clear();
  in_parallel_each(static_cast<unsigned>(program.size()), [&](unsigned number) {
    std::vector<std::unique_ptr<atomic_block>> blocks;
    for (std::size_t place = 0; place < program[number].size(); ++place) {
      const auto [verb, object] = program[number][place];
      switch (verb) {
        case Verb::load:
          atomics.at(object).load();
          break;
        case Verb::store:
          atomics.at(object).store(1);
          break;
        case Verb::lock:
          object == 2 ? lock.lock() : shared.lock();
          break;
        case Verb::unlock:
          object == 2 ? lock.unlock() : shared.unlock();
          break;
        case Verb::lock_shared:
          shared.lock_shared();
          break;
        case Verb::unlock_shared:
          shared.unlock_shared();
          break;
        case Verb::enter:
          blocks.push_back(std::make_unique<atomic_block>());
          break;
        case Verb::leave:
          blocks.pop_back();
          break;
      }
      if (is_operation(program[number][place])) done.emplace_back(number, place);
    }
  });
}

/// Whether there is an order of whole blocks, and of the operations outside of them, in which each thread
/// does what it does in its order, and conflicting operations come in the order in which they were done.
class SerialOrder {
 public:
  SerialOrder(const Program& program, const Done& done) {
    std::vector<unsigned> unit;  // of each that was done
    std::vector<std::vector<int>> of_place;
    for (const Code& code : program) {
      std::vector<int> units;
      unsigned depth = 0;
      int block = -1;
      for (const Instruction& instruction : code) {
        if (instruction.verb == Verb::enter && depth++ == 0) block = static_cast<int>(units_++);
        if (instruction.verb == Verb::leave) --depth;
        units.push_back(depth != 0 || !is_operation(instruction) ? block : static_cast<int>(units_++));
      }
      of_place.push_back(units);
    }
    before_.resize(units_);
    for (std::size_t second = 0; second < done.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        const auto [one_thread, one_place] = done[first];
        const auto [other_thread, other_place] = done[second];
        const int one = of_place[one_thread][one_place];
        const int other = of_place[other_thread][other_place];
        const bool conflict = one_thread == other_thread ||
                              conflicts(program[one_thread][one_place], program[other_thread][other_place]);
        if (conflict && one != other)
          before_[static_cast<std::size_t>(other)] |= std::uint64_t{1} << static_cast<unsigned>(one);
      }
    }
  }

  [[nodiscard]] bool exists() { return can_follow(0); }

 private:
  static bool conflicts(const Instruction& one, const Instruction& other) {
    const auto only_reads = [](Verb verb) {
      return verb == Verb::load || verb == Verb::lock_shared || verb == Verb::unlock_shared;
    };
    return one.object == other.object && !(only_reads(one.verb) && only_reads(other.verb));
  }
  /// Whether the others can follow these.
  bool can_follow(std::uint64_t placed) {
    if (placed + 1 == std::uint64_t{1} << units_) return true;
    if (!tried_.insert(placed).second) return false;
    for (unsigned next = 0; next < units_; ++next) {
      const std::uint64_t itself = std::uint64_t{1} << next;
      if ((placed & itself) == 0 && (before_[next] & ~placed) == 0 && can_follow(placed | itself))
        return true;
    }
    return false;
  }

  unsigned units_ = 0;
  std::vector<std::uint64_t> before_;
  std::set<std::uint64_t> tried_;
};

/// What a thread does after what it has done.
std::size_t next_of(const Program& program, unsigned thread, const Done& done) {
  std::size_t place = 0;
  for (const auto& [its, at] : done) place = its == thread ? at + 1 : place;
  while (!is_operation(program[thread][place])) ++place;
  return place;
}

/// The classes of executions that fail because a block is not atomic.
using Failing = std::set<std::pair<std::uint64_t, std::uint64_t>>;

/// Runs the executions of a strategy, and compares each with the definition.
Failing failing_classes(const Program& program, const char* strategy_name) {
  Done done;
  const SearchGuard guard;
  struct Compare : ExecutionVisitor {
    const Program& program;
    Done& done;
    Failing failing{};
    unsigned interrupted = 0;

    Compare(const Program& of, Done& of_execution) : program(of), done(of_execution) {}
    bool ran(const runtime::ExecutionResult& result) {
      const bool has_failed = result.outcome == runtime::Outcome::failed;
      const bool is_violation = has_failed && runtime::Execution::failure().kind == FailureKind::atomicity;
      if (has_failed && !is_violation) {
        EXPECT_EQ(runtime::Execution::failure().kind, FailureKind::deadlock) << to_text(program);
      }
      if (!is_violation) {
        if (result.outcome != runtime::Outcome::pruned) {
          EXPECT_TRUE(SerialOrder(program, done).exists()) << to_text(program) << text_of(done);
        }
        return true;
      }
      failing.emplace(result.hash.low, result.hash.high);
      EXPECT_TRUE(SerialOrder(program, done).exists()) << "found late\n" << to_text(program) << text_of(done);
      const unsigned thread = runtime::Execution::failure().thread - 1;
      done.emplace_back(thread, next_of(program, thread, done));
      EXPECT_FALSE(SerialOrder(program, done).exists()) << to_text(program) << text_of(done);
      return true;
    }
    static std::string text_of(const Done& all) {
      std::string text;
      for (const auto& [thread, place] : all)
        text += std::to_string(thread) + "." + std::to_string(place) + " ";
      return text;
    }
  };
  Compare compare(program, done);
  const std::unique_ptr<Strategy> strategy = make_strategy(with(strategy_name));
  EXPECT_EQ(run_executions(
                *strategy, [&] { run(program, done); }, {}, compare),
      ExecutionsEnd::exhausted);
  return compare.failing;
}

TEST(AtomicBlocks, OfRandomProgramsAreAtomicWhereASerialOrderExists) {
  RandomTries tries;
  std::mt19937_64 random(tries.seed());
  unsigned with_violations = 0;
  while (tries.goes_on() && !::testing::Test::HasFailure()) {
    const Program program = random_program(random);
    const Failing all = failing_classes(program, "dfs");
    with_violations += all.empty() ? 0 : 1;
    for (const char* const strategy : {"icb", "hb-cache", "cb-por"})
      EXPECT_EQ(failing_classes(program, strategy), all) << strategy << "\n" << to_text(program);
    // These run one of the orders of steps that are independent, which may end where the block fails.
    for (const char* const strategy : {"icb-por", "dpor"}) {
      const Failing some = failing_classes(program, strategy);
      EXPECT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end())) << to_text(program);
      EXPECT_EQ(some.empty(), all.empty()) << strategy << "\n" << to_text(program);
    }
  }
  if (tries.are_many()) {
    EXPECT_GT(with_violations, tries.tried() / 10);
    EXPECT_LT(with_violations, tries.tried() * 9 / 10);
  }
}

}  // namespace

}  // namespace hocket::test
