// What ends a search early, and members of a model that fail when they are called.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/model.hpp>

#include "tests/support/child_process.hpp"
#include "tests/support/folder.hpp"

namespace hocket::model::test {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A model that each test writes for itself.
struct Scripted {
  struct State {
    int value = 0;
    std::vector<char> ballast{};
    bool operator==(const State&) const = default;
  };
  std::function<void(const State&, Emit<State>)> steps;
  std::function<bool(const State&)> invariant = [](const State& /*state*/) { return true; };
  std::function<bool(const State&)> ends = [](const State& /*state*/) { return true; };
  std::function<std::string(Process)> names = [](Process n) { return "process " + std::to_string(n); };

  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, Emit<State> emit) const { steps(state, emit); }
  [[nodiscard]] bool holds(const State& state) const { return invariant(state); }
  [[nodiscard]] bool may_end(const State& state) const { return ends(state); }
  [[nodiscard]] static std::string print(const State& state) { return std::to_string(state.value); }
  [[nodiscard]] std::string process_name(Process process) const { return names(process); }
};

using Number = Scripted::State;

Report run(const Scripted& model, Options options) {
  options.try_saved = options.save_schedules = false;
  return check("scripted", model, options);
}

std::vector<Options> all_searches() {
  return {{.strategy = "bfs"}, {.strategy = "bfs", .jobs = 2}, {.strategy = "dfs"}, {.strategy = "icb"},
      {.strategy = "bcs"}, {.strategy = "depth", .max_depth = 1'000'000}, {.strategy = "swarm"},
      {.strategy = "random", .max_depth = 1'000'000, .max_walks = 20}};
}

Scripted counting(int end) {
  return {[end](const Number& state, Emit<Number> emit) {
    if (state.value < end) emit(0, "count", {state.value + 1});
  }};
}

// ---------------------------------------------------------------------------------------------------------------------
// Limits

TEST(TheMemoryLimit, IncludesWhatStatesOwn) {
  constexpr std::size_t kBallast = 100'000;
  constexpr std::size_t kLimit = 10'000'000;
  const Scripted model{[](const Number& state, Emit<Number> emit) {
    if (state.value < 5'000) emit(0, "grow", {state.value + 1, std::vector<char>(kBallast, 1)});
  }};
  for (const char* strategy : {"bfs", "dfs", "icb", "depth", "swarm"}) {
    const Report report = run(model, {.strategy = strategy,
                                         .max_depth = strategy == std::string("depth") ? 10'000U : 0U,
                                         .memory_limit = kLimit});
    EXPECT_EQ(report.verdict, Verdict::stopped) << strategy;
    EXPECT_THAT(report.stopped_by, HasSubstr("the memory limit of 10 000 000 bytes")) << strategy;
    EXPECT_LT(report.states, 5 * kLimit / kBallast) << strategy;
  }
}

TEST(TheTimeLimit, IsKeptByASlowModel) {
  const Scripted model{[](const Number& state, Emit<Number> emit) {
    std::this_thread::sleep_for(10ms);
    emit(0, "count", {state.value + 1});
  }};
  for (Options options : all_searches()) {
    options.time_limit = 50ms;
    const Report report = run(model, options);
    EXPECT_NE(report.verdict, Verdict::passed_exhaustively) << options.strategy;
    EXPECT_LT(report.visits, 40U) << options.strategy;
  }
}

TEST(ASignal, EndsTheSearchOfAModelThatBecomesSlow) {
  const Scripted model{[](const Number& state, Emit<Number> emit) {
    constexpr int kQuick = 5'000;
    if (state.value == kQuick) std::raise(SIGINT);
    if (state.value > kQuick) std::this_thread::sleep_for(10ms);
    emit(0, "count", {state.value + 1});
  }};
  for (const Options& options : all_searches()) {
    // After a signal a process begins no search any more.
    const hocket::test::ChildEnd end = hocket::test::in_child([&] {
      const Report report = run(model, options);
      constexpr std::uint64_t kSoon = 5'050;
      std::fputs((report.stopped_by + (report.visits < kSoon ? ", soon" : ", late")).c_str(), stdout);
      std::fflush(stdout);
    });
    EXPECT_EQ(end.output, "Ctrl-C, soon") << options.strategy;
  }
}

TEST(AStateWithManySteps, IsSearched) {
  constexpr int kSteps = 70'000;
  const Scripted model{[](const Number& state, Emit<Number> emit) {
                         if (state.value != 0) return;
                         for (int n = 1; n <= kSteps; ++n) emit(0, "go", {n});
                       },
      [](const Number& state) { return state.value != kSteps - 1; }};
  for (const char* strategy : {"bfs", "dfs", "icb"}) {
    const Report report = run(model, {.strategy = strategy, .keep_going = true});
    EXPECT_EQ(report.states, kSteps + 1) << strategy;
    ASSERT_EQ(report.violations.size(), 1) << strategy;
    ASSERT_EQ(report.violations.front().path.size(), 1) << strategy;
    EXPECT_EQ(report.violations.front().path.front().choice, kSteps - 2) << strategy;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers of processes

Scripted with_processes(Process first) {
  return {[first](const Number& state, Emit<Number> emit) {
            for (Process n = 0; n < 2; ++n) {
              const int bit = 1 << n;
              if ((state.value & bit) == 0) emit(first + n, "rise", {state.value | bit});
            }
          },
      [](const Number& state) { return state.value != 3; }};
}

TEST(ProcessesWithGreatNumbers, AreRefusedWherePreemptionsAreCounted) {
  for (const char* strategy : {"icb", "bcs"}) {
    EXPECT_EQ(run(with_processes(62), {.strategy = strategy}).verdict, Verdict::failed);
    try {
      run(with_processes(63), {.strategy = strategy});
      ADD_FAILURE() << strategy << " was not refused";
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("this model has a process 64"));
    }
  }
}

TEST(ProcessesWithGreatNumbers, AreSearchedAndShownWhereTheyAreNot) {
  const Report report = run(with_processes(4'000'000'000), {});
  ASSERT_EQ(report.violations.size(), 1);
  EXPECT_THAT(to_text(report), HasSubstr("process 4000000000  process 4000000001"));
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls that fail

void expect_failure_at_five(const Scripted& model, const std::string& message) {
  for (const Options& options : all_searches()) {
    const Report report = run(model, options);
    EXPECT_EQ(report.verdict, Verdict::failed) << options.strategy;
    ASSERT_EQ(report.violations.size(), 1) << options.strategy;
    const Violation& violation = report.violations.front();
    EXPECT_EQ(violation.kind, ViolationKind::exception) << options.strategy;
    EXPECT_THAT(violation.message, HasSubstr(message)) << options.strategy;
    ASSERT_EQ(violation.path.size(), 5) << options.strategy;
    EXPECT_EQ(violation.path.back().state, "5") << options.strategy;
    EXPECT_THAT(to_text(report), HasSubstr(message));
  }
}

TEST(ACallOfTheModelThatThrows, IsAFailureWithItsPath) {
  Scripted model = counting(10);
  const auto throw_at_five = [](const Number& state) {
    if (state.value == 5) std::vector<int>().at(5);
  };
  const auto steps = model.steps;
  model.steps = [&](const Number& state, Emit<Number> emit) {
    steps(state, emit);
    throw_at_five(state);
  };
  expect_failure_at_five(model, "successors() has failed: std::out_of_range: ");
  model = counting(10);
  model.invariant = [&](const Number& state) {
    throw_at_five(state);
    return true;
  };
  expect_failure_at_five(model, "holds() has failed: std::out_of_range: ");
  model = counting(5);
  model.ends = [&](const Number& state) {
    throw_at_five(state);
    return true;
  };
  expect_failure_at_five(model, "may_end() has failed: std::out_of_range: ");
  model.ends = [](const Number& /*state*/) -> bool { throw 5; };
  expect_failure_at_five(model, "may_end() has failed: int");
}

TEST(ACallOfTheModelThatAborts, IsAFailureWithItsPath) {
  Scripted model = counting(10);
  model.invariant = [](const Number& state) {
    if (state.value == 5) std::abort();
    return true;
  };
  expect_failure_at_five(model, "holds() has failed: abort() was called");
}

TEST(ACallOfTheModelThatCrashes, IsAFailureWithItsPath) {
  Scripted model = counting(10);
  model.invariant = [](const Number& state) {
    if (state.value == 5) std::raise(SIGSEGV);
    return true;
  };
  expect_failure_at_five(model, "holds() has failed: it got SIGSEGV");
  model = counting(10);
  model.steps = [steps = counting(10).steps](const Number& state, Emit<Number> emit) {
    auto* const nowhere = reinterpret_cast<volatile int*>(std::uintptr_t{8});
    if (state.value == 5) *nowhere = 1;
    steps(state, emit);
  };
  expect_failure_at_five(model, "successors() has failed: it got SIGSEGV");
}

TEST(ACallOfTheModelThatEndsTheProcess, IsAFailureWithItsPath) {
  using End = void (*)(int);
  for (const End end : {End{&std::exit}, End{&std::_Exit}, End{&std::quick_exit}, End{&_exit}}) {
    for (const unsigned jobs : {1U, 2U}) {
      Scripted model = counting(10);
      model.steps = [end, steps = model.steps](const Number& state, Emit<Number> emit) {
        if (state.value == 5) end(0);
        steps(state, emit);
      };
      const Report report = run(model, {.jobs = jobs});
      ASSERT_EQ(report.violations.size(), 1);
      EXPECT_EQ(report.violations.front().message,
          "successors() has failed: it has called exit(), quick_exit() or _exit()");
      EXPECT_EQ(report.violations.front().path.size(), 5);
    }
  }
}

TEST(ACallOfTheModelThatEndsTheProcess, DestroysNothingThatTheSearchUses) {
  static int destroyed = 0;
  struct Used {
    ~Used() { ++destroyed; }
  };
  Scripted model = counting(10);
  model.steps = [steps = model.steps](const Number& state, Emit<Number> emit) {
    static const Used of_all;
    thread_local const Used of_thread;
    if (state.value == 5) std::exit(0);
    steps(state, emit);
  };
  expect_failure_at_five(model, "successors() has failed: it has called exit(), quick_exit() or _exit()");
  EXPECT_EQ(destroyed, 0);
}

#if !defined(__SANITIZE_ADDRESS__)  // which has its own idea of stacks that overflow
int depth_below(int depth);
int (*volatile go_deeper)(int) = &depth_below;
int depth_below(int depth) {
  std::array<volatile char, 4096> local{};
  local[0] = static_cast<char>(depth);
  return go_deeper(depth + 1) + local[0];
}

TEST(ACallOfTheModelThatRecursesForEver, IsAFailureWithItsPath) {
  Scripted model = counting(10);
  model.invariant = [](const Number& state) { return state.value != 5 || depth_below(0) != 0; };
  expect_failure_at_five(model, "holds() has failed: it got SIGSEGV");
}
#endif

void* volatile allocated = nullptr;

TEST(ACallOfTheModelThatDoesNotReturn, IsAFailureWithItsPath) {
  const auto expect_failure_of = [](void (*call)()) {
    Scripted model = counting(10);
    model.invariant = [call](const Number& state) {
      if (state.value == 5) call();
      return true;
    };
    const Report report = run(model, {.jobs = 2, .watchdog = std::chrono::milliseconds(100)});
    ASSERT_EQ(report.violations.size(), 1);
    EXPECT_EQ(report.violations.front().message,
        "holds() has failed: it has run for 100 ms without returning (see Options::watchdog)");
    EXPECT_EQ(report.violations.front().path.size(), 5);
  };
  expect_failure_of([] {
    for (volatile bool goes_on = true; goes_on;) {
    }
  });
  expect_failure_of([] {
    for (;;) pause();
  });
  // The lock of the heap is free afterwards.
  expect_failure_of([] {
    for (;;) {
      allocated = std::malloc(1 << 20);
      std::free(allocated);
    }
  });
}

TEST(ACallOfTheModelThatFails, DoesNotEndASearchThatKeepsGoing) {
  // Two counters; no step is possible where both are 2, which is found out by an exception, or the first one
  // is 4.
  Scripted model{[](const Number& state, Emit<Number> emit) {
    const int a = state.value / 10;
    const int b = state.value % 10;
    if (a < 4) emit(0, "a", {state.value + 10});
    if (b < 4) emit(1, "b", {state.value + 1});
    if (a == 2 && b == 2) throw std::runtime_error("two");
    if (a == 4 && b == 0) std::abort();
  }};
  for (const char* strategy : {"bfs", "dfs", "icb", "bcs"}) {
    const Report report = run(model, {.strategy = strategy, .keep_going = true});
    EXPECT_EQ(report.states, 25U) << strategy;
    EXPECT_GE(report.violations.size(), 2U) << strategy;
    for (const Violation& violation : report.violations) EXPECT_EQ(violation.path.size(), 4) << strategy;
  }
}

TEST(ACallOfTheModelThatFails, FailsAgainInAReplay) {
  const hocket::test::Folder folder;
  Options options{.schedule_dir = folder.path().string()};
  Scripted model = counting(10);
  model.steps = [steps = model.steps](const Number& state, Emit<Number> emit) {
    if (state.value == 3) throw std::runtime_error("three");
    steps(state, emit);
  };
  const Report report = check("scripted", model, options);
  ASSERT_EQ(report.violations.size(), 1);
  options.replay = report.violations.front().schedule_file;
  const Report again = check("scripted", model, options);
  EXPECT_EQ(again.verdict, Verdict::failed);
  ASSERT_EQ(again.violations.size(), 1);
  EXPECT_EQ(again.violations.front().message, "successors() has failed: std::runtime_error: three");
  EXPECT_EQ(check("scripted", counting(10), options).verdict, Verdict::passed_sample);
}

// ---------------------------------------------------------------------------------------------------------------------
// Saved paths

void expect_replay_fails(const Scripted& model) {
  const hocket::test::Folder folder;
  Options options{.schedule_dir = folder.path().string()};
  const Report report = check("scripted", model, options);
  ASSERT_EQ(report.violations.size(), 1);
  options.replay = report.violations.front().schedule_file;
  const Report again = check("scripted", model, options);
  EXPECT_EQ(again.verdict, Verdict::failed) << to_text(again);
}

TEST(ASavedPath, IsFollowedEvenIfThreeStatesLookAlike) {
  const Scripted model{[](const Number& state, Emit<Number> emit) {
                         if (state.value < 3) {
                           for (const char ballast : {'a', 'b', 'c'})
                             emit(0, "go", {state.value + 1, std::vector<char>(1, ballast)});
                         }
                       },
      [](const Number& state) { return state.value < 3 || state.ballast.front() != 'b'; }};
  expect_replay_fails(model);
}

TEST(ASavedPath, IsFollowedEvenIfProcessesHaveOneName) {
  Scripted model = with_processes(0);
  model.names = [](Process /*process*/) { return std::string("worker"); };
  expect_replay_fails(model);
}

}  // namespace

}  // namespace hocket::model::test
