#include "tests/oracle/race_claims.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "runtime/execution/execution.hpp"
#include "scheduler/api/report.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/oracle/claims.hpp"
#include "tests/oracle/every_schedule.hpp"
#include "tests/oracle/one_search.hpp"
#include "tests/oracle/real_body.hpp"
#include "tests/oracle/retrace.hpp"

namespace hocket::oracle {

namespace {

constexpr std::uint64_t kMostExecutions = 1500;  ///< for a program that is searched completely
constexpr std::uint64_t kSamples = 25;
constexpr std::uint64_t kMostRunsOfAnExecution = 100;

/// Runs each schedule up to its first race.
class EveryRace final : public EverySchedule {
 public:
  using EverySchedule::EverySchedule;

  bool happened(const Event& event) override {
    using enum Event::Kind;
    const bool has_order =
        event.kind == load || event.kind == store || event.kind == update || event.kind == fence;
    if (has_order) done.emplace(event.kind, event.order);
    return !races_with(event).empty();
  }

  decltype(RaceAnswer::done) done;
};

struct Found {
  std::optional<unsigned> bound;  ///< bound of the strategy when it met the first race
  std::uint64_t executions = 0;
};

/// Runs at most a given number of executions and looks for the first that ends with a race.
class RaceVisitor final : public ExecutionVisitor {
 public:
  RaceVisitor(const Program& program, const RealBody& body, const Strategy& strategy,
      std::uint64_t most_executions, bool must_end)
      : program_(program),
        body_(body),
        strategy_(strategy),
        most_executions_(most_executions),
        must_end_(must_end) {}

  bool prepared() {
    if (found_.executions != most_executions_) return true;
    if (must_end_) throw Mismatch("it does not come to an end");
    return false;
  }
  bool ran(const runtime::ExecutionResult& result) {
    const bool is_whole =
        result.outcome != runtime::Outcome::pruned && result.outcome != runtime::Outcome::diverged;
    if (is_whole && retrace(program_, result, body_.notes().all()).cut == Cut::raced && !found_.bound) {
      found_.bound = strategy_.bound();
    }
    ++found_.executions;
    return true;
  }

  [[nodiscard]] const Found& found() const { return found_; }

 private:
  const Program& program_;
  const RealBody& body_;
  const Strategy& strategy_;
  std::uint64_t most_executions_;
  bool must_end_;
  Found found_;
};

Found search(
    const Program& program, RealBody& body, Options options, std::uint64_t most_executions, bool must_end) {
  const OneSearch one_search;
  runtime::execution.actions.forget_weaker_orders();
  options.spurious_wakeups = program.spurious_wakeups;
  options.spurious_failures = program.spurious_failures;
  const std::unique_ptr<Strategy> strategy = make_strategy(options);
  RaceVisitor visitor(program, body, *strategy, most_executions, must_end);
  const ExecutionsEnd end = run_executions(
      *strategy, [&] { body.run(); }, execution_options(program), visitor);
  if (end == ExecutionsEnd::diverged) throw Mismatch("the strategy finds the body nondeterministic");
  return visitor.found();
}

std::memory_order order_from(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{
      "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) throw Mismatch("there is no memory order " + std::string(name));
  return static_cast<std::memory_order>(found - kNames.begin());
}

/// The events that an operation named in a report may have caused.
std::vector<std::pair<Event::Kind, std::memory_order>> effects_of(const WeakerOperation& operation) {
  using enum Event::Kind;
  const std::size_t comma = operation.order.find(',');
  const std::memory_order order = order_from(operation.order.substr(0, comma));
  const std::string& name = operation.operation;
  if (name == "fence") return {{fence, order}};
  if (name == "atomic.load" || name == "atomic.wait") return {{load, order}};
  if (name == "atomic.store") return {{store, order}};
  if (name != "atomic.compare_exchange") return {{update, order}};
  std::memory_order failure = order;
  if (order == std::memory_order_acq_rel) failure = std::memory_order_acquire;
  if (order == std::memory_order_release) failure = std::memory_order_relaxed;
  if (comma != std::string::npos) {
    const std::size_t begin = comma + 2;
    failure = order_from(operation.order.substr(begin, operation.order.find(' ', begin) - begin));
  }
  return {{update, order}, {load, failure}};
}

/// What is wrong with the list of operations weaker than seq_cst in the report of a complete search; empty if
/// nothing is wrong.
std::string wrong_about_orders(const RaceAnswer& answer, const std::vector<WeakerOperation>& told) {
  for (const auto& [kind, order] : answer.done) {
    const auto tells_of = [kind = kind, order = order](const WeakerOperation& operation) {
      const auto effects = effects_of(operation);
      return std::find(effects.begin(), effects.end(), std::pair(kind, order)) != effects.end();
    };
    if (order != std::memory_order_seq_cst && std::none_of(told.begin(), told.end(), tells_of))
      return "tells nothing of an operation that is weaker than seq_cst";
  }
  for (const WeakerOperation& operation : told) {
    if (operation.operation == "atomic.wait") continue;  // reported as soon as a thread reaches it
    const auto effects = effects_of(operation);
    const auto is_done = [&](const auto& effect) { return answer.done.contains(effect); };
    if (std::none_of(effects.begin(), effects.end(), is_done))
      return "names " + operation.operation + " (" + operation.order + "), which no schedule does";
  }
  return {};
}

std::string in_words(const std::optional<unsigned>& bound) {
  return bound ? "a race at bound " + std::to_string(*bound) : "no race";
}

}  // namespace

RaceAnswer races_of(const Program& program, std::uint64_t most_executions) {
  EveryRace every(program);
  RaceAnswer answer;
  answer.is_incomplete = !every.run(most_executions, [&](const State& state, unsigned price) {
    if (state.cut == Cut::raced) answer.bound = std::min(answer.bound.value_or(price), price);
  });
  answer.executions = every.executions();
  answer.done = std::move(every.done);
  return answer;
}

std::optional<std::string> RaceChecker::contradiction(const Program& program) {
  ++programs_;
  RealBody body(program);
  const RaceAnswer answer = races_of(program, kMostExecutions);
  racing_ += answer.bound ? 1 : 0;
  std::string strategy = "random";
  try {
    Options random;
    random.strategy = strategy;
    executions_ += search(program, body, random, kSamples, false).executions;
    if (answer.is_incomplete) return {};
    ++searched_;
    for (const Claim& claim : claims()) {
      if (!claim.finds_every_class) continue;
      // They compute the outcome of a compare-exchange instead of running it, and do not notice that a plain
      // write has changed the value in between: see docs/strategies.md.
      if (claim.runs_every_class_once && compares_plain_data(program)) continue;
      strategy = claim.name;
      Options options = claim.options;
      options.max_preemptions = unbounded;
      const Found found =
          search(program, body, options, kMostRunsOfAnExecution * (answer.executions + 1), true);
      executions_ += found.executions;
      const bool agrees =
          claim.by_bounds ? found.bound == answer.bound : found.bound.has_value() == answer.bound.has_value();
      if (!answer.bound) {
        const std::string wrong =
            wrong_about_orders(answer, runtime::Execution::weaker_operations(false).list);
        if (!wrong.empty()) return std::string(strategy).append(" ").append(wrong);
      }
      if (!agrees)
        return strategy + " meets " + in_words(found.bound) + ", there is " + in_words(answer.bound);
    }
  } catch (const std::runtime_error& error) {
    return strategy + ": " + error.what();
  }
  return {};
}

std::string RaceChecker::to_text() const {
  return std::to_string(programs_) + " programs with plain data, " + std::to_string(racing_) +
         " of them racing, " + std::to_string(searched_) + " searched completely, in " +
         std::to_string(executions_) + " executions\n";
}

}  // namespace hocket::oracle
