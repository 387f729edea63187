// Executions that are cut short because what follows is known: their threads run to their ends.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>

#include "scheduler/strategies/executions.hpp"

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using runtime::Detector;
using runtime::ExecutionOptions;
using runtime::ExecutionResult;
using runtime::Outcome;

/// Takes the defaults, and cuts the execution short at the given position or after it.
class CutsAt final : public runtime::Chooser {
 public:
  explicit CutsAt(std::uint32_t position) { consult_at = position; }
  runtime::Code choose(const runtime::ChoicePoint& /*point*/) override {
    ++times_asked;
    return runtime::kPruned;
  }
  unsigned times_asked = 0;
};

class AnExecutionThatIsCutShort : public ::testing::Test {
 protected:
  AnExecutionThatIsCutShort() { runtime::execution.forget_search(); }
  ~AnExecutionThatIsCutShort() override { runtime::execution.forget_search(); }

  /// Runs `body` to position 1, where it has to have a choice, and cuts it short there.
  static ExecutionResult cut(const std::function<void()>& body, const ExecutionOptions& options = {}) {
    CutsAt chooser(1);
    const ExecutionResult result = runtime::execution.run_body(body, chooser, options);
    EXPECT_EQ(chooser.times_asked, 1U);
    EXPECT_EQ(result.outcome, Outcome::pruned);
    EXPECT_EQ(result.log.size, 1U);
    EXPECT_FALSE(result.abandoned);
    EXPECT_FALSE(runtime::execution.verdict.passes_over_failures());
    return result;
  }

  /// Two threads that write, so that there is a choice at position 1.
  static void two_writers(atomic<int>& x) {
    in_parallel([&] { x.store(1), x.store(2); }, [&] { x.store(3), x.store(4); });
  }
};

TEST_F(AnExecutionThatIsCutShort, RunsToItsEnd) {
  bool has_ended = false;
  cut([&] {
    atomic<int> x{0};
    two_writers(x);
    has_ended = x.load() == 4;
  });
  EXPECT_TRUE(has_ended);
}

TEST_F(AnExecutionThatIsCutShort, HasTheHashOfWhatCameBefore) {
  const auto body = [] {
    atomic<int> x{0};
    two_writers(x);
  };
  const auto longer = [&] {
    atomic<int> x{0};
    two_writers(x);
    for (int i = 0; i < 3; ++i) x.fetch_add(1);
  };
  EXPECT_EQ(cut(body).hash, cut(longer).hash);
}

TEST_F(AnExecutionThatIsCutShort, DoesNotFailAfterwards) {
  std::unique_ptr<atomic<int>> left;
  const std::function<void()> failures[] = {
      [] { check(false, "too late"); },
      [] { throw std::runtime_error("too late"); },
      [] { assume(false); },
      [] {
        mutex m;
        m.unlock();
      },
      [&] { left = std::make_unique<atomic<int>>(0); },
      [] {
        mutex m;
        m.lock();
        thread([&] { m.lock(); }).join();
      },
      [] { const thread open([] {}); },
  };
  for (const auto& failure : failures) {
    ExecutionOptions options;
    options.detect = Detectors().with(Detector::leaked_objects);
    cut(
        [&] {
          atomic<int> x{0};
          two_writers(x);
          failure();
        },
        options);
    EXPECT_FALSE(runtime::execution.verdict.has_failed());
  }
}

TEST_F(AnExecutionThatIsCutShort, EndsAtAChoiceOfValues) {
  std::uint32_t value = 7;
  const auto body = [&] {
    atomic<int> x{0};
    x.store(1);
    value = choose(3);
    x.store(2);
  };
  cut(body);
  EXPECT_EQ(value, 0U);
}

// Otherwise a search would spend its time where it learns nothing.
TEST_F(AnExecutionThatIsCutShort, IsEndedAfterManySteps) {
  unsigned rounds = 0;
  cut([&] {
    atomic<int> x{0};
    two_writers(x);
    while (x.load() != 5) ++rounds;
  });
  EXPECT_GT(rounds, 100U);
  EXPECT_LT(rounds, 10'000U);
}

TEST_F(AnExecutionThatIsCutShort, IsEndedWhereThreadsWaitForEachOtherByYielding) {
  cut([&] {
    atomic<int> x{0};
    two_writers(x);
    in_parallel(
        [&] {
          while (x.load() != 5) yield();
        },
        [&] {
          while (x.load() != 6) yield();
        });
  });
}

TEST_F(AnExecutionThatIsCutShort, LeavesNothingToTheNextOne) {
  cut([] {
    atomic<int> x{0};
    two_writers(x);
    check(false, "too late");
  });
  for (const char* strategy : {"hb-cache", "dfs-sleep", "cb-por-basic"}) {
    unsigned ends = 0;
    const Report report = report_of(with(strategy), [&] {
      atomic<int> x{0};
      atomic<int> y{0};
      atomic<int> z{0};
      in_parallel([&] { x.store(1), x.store(2), z.store(1); }, [&] { y.store(1), y.store(2), z.store(2); });
      ++ends;
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
    EXPECT_EQ(report.classes, 2U) << strategy;
    EXPECT_GT(report.pruned, 0U) << strategy;
    EXPECT_GE(ends, report.executions + report.pruned) << strategy;  // some are repeated
    EXPECT_EQ(report.abandoned, 0U);
  }
}

}  // namespace

}  // namespace hocket::test
