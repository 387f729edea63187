// How far a bound has got and how large it will be, against what it turns out to be.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/strategies/executions.hpp"
#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/one_search.hpp"
#include "tests/oracle/real_body.hpp"
#include "tests/support/effort.hpp"

namespace hocket::oracle {

namespace {

/// Takes the estimate of each bound after every execution.
class EstimatingVisitor final : public ExecutionVisitor {
 public:
  explicit EstimatingVisitor(const Strategy& strategy) : strategy_(strategy) {}

  bool prepared() {
    bound_ = strategy_.bound();
    return executions_++ < kMost;
  }
  bool learned(const runtime::ExecutionResult& /*result*/) {
    estimates_[bound_].push_back(strategy_.estimate().value());
    return true;
  }
  [[nodiscard]] bool was_stopped() const { return executions_ > kMost; }
  [[nodiscard]] const std::map<unsigned, std::vector<BoundEstimate>>& estimates() const { return estimates_; }

 private:
  static constexpr std::uint64_t kMost = 40'000;

  const Strategy& strategy_;
  unsigned bound_ = 0;
  std::uint64_t executions_ = 0;
  std::map<unsigned, std::vector<BoundEstimate>> estimates_;
};

/// How often the truth was within what had been estimated.
struct Record {
  std::uint64_t estimates = 0;
  std::uint64_t right = 0;

  void add(const BoundEstimate& estimate, std::uint64_t truth) {
    ++estimates;
    right += estimate.least <= truth && truth <= estimate.most ? 1 : 0;
  }
  [[nodiscard]] double part() const { return static_cast<double>(right) / static_cast<double>(estimates); }
};

/// Calls visit(estimates) for each large bound of random programs, in which every execution was run.
template <class Visit>
void for_each_large_bound(const char* strategy_name, Visit visit) {
  constexpr std::size_t kLarge = 100;
  Fuzzing fuzzing;
  fuzzing.seed = 4'000;
  fuzzing.run(test::kRunsAllTests ? 800 : 200, [&](const Program& program, const Answer& /*answer*/) {
    const OneSearch one_search;
    BodyOf<HocketLibrary> body(program);
    Options options;
    options.strategy = strategy_name;
    options.max_preemptions = 3;
    const std::unique_ptr<Strategy> strategy = make_strategy(options);
    EstimatingVisitor visitor(*strategy);
    const ExecutionsEnd end = run_executions(
        *strategy, [&] { body.run(); }, execution_options(program), visitor);
    if (end != ExecutionsEnd::exhausted) return std::optional<std::string>();
    for (const auto& [bound, estimates] : visitor.estimates()) {
      if (estimates.size() >= kLarge) visit(estimates);
    }
    return std::optional<std::string>();
  });
}

void expect_consistent(const std::vector<BoundEstimate>& estimates) {
  double share = 0;
  for (std::size_t n = 0; n < estimates.size(); ++n) {
    ASSERT_EQ(estimates[n].runs, n + 1);
    ASSERT_GE(estimates[n].least, n + 1);
    ASSERT_LE(estimates[n].least, estimates[n].most);
    ASSERT_GE(estimates[n].share, share);
    share = estimates[n].share;
  }
  EXPECT_NEAR(share, 1, 1e-6);
  EXPECT_EQ(estimates.back().least, estimates.size());
  EXPECT_EQ(estimates.back().most, estimates.size());
}

TEST(TheEstimateOfABound, MostlyContainsTheTruthAndEndsWithIt) {
  constexpr std::array<std::size_t, 4> kPercent{5, 10, 25, 50};
  for (const char* strategy : {"icb", "hb-cache"}) {
    SCOPED_TRACE(strategy);
    std::array<Record, kPercent.size()> after;
    for_each_large_bound(strategy, [&](const std::vector<BoundEstimate>& estimates) {
      expect_consistent(estimates);
      for (std::size_t n = 0; n < kPercent.size(); ++n)
        after[n].add(estimates[estimates.size() * kPercent[n] / 100], estimates.size());
    });
    for (std::size_t n = 0; n < kPercent.size(); ++n) {
      std::cout << strategy << ", " << kPercent[n] << " % done: " << after[n].right << " of "
                << after[n].estimates << "\n";
      EXPECT_GT(after[n].estimates, 10U);
      EXPECT_GE(after[n].part(), 0.85) << kPercent[n] << " % done";
    }
  }
}

}  // namespace

}  // namespace hocket::oracle
