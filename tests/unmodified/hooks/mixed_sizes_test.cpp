// Atomics of several sizes in the same memory: random programs whose outcomes are those of a brute force over
// all interleavings, under every strategy that claims to be complete; and what such programs look like.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

constexpr const char* kStrategies[] = {"dfs", "icb", "idfs", "best-first", "dpor", "dfs-sleep", "hb-cache",
    "icb-por", "cb-por", "cb-por-basic", "delay"};

__extension__ using Wide = unsigned __int128;

// ---------------------------------------------------------------------------------------------------------------------
// Programs

enum class What : unsigned {
  load,
  store,
  exchange,
  fetch_add,
  fetch_xor,
  compare_exchange,
  compare_exchange_weak
};
constexpr unsigned kWhats = 7;

#ifdef __clang__
constexpr bool kIsWeakKnown = false;  // it calls the function for strong ones
#else
constexpr bool kIsWeakKnown = true;
#endif

/// One atomic operation on `size` bytes at `offset` of the block.
struct Step {
  What what;
  unsigned size;
  unsigned offset;
  std::uint8_t operand;   ///< each byte of the value that is written
  std::uint8_t expected;  ///< each byte of what a compare-exchange looks for
};

constexpr std::size_t kMostThreads = 3;
constexpr std::size_t kMostSteps = 3;  ///< of a thread

struct Program {
  std::vector<std::vector<Step>> threads;

  [[nodiscard]] std::string text() const {
    constexpr const char* kNames[] = {
        "load", "store", "exchange", "fetch_add", "fetch_xor", "compare_exchange", "compare_exchange_weak"};
    std::string text;
    for (const std::vector<Step>& thread : threads) {
      text += "{";
      for (const Step& step : thread) {
        text += " " + std::string(kNames[static_cast<unsigned>(step.what)]) + std::to_string(step.size) +
                "@" + std::to_string(step.offset) + "(" + std::to_string(step.operand);
        if (step.what >= What::compare_exchange) text += " for " + std::to_string(step.expected);
        text += ")";
      }
      text += " }\n";
    }
    return text;
  }
};

Program random_program(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Program program;
  program.threads.resize(2 + below(2));
  const unsigned most = program.threads.size() == 2 ? kMostSteps : 2;
  // Few sizes, or small ones would hardly ever meet: each program has two or three.
  const unsigned sizes[] = {1U << below(5), 1U << below(5), 1U << below(5)};
  for (std::vector<Step>& thread : program.threads) {
    thread.resize(1 + below(most));
    for (Step& step : thread) {
      step.what = static_cast<What>(below(kWhats));
      step.size = sizes[below(3)];
      // Most in the first four or eight bytes.
      const unsigned room = std::max(step.size, below(3) == 0 ? 16U : below(2) == 0 ? 8U : 4U);
      step.offset = step.size * below(room / step.size);
      step.operand = static_cast<std::uint8_t>(1 + below(2));
      step.expected = static_cast<std::uint8_t>(below(3));
    }
  }
  return program;
}

/// The block at the end, and what each operation has found; of a compare-exchange whether it succeeded, too.
struct Outcome {
  std::array<std::uint8_t, 16> block{};
  std::array<std::array<std::uint8_t, 17>, kMostThreads * kMostSteps> found{};

  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3U; };
    for (const std::uint8_t byte : block) add(byte);
    for (const auto& bytes : found) {
      for (const std::uint8_t byte : bytes) add(byte);
    }
    return hash | 1U;
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// By brute force, on bytes

/// What `step` does to the block, as the C standard says it of an unsigned integer in the order of this
/// machine. `fails_for_no_reason`: a compare-exchange that could succeed.
void interpret(const Step& step, bool fails_for_no_reason, std::array<std::uint8_t, 16>& block,
    std::array<std::uint8_t, 17>& found) {
  std::uint8_t* const bytes = block.data() + step.offset;
  std::copy_n(bytes, step.size, found.begin());
  switch (step.what) {
    case What::load:
      break;
    case What::store:
      found.fill(0);
      std::fill_n(bytes, step.size, step.operand);
      break;
    case What::exchange:
      std::fill_n(bytes, step.size, step.operand);
      break;
    case What::fetch_add: {
      unsigned carry = 0;
      for (unsigned n = 0; n < step.size; ++n) {
        const unsigned sum = bytes[n] + step.operand + carry;
        bytes[n] = static_cast<std::uint8_t>(sum);
        carry = sum >> 8U;
      }
      break;
    }
    case What::fetch_xor:
      for (unsigned n = 0; n < step.size; ++n) bytes[n] ^= step.operand;
      break;
    case What::compare_exchange:
    case What::compare_exchange_weak:
      if (!fails_for_no_reason &&
          std::all_of(bytes, bytes + step.size, [&](std::uint8_t b) { return b == step.expected; })) {
        std::fill_n(bytes, step.size, step.operand);
        found[16] = 1;
      }
      break;
  }
}

void interleave(const Program& program, bool weak_may_fail, std::array<std::size_t, kMostThreads>& done,
    const Outcome& so_far, std::set<std::uint64_t>& outcomes) {
  bool is_over = true;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    if (done[t] == program.threads[t].size()) continue;
    is_over = false;
    const Step& step = program.threads[t][done[t]];
    for (const bool fails : {false, true}) {
      if (fails && !(weak_may_fail && step.what == What::compare_exchange_weak)) continue;
      Outcome next = so_far;
      interpret(step, fails, next.block, next.found[t * kMostSteps + done[t]]);
      ++done[t];
      interleave(program, weak_may_fail, done, next, outcomes);
      --done[t];
    }
  }
  if (is_over) outcomes.insert(so_far.hash());
}

std::set<std::uint64_t> outcomes_by_brute_force(const Program& program, bool weak_may_fail) {
  std::set<std::uint64_t> outcomes;
  std::array<std::size_t, kMostThreads> done{};
  interleave(program, weak_may_fail && kIsWeakKnown, done, Outcome{}, outcomes);
  return outcomes;
}

// ---------------------------------------------------------------------------------------------------------------------
// In a body

template <class T>
void perform(const Step& step, void* at, std::array<std::uint8_t, 17>& found) {
  auto* const atomic = static_cast<T*>(at);
  T value{};
  T expected{};
  std::memset(&value, step.operand, sizeof value);
  std::memset(&expected, step.expected, sizeof expected);
  T before{};
  switch (step.what) {
    case What::load:
      before = __atomic_load_n(atomic, __ATOMIC_SEQ_CST);
      break;
    case What::store:
      __atomic_store_n(atomic, value, __ATOMIC_SEQ_CST);
      break;
    case What::exchange:
      before = __atomic_exchange_n(atomic, value, __ATOMIC_SEQ_CST);
      break;
    case What::fetch_add:
      before = __atomic_fetch_add(atomic, value, __ATOMIC_SEQ_CST);
      break;
    case What::fetch_xor:
      before = __atomic_fetch_xor(atomic, value, __ATOMIC_SEQ_CST);
      break;
    case What::compare_exchange:
      before = expected;
      if (__atomic_compare_exchange_n(atomic, &before, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        found[16] = 1;
      break;
    case What::compare_exchange_weak:
      before = expected;
      if (__atomic_compare_exchange_n(atomic, &before, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        found[16] = 1;
      break;
  }
  std::memcpy(found.data(), &before, sizeof before);
}

void perform(const Step& step, std::uint8_t* block, std::array<std::uint8_t, 17>& found) {
  void* const at = block + step.offset;
  switch (step.size) {
    case 1:
      return perform<std::uint8_t>(step, at, found);
    case 2:
      return perform<std::uint16_t>(step, at, found);
    case 4:
      return perform<std::uint32_t>(step, at, found);
    case 8:
      return perform<std::uint64_t>(step, at, found);
    default:
      return perform<Wide>(step, at, found);
  }
}

/// Runs the program once, with a thread for each of its threads.
Outcome run(const Program& program) {
  alignas(16) static std::array<std::uint8_t, 16> block;
  static Outcome outcome;
  block = {};
  outcome = {};
  std::array<std::thread, kMostThreads> threads;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    threads[t] = std::thread([&, t] {
      for (std::size_t n = 0; n < program.threads[t].size(); ++n)
        perform(program.threads[t][n], block.data(), outcome.found[t * kMostSteps + n]);
    });
  }
  for (std::size_t t = 0; t < program.threads.size(); ++t) threads[t].join();
  outcome.block = block;
  return outcome;
}

/// Compares the strategies with the brute force and with each other.
void expect_all_outcomes(const Program& program, const Options& base) {
  const std::set<std::uint64_t> expected = outcomes_by_brute_force(program, base.spurious_failures);
  std::uint64_t classes = 0;
  for (const char* const strategy : kStrategies) {
    SCOPED_TRACE(std::string(strategy) + "\n" + program.text());
    Options options = base;
    options.strategy = strategy;
    Collected outcomes;
    const Report report = explored([&] { outcomes.add(run(program).hash()); }, options);
    EXPECT_EQ(outcomes.all().size(), expected.size());
    EXPECT_EQ(outcomes.all(), expected);
    if (classes == 0) classes = report.classes;
    EXPECT_EQ(report.classes, classes);
    EXPECT_GE(report.classes, expected.size());
  }
}

TEST(RandomProgramsWithAtomicsOfSeveralSizes, HaveAllOutcomesUnderEveryStrategy) {
  hocket::test::RandomTries tries(20070426);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  while (!HasFailure() && tries.goes_on()) expect_all_outcomes(random_program(random), exhaustively());
}

TEST(RandomProgramsWithAtomicsOfSeveralSizes, HaveAllOutcomesWhereWeakExchangesFailForNoReason) {
  hocket::test::RandomTries tries(1848);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  while (!HasFailure() && tries.goes_on())
    expect_all_outcomes(random_program(random), exhaustively({.spurious_failures = true}));
}

TEST(RandomProgramsWithAtomicsOfSeveralSizes, HaveAllOutcomesWherePlainAccessesAreSteps) {
  std::mt19937 random(1983);
  for (int n = 0; n < 20 && !HasFailure(); ++n) {
    Program program = random_program(random);
    program.threads.resize(2);
    for (std::vector<Step>& thread : program.threads) thread.resize(1);
    const std::set<std::uint64_t> expected = outcomes_by_brute_force(program, false);
    Collected outcomes;
    explored([&] { outcomes.add(run(program).hash()); },
        exhaustively({.strategy = "cb-por", .plain_steps = true}));
    EXPECT_EQ(outcomes.all(), expected) << program.text();
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// What such programs look like

std::uint64_t classes_under_all(const std::function<void()>& body) {
  std::set<std::uint64_t> classes;
  for (const char* const strategy : kStrategies) {
    SCOPED_TRACE(strategy);
    classes.insert(explored(body, with(strategy)).classes);
  }
  EXPECT_EQ(classes.size(), 1U) << "strategies differ";
  return classes.empty() ? 0 : *classes.begin();
}

union Word {
  std::uint64_t whole;
  std::uint32_t half[2];
};

TEST(AWordThatIsReadAsAWhole, IsSeenBetweenTheWritesOfItsHalves) {
  static Word word;
  EXPECT_EQ(classes_under_all([] {
    std::thread writer([] {
      __atomic_store_n(&word.half[1], 1, __ATOMIC_SEQ_CST);
      __atomic_store_n(&word.half[0], 1, __ATOMIC_SEQ_CST);
    });
    __atomic_load_n(&word.whole, __ATOMIC_SEQ_CST);
    writer.join();
  }),
      3U);
}

TEST(AtomicsBesideEachOther, AreIndependentIfNothingOverlapsThem) {
  static Word word;
  EXPECT_EQ(classes_under_all([] {
    in_parallel([] { __atomic_store_n(&word.half[0], 1, __ATOMIC_SEQ_CST); },
        [] { __atomic_store_n(&word.half[1], 1, __ATOMIC_SEQ_CST); });
  }),
      1U);
}

TEST(AtomicsBesideEachOther, AreOneObjectIfSomethingOverlapsThem) {
  static Word word;
  EXPECT_EQ(classes_under_all([] {
    in_parallel([] { __atomic_store_n(&word.half[0], 1, __ATOMIC_SEQ_CST); },
        [] { __atomic_store_n(&word.half[1], 1, __ATOMIC_SEQ_CST); });
    check(__atomic_load_n(&word.whole, __ATOMIC_SEQ_CST) == 0x100000001U);
  }),
      2U);
}

// The sizes meet in few of the schedules only, and in none of the first.
TEST(AtomicsThatOverlapInSomeSchedulesOnly, AreOneObjectInAll) {
  static Word word;
  static std::uint32_t turn;
  const auto body = [] {
    in_parallel(
        [] {
          __atomic_store_n(&word.half[0], 1, __ATOMIC_SEQ_CST);
          __atomic_store_n(&turn, 1, __ATOMIC_SEQ_CST);
          __atomic_store_n(&turn, 2, __ATOMIC_SEQ_CST);
          __atomic_store_n(&word.half[1], 1, __ATOMIC_SEQ_CST);
        },
        [] {
          if (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) == 1) __atomic_load_n(&word.whole, __ATOMIC_SEQ_CST);
        });
  };
  EXPECT_EQ(classes_under_all(body), 4U);
  const Report report = explored(body);
  EXPECT_NE(report.note.find("the search began anew"), std::string::npos) << report;
}

TEST(AtomicsThatOverlap, PassOnWhatTheOthersHaveReleased) {
  static Word word;
  static int data;
  explored([] {
    std::thread writer([] {
      data = 1;
      __atomic_store_n(&word.half[0], 1, __ATOMIC_RELEASE);
      __atomic_store_n(&word.half[1], 1, __ATOMIC_RELAXED);
    });
    std::thread other([] { __atomic_store_n(&word.half[1], 2, __ATOMIC_SEQ_CST); });
    if (static_cast<std::uint32_t>(__atomic_load_n(&word.whole, __ATOMIC_ACQUIRE)) == 1) check(data == 1);
    writer.join();
    other.join();
  });
}

TEST(AtomicsThatOverlap, RaceOnlyWithPlainAccessesToTheirOwnBytes) {
  static Word word;
  const auto body = [](std::uint32_t* plain) {
    in_parallel(
        [] {
          __atomic_store_n(&word.half[0], 1, __ATOMIC_SEQ_CST);
          __atomic_store_n(reinterpret_cast<std::uint16_t*>(&word.half[0]), 2, __ATOMIC_SEQ_CST);
        },
        [plain] { *plain = 1; });
  };
  explored([&] { body(&word.half[1]); });
  expect_failure(FailureKind::data_race, 0, "data race", [&] { body(&word.half[0]); });
}

// The futex is the lower half, by which nobody is woken who waits for the other.
TEST(AFutexInAWordThatIsChangedAsAWhole, IsWaitedForByItself) {
  static Word word;
  const auto wait = [](int half) {
    while (__atomic_load_n(&word.half[half], __ATOMIC_SEQ_CST) == 0)
      syscall(SYS_futex, &word.half[half], FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  };
  const auto wake = [](int half) {
    syscall(SYS_futex, &word.half[half], FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  };
  for (const char* const strategy : kStrategies) {
    SCOPED_TRACE(strategy);
    const Options options = with(strategy);
    explored(options, [&] {
      in_parallel([&] { wait(0); }, [&] { wait(1); },
          [&] {
            __atomic_fetch_add(&word.whole, 0x100000001U, __ATOMIC_SEQ_CST);
            wake(0);
            wake(1);
          });
    });
    const FoundFailure failure = failure_of(options, [&] {
      in_parallel([&] { wait(0); },
          [&] {
            __atomic_fetch_add(&word.whole, 0x100000001U, __ATOMIC_SEQ_CST);
            wake(1);
          });
    });
    EXPECT_EQ(to_string(failure.kind), "deadlock") << failure.message;
  }
}

// Each call touches the word, of which both are halves, once.
TEST(AFutexInAWordThatIsChangedAsAWhole, LetsItsWaitersWaitForTheOtherHalf) {
  static Word word;
  const auto call = [](int operation, long moves, unsigned last) {
    return syscall(SYS_futex, &word.half[0], operation, 1, moves, &word.half[1], last);
  };
  for (const char* const strategy : kStrategies) {
    SCOPED_TRACE(strategy);
    explored(with(strategy), [&] {
      const auto wait = [] { syscall(SYS_futex, &word.half[0], FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0); };
      in_parallel(wait, wait, [&] {
        const long reached = call(FUTEX_REQUEUE_PRIVATE, 1, 0);
        __atomic_fetch_add(&word.whole, 0x100000001U, __ATOMIC_SEQ_CST);
        const unsigned adds = static_cast<unsigned>(FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 1));
        const long woken = call(FUTEX_WAKE_OP_PRIVATE, 1, adds);
        hocket::check(woken + reached <= 3);
        syscall(SYS_futex, &word.half[0], FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
      });
    });
  }
}

// What the hardware cannot do at once is an atomic by way of libatomic.
TEST(AnAtomicOfThreeWords, IsOneObjectWithAWordInIt) {
  struct Three {
    std::uint64_t words[3];
  };
  static Three three;
  EXPECT_EQ(classes_under_all([] {
    std::thread writer([] {
      __atomic_store_n(&three.words[2], 1, __ATOMIC_SEQ_CST);
      __atomic_store_n(&three.words[0], 1, __ATOMIC_SEQ_CST);
    });
    Three seen;
    __atomic_load(&three, &seen, __ATOMIC_SEQ_CST);
    Three expected{{1, 0, 1}};
    Three desired{{2, 2, 2}};
    __atomic_compare_exchange(&three, &expected, &desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    writer.join();
  }),
      6U);
}

}  // namespace

}  // namespace unmodified
