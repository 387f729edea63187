// The loop that all searches have in common.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using runtime::ExecutionOptions;
using runtime::ExecutionResult;
using ::testing::ElementsAre;

using Calls = std::vector<std::string>;

/// Says when it is called, and what it hears of executions.
class Hearer final : public runtime::Observer {
 public:
  Hearer(Calls& calls, std::string name) : calls_(calls), name_(std::move(name)) {}

  void begin(const runtime::Thread&) override { hear("begin"); }
  void created(const runtime::Thread&) override { hear("created"); }
  void started(const runtime::Thread&) override { hear("started"); }
  void joined(const runtime::Thread&, const runtime::Thread&) override { hear("joined"); }
  void stopped(const runtime::Thread&, bool) override { hear("stopped"); }
  void chose_thread(const runtime::Thread&, runtime::Mode) override { hear("chose_thread"); }
  void met_values(const runtime::Thread&, runtime::Operation, std::uint32_t, std::uint16_t) override {
    hear("met_values");
  }
  void chose_value(const runtime::Thread&, std::uint32_t) override { hear("chose_value"); }
  void acted(const runtime::Object&, runtime::Access) override { hear("acted"); }
  void over(bool) override { hear("over"); }
  void woke(const runtime::Thread&) override { hear("woke"); }

 private:
  void hear(const char* event) { calls_.push_back(name_ + event); }

  Calls& calls_;
  std::string name_;
};

/// Runs the same schedule, the default, so many times.
class SameSchedule final : public Strategy {
 public:
  SameSchedule(unsigned times, Calls& calls) : times_(times), calls_(calls) { consult_at = kNever; }

  bool next() override {
    calls_.emplace_back("next");
    return times_-- != 0;
  }
  runtime::Code choose(const runtime::ChoicePoint& point) override { return point.entry.code; }
  bool finished(const ExecutionResult&) override {
    calls_.emplace_back("finished");
    return is_as_before;
  }
  runtime::Observer* observer() override { return heard_by; }
  [[nodiscard]] bool leaves_out_unfair() const override { return wants_unfair_left_out; }

  bool is_as_before = true;
  bool wants_unfair_left_out = false;
  runtime::Observer* heard_by = nullptr;

 private:
  unsigned times_;
  Calls& calls_;
};

/// Notes which hooks are called and answers no in the one named.
class NotingVisitor final : public ExecutionVisitor {
 public:
  explicit NotingVisitor(Calls& calls, std::string no = {}) : calls_(calls), no_(std::move(no)) {}

  bool prepared() { return note("prepared"); }
  bool ran(const ExecutionResult&) { return note("ran"); }
  bool learned(const ExecutionResult&) { return note("learned"); }
  void diverged(const ExecutionResult&) { note("diverged"); }

 private:
  bool note(const char* hook) {
    calls_.emplace_back(hook);
    return no_ != hook;
  }

  Calls& calls_;
  std::string no_;
};

std::unique_ptr<Strategy> strategy_named(const char* name) {
  return make_strategy(with(name));
}

void two_writers() {
  atomic<int> x{0};
  in_parallel([&] { x.store(1); }, [&] { x.store(2); });
}

class RunExecutions : public ::testing::Test {
 protected:
  RunExecutions() { runtime::execution.forget_search(); }
  ~RunExecutions() override { runtime::execution.forget_search(); }

  /// A body that leaves a trace.
  std::function<void()> body() {
    return [this] { calls_.emplace_back("body"); };
  }

  Calls calls_;
};

TEST_F(RunExecutions, RunsWhatTheStrategyHasAndSaysThatNothingIsLeft) {
  SameSchedule strategy(2, calls_);
  EXPECT_EQ(run_executions(strategy, body(), {}, NotingVisitor(calls_)), ExecutionsEnd::exhausted);
  EXPECT_THAT(calls_, ElementsAre("next", "prepared", "body", "ran", "finished", "learned",  //
                          "next", "prepared", "body", "ran", "finished", "learned", "next"));
}

TEST_F(RunExecutions, NeedsNoVisitor) {
  unsigned executions = 0;
  const auto counted = [&] {
    ++executions;
    two_writers();
  };
  EXPECT_EQ(run_executions(*strategy_named("dfs"), counted, {}), ExecutionsEnd::exhausted);
  EXPECT_EQ(executions, 2U);
}

TEST_F(RunExecutions, StopsBeforeAnExecutionThatTheVisitorDoesNotWant) {
  SameSchedule strategy(2, calls_);
  EXPECT_EQ(run_executions(strategy, body(), {}, NotingVisitor(calls_, "prepared")), ExecutionsEnd::stopped);
  EXPECT_THAT(calls_, ElementsAre("next", "prepared"));
}

TEST_F(RunExecutions, DoesNotTellTheStrategyOfAnExecutionAfterWhichTheVisitorStops) {
  SameSchedule strategy(2, calls_);
  EXPECT_EQ(run_executions(strategy, body(), {}, NotingVisitor(calls_, "ran")), ExecutionsEnd::stopped);
  EXPECT_THAT(calls_, ElementsAre("next", "prepared", "body", "ran"));
}

TEST_F(RunExecutions, StopsAfterTheStrategyHasLearnedWhereTheVisitorSaysSo) {
  SameSchedule strategy(2, calls_);
  EXPECT_EQ(run_executions(strategy, body(), {}, NotingVisitor(calls_, "learned")), ExecutionsEnd::stopped);
  EXPECT_THAT(calls_, ElementsAre("next", "prepared", "body", "ran", "finished", "learned"));
}

TEST_F(RunExecutions, EndsWhereTheStrategySaysThatTheBodyDidNotBehaveAsBefore) {
  SameSchedule strategy(2, calls_);
  strategy.is_as_before = false;
  EXPECT_EQ(run_executions(strategy, body(), {}, NotingVisitor(calls_)), ExecutionsEnd::diverged);
  EXPECT_THAT(calls_, ElementsAre("next", "prepared", "body", "ran", "finished", "diverged"));
}

TEST_F(RunExecutions, FindsABodyThatIsNotDeterministic) {
  for (const char* name : {"icb", "dfs", "hb-cache", "icb-por", "dpor", "dfs-sleep"}) {
    unsigned executions = 0;
    const auto forgetful = [&] {
      atomic<int> x{0};
      if (++executions == 1) in_parallel([&] { x.store(1), x.store(2); }, [&] { x.store(3), x.store(4); });
    };
    EXPECT_EQ(run_executions(*strategy_named(name), forgetful, {}), ExecutionsEnd::diverged) << name;
  }
}

TEST_F(RunExecutions, KeepsTheLogUntilTheVisitorRunsAnotherExecution) {
  struct Repeating : ExecutionVisitor {
    unsigned executions = 0;
    std::vector<runtime::Code> codes;

    static std::vector<runtime::Code> codes_of(const runtime::ChoiceLog& log) {
      std::vector<runtime::Code> codes;
      for (std::uint32_t n = 0; n < log.size; ++n) codes.push_back(log.entries[n].code);
      return codes;
    }
    bool ran(const ExecutionResult& result) {
      ++executions;
      codes = codes_of(result.log);
      EXPECT_FALSE(codes.empty());
      return true;
    }
    bool learned(const ExecutionResult& result) {
      EXPECT_EQ(codes_of(result.log), codes);
      Calls unused;
      SameSchedule other(1, unused);
      runtime::execution.run_body(two_writers, other, {});
      return true;
    }
  } visitor;
  const auto body = [] {
    atomic<int> x{0};
    in_parallel([&] { x.store(1), x.store(2); }, [&] { x.store(3), x.store(4); });
  };
  EXPECT_EQ(run_executions(*strategy_named("icb"), body, {}, visitor), ExecutionsEnd::exhausted);
  EXPECT_EQ(visitor.executions, 6U);
}

TEST_F(RunExecutions, LetsTheStrategyHearOfEvents) {
  SameSchedule strategy(1, calls_);
  Hearer hearer(calls_, "strategy hears ");
  strategy.heard_by = &hearer;
  EXPECT_EQ(run_executions(strategy, body(), {}), ExecutionsEnd::exhausted);
  EXPECT_THAT(
      calls_, ElementsAre("next", "strategy hears begin", "body", "strategy hears over", "finished", "next"));
}

TEST_F(RunExecutions, LetsBothHearOfEveryEventTheCallerFirst) {
  Calls heard;
  SameSchedule strategy(1, calls_);
  Hearer of_strategy(heard, "");
  strategy.heard_by = &of_strategy;
  Hearer of_caller(heard, "");
  ExecutionOptions options;
  options.observer = &of_caller;
  options.spurious_wakeups = true;
  const auto body = [] {
    atomic<int> x{0};
    in_parallel([&] { x.wait(0); },
        [&] {
          choose(2);
          x.store(1);
          x.notify_one();
        });
  };
  ASSERT_EQ(run_executions(strategy, body, options), ExecutionsEnd::exhausted);
  ASSERT_EQ(heard.size() % 2, 0U);
  for (std::size_t n = 0; n < heard.size(); n += 2) EXPECT_EQ(heard[n], heard[n + 1]) << n;
  for (const char* event : {"begin", "created", "started", "joined", "stopped", "chose_thread", "met_values",
           "chose_value", "acted", "over", "woke"}) {
    EXPECT_THAT(heard, ::testing::Contains(event));
  }
}

TEST_F(RunExecutions, LetsTheCallerHearOfEventsWhereTheStrategyDoesNotListen) {
  SameSchedule strategy(1, calls_);
  Hearer of_caller(calls_, "caller hears ");
  ExecutionOptions options;
  options.observer = &of_caller;
  EXPECT_EQ(run_executions(strategy, body(), options), ExecutionsEnd::exhausted);
  EXPECT_THAT(
      calls_, ElementsAre("next", "caller hears begin", "body", "caller hears over", "finished", "next"));
}

TEST_F(RunExecutions, HandsTheStrategyAndWhatItAsksForToTheRunner) {
  for (const bool wants_unfair_left_out : {false, true}) {
    SameSchedule strategy(1, calls_);
    strategy.wants_unfair_left_out = wants_unfair_left_out;
    ExecutionOptions options;
    options.max_steps = 77;
    options.fair = true;
    unsigned runs = 0;
    const auto run = [&](runtime::Chooser& chooser, const ExecutionOptions& asked) {
      ++runs;
      EXPECT_EQ(&chooser, &strategy);
      EXPECT_EQ(asked.max_steps, 77U);
      EXPECT_TRUE(asked.fair);
      EXPECT_EQ(asked.leaves_out_unfair, wants_unfair_left_out);
      return ExecutionResult{};
    };
    EXPECT_EQ(run_executions(strategy, run, options), ExecutionsEnd::exhausted);
    EXPECT_EQ(runs, 1U);
  }
}

TEST_F(RunExecutions, PassesOnWhatTheVisitorThrows) {
  struct Throwing : ExecutionVisitor {
    static bool ran(const ExecutionResult&) { throw std::runtime_error("enough"); }
  };
  SameSchedule strategy(2, calls_);
  EXPECT_THROW(static_cast<void>(run_executions(strategy, body(), {}, Throwing{})), std::runtime_error);
  EXPECT_THAT(calls_, ElementsAre("next", "body"));
}

}  // namespace

}  // namespace hocket::test
