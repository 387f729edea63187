// What a person sees of a search through a model.
#include <array>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <hocket/model_gtest.hpp>

#include "check_without_files.hpp"

namespace hocket::model::test {

namespace {

using ::testing::HasSubstr;

/// Two processes that take a lock in two steps: they look whether it is free, and then they take it.
struct Lock {
  enum class At : std::uint8_t { outside, saw_it_free, inside };
  struct State {
    std::array<At, 2> at{};
    bool is_taken = false;
    bool operator==(const State&) const = default;
  };
  bool is_correct = false;

  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, Emit<State> emit) const {
    for (Process p = 0; p < 2; ++p) {
      State next = state;
      switch (state.at[p]) {
        case At::outside:
          if (state.is_taken) break;
          next.at[p] = is_correct ? At::inside : At::saw_it_free;
          next.is_taken = is_correct;
          emit(p, is_correct ? "test and take" : "look", next);
          break;
        case At::saw_it_free:
          next.at[p] = At::inside;
          next.is_taken = true;
          emit(p, "take", next);
          break;
        case At::inside:
          next.at[p] = At::outside;
          next.is_taken = false;
          emit(p, "release", next);
          break;
      }
    }
  }
  [[nodiscard]] static bool holds(const State& state) {
    return state.at[0] != At::inside || state.at[1] != At::inside;
  }
  [[nodiscard]] static std::string print(const State& state) {
    const auto name = [](At at) {
      return at == At::outside ? "outside" : at == At::inside ? "inside" : "looks";
    };
    return std::string("a ") + name(state.at[0]) + ", b " + name(state.at[1]) +
           (state.is_taken ? ", taken" : ", free");
  }
  [[nodiscard]] static std::string process_name(Process process) { return process == 0 ? "a" : "b"; }
};

TEST(AReportOfAModel, ShowsTheShortestPathToAFailure) {
  const std::string text = to_text(check_without_files<Searches::breadth_first>("lock", Lock{}));
  EXPECT_THAT(text, HasSubstr("lock: FAILED: "));
  EXPECT_THAT(text, HasSubstr("\ncheck failed: holds() is false\nFound after 4 steps.\n\nAt first: a "
                              "outside, b outside, free\n"));
  EXPECT_THAT(text, HasSubstr("step  a                  b\n"
                              "   1  look\n"
                              "        a looks\n"
                              "      — preempted —\n"
                              "   2                     look\n"
                              "                           b looks\n"));
  EXPECT_THAT(text, HasSubstr("FAILS: holds() is false\n"));
}

TEST(AReportOfAModel, CountsStatesByPreemptions) {
  const std::string text =
      to_text(check_without_files<Searches::breadth_first>("lock", Lock{true}, {.strategy = "icb"}));
  EXPECT_THAT(text, HasSubstr("lock: passed every state there is: 3 states (2 revisits), 8 transitions"));
  EXPECT_THAT(text, HasSubstr("  preemptions    new states        states\n"
                              "            0             3             3\n"));
}

TEST(AReportOfAModel, SaysWithinWhichDepthABoundWasSearched) {
  const Options options{.strategy = "bcs", .max_preemptions = 1, .max_depth = 2};
  EXPECT_THAT(to_text(check_without_files<Searches::depth_first>("lock", Lock{true}, options)),
      HasSubstr("lock: passed every state within 0 preemptions and depth 2: 3 states"));
}

TEST(AReportOfAModel, SaysWhatALimitLeftOut) {
  const Report report = check_without_files<Searches::breadth_first>("lock", Lock{true}, {.max_states = 1});
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_THAT(
      to_text(report), HasSubstr("lock: stopped by the limit of 1 states before everything was covered"));
}

/// Its successors depend on how often it was asked.
struct Forgetful {
  struct State {
    int value = 0;
    bool operator==(const State&) const = default;
  };
  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, Emit<State> emit) const {
    emit(0, "count", State{state.value + ++count});
  }
  mutable int count = 0;
};

/// The members `value` and `comment` are hashed, and only `value` is compared.
struct WronglyHashed {
  struct State {
    int value = 0;
    int comment = 0;
    bool operator==(const State& other) const { return value == other.value; }
  };
  [[nodiscard]] static State initial() { return {}; }
  static void successors(const State& state, Emit<State> emit) {
    if (state.value >= 2) return;
    emit(0, "one way", {state.value + 1, 1});
    emit(0, "another way", {state.value + 1, 2});
  }
};

TEST(AModelThatContradictsItself, IsRefusedWithWhatIsWrong) {
  const Report forgetful = check_without_files<Searches::breadth_first>("forgetful", Forgetful{});
  EXPECT_EQ(forgetful.verdict, Verdict::nondeterministic);
  EXPECT_THAT(to_text(forgetful),
      HasSubstr("forgetful: NONDETERMINISTIC: successors() was called twice with the same"));
  const Report hashed = check_without_files<Searches::breadth_first>("wrongly hashed", WronglyHashed{});
  EXPECT_EQ(hashed.verdict, Verdict::nondeterministic);
  EXPECT_THAT(hashed.explanation, HasSubstr("two states compare equal and have different hashes"));
}

/// Counts for ever.
struct Endless {
  struct State {
    std::uint64_t value = 0;
    bool operator==(const State&) const = default;
  };
  [[nodiscard]] static State initial() { return {}; }
  static void successors(const State& state, Emit<State> emit) {
    emit(0, "one", {2 * state.value + 1});
    emit(1, "two", {2 * state.value + 2});
  }
};

constexpr Searches kAllButWalks = Searches::breadth_first | Searches::depth_first | Searches::swarm;

TEST(AModelWithTooManyStates, EndsAtTheMemoryLimitWithTheCountSoFar) {
  for (const char* strategy : {"bfs", "dfs", "icb", "bcs", "swarm"}) {
    const Report report = check_without_files<kAllButWalks>(
        "endless", Endless{}, {.strategy = strategy, .memory_limit = 1'000'000});
    EXPECT_EQ(report.verdict, Verdict::stopped) << strategy;
    EXPECT_THAT(report.stopped_by,
        ::testing::MatchesRegex("the memory limit of 1 000 000 bytes, with .* states stored"));
    EXPECT_LT(report.store_bytes, 3'000'000U);
  }
}

TEST(OptionsForModels, ThatNoSearchCanFollowAreRefused) {
  const auto refusal = [](const Options& options) {
    try {
      check_without_files<Searches::breadth_first>("lock", Lock{}, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({.strategy = "magic"}),
      "hocket: there is no strategy \"magic\" for models; there are bfs, dfs, icb, bcs, depth, random, "
      "swarm");
  EXPECT_EQ(refusal({.strategy = "depth"}), "hocket: the strategy depth needs max_depth");
  EXPECT_EQ(refusal({.strategy = "dfs", .jobs = 2}),
      "hocket: jobs is for the strategies bfs, icb and swarm, and the strategy is dfs");
  EXPECT_THAT(refusal({.strategy = "dfs", .max_depth = 5}), HasSubstr("use depth or bfs"));
  EXPECT_THAT(refusal({.strategy = "bcs", .max_depth = 5, .reduce = true}), HasSubstr("miss states"));
  EXPECT_EQ(refusal({.shorten = true}),
      "hocket: shorten is for the strategies dfs and bcs, and the strategy is bfs");
  EXPECT_THAT(refusal({.strategy = "dfs", .store = Store::bitstate, .shorten = true}),
      HasSubstr("bitstate cannot store at which depth"));
  EXPECT_EQ(refusal({.max_transitions = 1}),
      "hocket: max_transitions is for the strategy depth, and the strategy is bfs");
  EXPECT_THAT(refusal({.strategy = "bcs", .store = Store::bitstate}), HasSubstr("at most 1000"));
}

HOCKET_MODEL_TEST(ATestOfAModel, PassesIfTheModelDoes) {
  return Lock{true};
}

HOCKET_MODEL_TEST_WITH(ATestOfAModel, TakesOptions, {.strategy = "icb", .max_preemptions = 1}) {
  return Lock{true};
}

TEST(ATestOfAModel, FailsWithTheReport) {
  static const auto check_it = [](const std::string& test) {
    return check_without_files<Searches::breadth_first>(test, Lock{});
  };
  EXPECT_FATAL_FAILURE(
      hocket::testing::run_model_test("A", "B", check_it, false, runtime::Where::current()), "A.B: FAILED: ");
}

}  // namespace

}  // namespace hocket::model::test
