#include "tests/oracle/weak_claims.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "runtime/execution/execution.hpp"
#include "scheduler/graph/class_set.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/oracle/memory_model/bounded_search.hpp"
#include "tests/oracle/one_search.hpp"
#include "tests/oracle/real_body.hpp"

namespace hocket::memory_model {

namespace {

constexpr std::size_t kMostStates = 2000;
constexpr std::uint64_t kMostExecutions = 20'000;
static_assert(hocket::unbounded == kAnyNumber);

/// What a search has found, each at the bound at which it was first met.
struct Found {
  std::map<std::string, Prices> outcomes;
  std::optional<unsigned> deadlock;
  std::optional<unsigned> race;
  std::vector<std::size_t> classes;  ///< those new at each bound
  std::uint64_t executions = 0;
  bool kept_stores = false;   ///< it has met an operation weaker than seq_cst, under the memory model
  bool shares_lives = false;  ///< ObjectLives::are_shared()
  bool is_stopped = false;
  unsigned stopped_at = 0;        ///< this bound
  std::string failure;            ///< that no execution can have
  bool has_used_nothing = false;  ///< see BodyOf

  [[nodiscard]] std::size_t classes_up_to(unsigned bound) const {
    const std::size_t end = std::min<std::size_t>(classes.size(), bound + std::size_t{1});
    return std::accumulate(
        classes.begin(), classes.begin() + static_cast<std::ptrdiff_t>(end), std::size_t{0});
  }
};

class Visitor final : public hocket::ExecutionVisitor {
 public:
  Visitor(Found& found, const hocket::Strategy& strategy, const std::string& outcome)
      : found_(found), strategy_(strategy), outcome_(outcome) {}

  bool prepared() {
    found_.is_stopped = found_.executions == kMostExecutions;
    found_.stopped_at = strategy_.bound();
    return !found_.is_stopped;
  }

  bool ran(const runtime::ExecutionResult& result) {
    if (strategy_.is_probe()) return true;
    const unsigned bound = strategy_.bound();
    ++found_.executions;
    if (result.outcome == runtime::Outcome::completed) {
      found_.outcomes[outcome_].add({bound, 0});
      if (found_.classes.size() <= bound) found_.classes.resize(bound + 1);
      if (classes_.insert(result.hash)) ++found_.classes[bound];
    } else if (result.outcome == runtime::Outcome::failed) {
      fails(runtime::Execution::failure(), bound);
    }
    return true;
  }

 private:
  void fails(const runtime::Failure& failure, unsigned bound) {
    if (failure.kind == runtime::FailureKind::deadlock) {
      if (!found_.deadlock) found_.deadlock = bound;
    } else if (failure.kind == runtime::FailureKind::data_race ||
               failure.kind ==
                   runtime::FailureKind::use_after_destruction) {  // the same, the other way round
      if (!found_.race) found_.race = bound;
    } else {
      found_.failure = "it fails: " + failure.message;
    }
  }

  Found& found_;
  const hocket::Strategy& strategy_;
  const std::string& outcome_;
  hocket::ClassSet classes_;
};

Found search_as_asked(const Program& program, const hocket::Options& options, bool watches_lives) {
  oracle::RealBody body(program);
  std::string outcome;
  const oracle::OneSearch one_search;
  const std::unique_ptr<hocket::Strategy> strategy = hocket::make_strategy(options);
  const std::function<void()> run = [&] {
    body.run();
    outcome = body.outcome();
  };
  Found found;
  Visitor visitor(found, *strategy, outcome);
  runtime::ExecutionOptions rules{hocket::execution_rules(options)};
  rules.watches_lives = watches_lives;
  if (run_executions(*strategy, run, rules, visitor) == hocket::ExecutionsEnd::diverged) {
    found.failure = "it finds the body nondeterministic";
  }
  found.shares_lives = runtime::execution.objects.are_shared();
  found.has_used_nothing = body.has_used_nothing();
  return found;
}

/// A search under the C++ memory model begins as under sequential consistency, until it meets an atomic that
/// shows a difference; and no search watches the lives of objects before it has met some that may race.
Found search(const Program& program, hocket::Options options) {
  const auto asked = std::exchange(options.memory_model, hocket::MemoryModel::sc);
  const runtime::Actions& actions = runtime::execution.actions;
  runtime::execution.actions.forget_weaker_orders();
  bool watches_lives = false;
  for (;;) {
    Found found = search_as_asked(program, options, watches_lives);
    found.kept_stores = options.memory_model == hocket::MemoryModel::c11;
    const bool keeps = asked != options.memory_model && actions.could_keep_stores();
    const bool watches = !watches_lives && actions.has_met_weaker_order() && found.shares_lives;
    if (!keeps && !watches) return found;
    if (keeps) options.memory_model = asked;
    watches_lives |= watches;
  }
}

std::optional<std::string> difference_of_outcomes(
    const std::set<std::string>& found, const std::set<std::string>& expected) {
  for (const std::string& outcome : expected) {
    if (!found.contains(outcome)) return "it misses the outcome " + outcome;
  }
  for (const std::string& outcome : found) {
    if (!expected.contains(outcome)) return "it shows an outcome that is not there or too dear: " + outcome;
  }
  return {};
}

bool waits_on_atomics(const Program& program) {
  return oracle::any_verb(program, [](Verb verb) {
    return verb == Verb::await_change || verb == Verb::wake_one || verb == Verb::wake_all;
  });
}

/// What there is within the bound, compared with what a search has found there.
std::optional<std::string> difference(
    const Program& program, const Found& found, const PricedBehaviours& machine, const Bound& bound) {
  if (!found.failure.empty()) return found.failure;
  const bool has_race = machine.races.are_within(bound);
  if (has_race != (found.race && *found.race <= bound.total)) {
    return has_race ? "it misses a data race" : "it finds a data race that is not there or too dear";
  }
  if (machine.has_race()) return {};
  const std::set<std::string> outcomes = within(machine.outcomes, bound);
  const Bound found_within{.total = bound.total};
  if (auto result = difference_of_outcomes(within(found.outcomes, found_within), outcomes)) return result;
  const bool gets_stuck = !within(machine.stuck, bound).empty();
  if (gets_stuck != (found.deadlock && *found.deadlock <= bound.total)) {
    return gets_stuck ? "it misses a deadlock" : "it finds a deadlock that is not there or too dear";
  }
  const std::size_t graphs = within(machine.complete, bound).size();
  const std::size_t classes = found.classes_up_to(bound.total);
  // Under sequential consistency a notification and a wait are actions on the atomic itself, so that classes
  // also say in which order they and its operations came.
  if (classes == graphs || (!found.kept_stores && waits_on_atomics(program))) return {};
  return "it counts " + std::to_string(classes) + " classes, not " + std::to_string(graphs);
}

/// Checks one claim for one program.
std::optional<std::string> contradiction(
    const Program& program, const WeakClaim& claim, const BoundedSearch& machine, const Found& found) {
  const unsigned stale = claim.has_stale_choices ? claim.options.max_stale : 0;
  if (!claim.has_bounds) {
    if (found.is_stopped) return {};
    return difference(program, found, machine.at({.stale = stale}), {.stale = stale});
  }
  // The search knows from its last bound whether it has to do with weaker orders than seq_cst.
  const PricedBehaviours& all = machine.at({.total = WeakChecker::kLastBound, .stale = stale});
  const unsigned covered = found.is_stopped ? found.stopped_at : WeakChecker::kLastBound + 1;
  for (unsigned total = 0; total < covered; ++total) {
    if (auto result = difference(program, found, all, {.total = total, .stale = stale})) {
      return "with bound " + std::to_string(total) + ": " + *result;
    }
  }
  return {};
}

}  // namespace

std::vector<WeakClaim> claims_of_sequential_consistency() {
  std::vector<WeakClaim> claims;
  for (const char* strategy : {"icb", "auto", "dfs"}) {
    WeakClaim claim;
    claim.name = claim.options.strategy = strategy;
    claim.has_bounds = claim.name != "dfs";
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<WeakClaim> claims_of_the_memory_model() {
  std::vector<WeakClaim> claims;
  for (const char* strategy : {"icb", "hb-cache", "auto", "dfs"}) {
    WeakClaim claim;
    claim.name = claim.options.strategy = strategy;
    claim.has_bounds = claim.name != "dfs";
    claim.options.memory_model = hocket::MemoryModel::c11;
    claim.has_stale_choices = true;
    claims.push_back(std::move(claim));
  }
  WeakClaim limited = claims.at(1);
  limited.options.max_stale = 1;
  limited.name += " with one stale choice";
  claims.push_back(std::move(limited));
  return claims;
}

std::optional<std::string> WeakChecker::contradiction(const Program& program) {
  // Searches let a wait read the old value from the newest write only.
  const BoundedSearch machine(program, {.waits_read_old_values_anywhere = false}, kMostStates);
  if (machine.at({}).is_incomplete) return ++passed_over_, std::nullopt;
  ++programs_;
  for (const WeakClaim& claim : claims_) {
    hocket::Options options = claim.options;
    options.spurious_failures = true;
    options.max_preemptions = kLastBound;
    const Found found = search(program, options);
    executions_ += found.executions;
    if (found.has_used_nothing) return {};
    racing_ += found.race && &claim == &claims_.front() ? 1 : 0;
    if (auto result = memory_model::contradiction(program, claim, machine, found)) {
      return claim.name + ", " + *result;
    }
  }
  return {};
}

std::string WeakChecker::to_text() const {
  return std::to_string(programs_) + " programs (" + std::to_string(passed_over_) + " were passed over, " +
         std::to_string(racing_) + " have data races), " + std::to_string(executions_) + " executions\n";
}

}  // namespace hocket::memory_model
