// What each strategy claims about the executions that it runs, and the check of these claims against the
// brute force for one program.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/api/options.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/oracle/brute_force.hpp"

namespace hocket::oracle {

/// Every strategy claims that it runs only executions of the program; the other claims differ by strategy.
struct Claim {
  std::string name;
  Options options;
  /// Makes the strategy; empty: make_strategy() does.
  std::function<std::unique_ptr<Strategy>(const Options& options)> make{};
  bool finds_every_class = false;
  /// It may report that it did not find every class of a program with guards against preemption.
  bool may_fail_at_guards = false;
  /// The same of a program that chooses values and joins threads, too.
  bool may_fail_at_guards_after_joins = false;
  /// It stops at Options::max_preemptions and runs all executions of a bound before those of the next. The
  /// bound that it reports when it first meets a class is the bound of the class.
  bool by_bounds = false;
  bool runs_every_execution_once = false;
  bool runs_every_class_once = false;
  unsigned shards = 0;  ///< 0: the search is not split
};

/// One row for each strategy and each of its settings that matter.
const std::vector<Claim>& claims();
/// What the strategies that can search with seals claim about such searches.
std::vector<Claim> sealed_claims();
/// The rows of one strategy, or the row of that name.
std::vector<Claim> claims_of(std::string_view strategy_or_name);

/// How far a claim is checked for one program.
struct Effort {
  std::uint64_t most_executions = 2000;  ///< a strategy stops at the last bound with fewer, or is not run
  std::uint64_t samples = 20;            ///< executions of strategies that claim only to run some
};

/// Checks claims for one program after another, and counts what it has checked.
class Checker {
 public:
  explicit Checker(std::vector<Claim> claims, Effort effort = {})
      : claims_(std::move(claims)), effort_(effort), done_(claims_.size()) {}

  /// Runs the strategies on the program. Returns a description of what contradicts a claim or one of the
  /// following rules, or nothing if all is well.
  ///  - Every execution takes the steps that the abstract machine takes, at the same prices (retrace.hpp).
  ///  - Two executions have the same class hash if and only if they belong to the same class.
  ///  - Classes and deadlocks, by bound, are those of `answer`.
  ///  - What an execution shows that runs on after it was cut short is met within its bound.
  std::optional<std::string> contradiction(const Program& program, const Answer& answer);

  /// Does the same with the main thread's threads started in other orders: the answer must stay the same.
  /// Programs that may be cut short are left out, because a thread can cut the execution short before another
  /// one is even started.
  std::optional<std::string> contradiction_in_other_orders(const Program& program, const Answer& answer);

  [[nodiscard]] std::string to_text() const;

 private:
  struct Done {
    std::uint64_t programs = 0;
    std::uint64_t executions = 0;
  };

  std::vector<Claim> claims_;
  Effort effort_;
  std::vector<Done> done_;
};

}  // namespace hocket::oracle
