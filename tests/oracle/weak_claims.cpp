#include "tests/oracle/weak_claims.hpp"

#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <hocket/hocket.hpp>

#include "tests/oracle/memory_model/agreement.hpp"
#include "tests/oracle/memory_model/bounded_search.hpp"
#include "tests/oracle/weak_body.hpp"

namespace hocket::memory_model {

namespace {

constexpr std::size_t kMostStates = 2000;
constexpr std::uint64_t kMostExecutions = 20'000;

/// The registers that waits set, as outcomes name them: "r3".
std::set<std::string> registers_of_waits(const Program& program) {
  std::set<std::string> result;
  for (const Code& code : program.threads) {
    for (const Instruction& instruction : code) {
      if (instruction.verb == Verb::wait) result.insert("r" + std::to_string(instruction.into));
    }
  }
  return result;
}

std::string without(const std::string& outcome, const std::set<std::string>& registers) {
  std::istringstream words(outcome);
  std::string result;
  for (std::string word; words >> word;) {
    if (!registers.contains(word.substr(0, word.find('=')))) result += (result.empty() ? "" : " ") + word;
  }
  return result;
}

/// What a search has found.
struct Found {
  std::set<std::string> outcomes;
  hocket::Report report;
};

Found search(const Program& program, const hocket::Options& options) {
  const std::set<std::string> unknown = registers_of_waits(program);
  WeakBody body(program);
  Found found;
  found.report = hocket::explore(
      "memory model", [&] { found.outcomes.insert(without(body.run(), unknown)); }, options);
  return found;
}

std::optional<std::string> difference(
    const std::set<std::string>& found, const std::set<std::string>& expected) {
  for (const std::string& outcome : expected) {
    if (!found.contains(outcome)) return "it misses the outcome " + outcome;
  }
  for (const std::string& outcome : found) {
    if (!expected.contains(outcome)) return "it shows an outcome that is not there or too dear: " + outcome;
  }
  return {};
}

/// What there is within the bound, compared with what a search has found there.
std::optional<std::string> difference(
    const Program& program, const Found& found, const PricedBehaviours& machine, const Bound& bound) {
  const std::set<std::string> unknown = registers_of_waits(program);
  std::set<std::string> outcomes;
  for (const std::string& outcome : within(machine.outcomes, bound))
    outcomes.insert(without(outcome, unknown));
  if (std::optional<std::string> result = difference(found.outcomes, outcomes)) return result;
  const bool gets_stuck = !within(machine.stuck, bound).empty();
  for (const hocket::FoundFailure& failure : found.report.failures) {
    if (failure.kind != hocket::FailureKind::deadlock) return "it fails otherwise: " + failure.message;
  }
  if (gets_stuck != !found.report.failures.empty()) {
    return gets_stuck ? "it misses a deadlock" : "it finds a deadlock that is not there";
  }
  const std::size_t graphs = within(machine.complete, bound).size();
  if (has_sleepers_or_notifications(program) || found.report.classes == graphs) return {};
  return "it counts " + std::to_string(found.report.classes) + " classes, not " + std::to_string(graphs);
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

std::optional<std::string> WeakChecker::contradiction(const Program& program) {
  const BoundedSearch machine(program, kMostStates);
  if (machine.at({}).is_incomplete || machine.at({}).has_race) return ++passed_over_, std::nullopt;
  ++programs_;
  for (const WeakClaim& claim : claims_) {
    for (unsigned total = 0; total <= kLastBound; ++total) {
      hocket::Options options = claim.options;
      options.keep_going = options.spurious_failures = true;
      options.save_schedules = options.try_saved = false;
      options.minimize = {};
      options.max_executions = kMostExecutions;
      options.max_preemptions = total;
      const Found found = search(program, options);
      executions_ += found.report.executions;
      if (found.report.executions >= kMostExecutions)
        break;  // a failed search does not say that it was stopped
      Bound bound;
      if (claim.has_bounds) bound.total = total;
      if (!claim.has_stale_choices) bound.stale = 0;
      if (std::optional<std::string> result = difference(program, found, machine.at(bound), bound)) {
        return claim.name + (claim.has_bounds ? ", with bound " + std::to_string(total) : "") + ": " +
               *result;
      }
      if (!claim.has_bounds) break;
    }
  }
  return {};
}

std::string WeakChecker::to_text() const {
  return std::to_string(programs_) + " programs (" + std::to_string(passed_over_) + " were passed over), " +
         std::to_string(executions_) + " executions\n";
}

}  // namespace hocket::memory_model
