#include "tests/oracle/claims.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <utility>

#include "runtime/execution/execution.hpp"
#include "scheduler/search/cut_short.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"
#include "scheduler/strategies/strategy_table.hpp"
#include "tests/oracle/one_search.hpp"
#include "tests/oracle/real_body.hpp"
#include "tests/oracle/retrace.hpp"

namespace hocket::oracle {

namespace {

constexpr std::uint64_t kMostRunsOfAnExecution = 100;  ///< some strategies restart again and again

struct Contradiction : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Checks that class hashes distinguish classes and nothing else, whatever the strategy.
class Hashes {
 public:
  void add(const runtime::ClassHash& hash, const Class& actions) {
    const auto [by_class, class_is_new] = hash_of_.emplace(actions, hash);
    if (by_class->second != hash) throw Contradiction("one class has two hashes:\n" + to_text(actions));
    const auto [by_hash, hash_is_new] = class_of_.emplace(std::pair(hash.high, hash.low), &by_class->first);
    if (*by_hash->second != actions) {
      throw Contradiction(
          "two classes have one hash:\n" + to_text(actions) + "  and\n" + to_text(*by_hash->second));
    }
  }

 private:
  std::map<Class, runtime::ClassHash> hash_of_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, const Class*> class_of_;
};

/// What a strategy found.
struct Findings {
  Classes complete;
  Classes deadlocked;
  std::map<CheckPlace, unsigned> failed;  ///< with the bound at which each failed first
  std::vector<std::uint64_t> executions;  ///< by bound
  bool left_out_any = false;
  bool is_complete = true;
  bool left_out_unfair = false;
};

bool has_any(const Program& program, std::initializer_list<Verb> verbs) {
  return any_verb(
      program, [&](Verb verb) { return std::find(verbs.begin(), verbs.end(), verb) != verbs.end(); });
}
bool has_guards(const Program& program) {
  return has_any(program, {Verb::forbid_preemption});
}
bool has_values_and_joins(const Program& program) {
  return has_any(program, {Verb::join}) &&
         has_any(program, {Verb::choose, Verb::compare_exchange_weak, Verb::notify_one, Verb::wake_one});
}

/// The part of the answer for bounds up to `last_bound`.
Classes within(const Classes& classes, unsigned last_bound) {
  Classes result;
  for (const auto& [actions, bound] : classes) {
    if (bound <= last_bound) result.emplace_hint(result.end(), actions, bound);
  }
  return result;
}

class Check {
 public:
  Check(const Program& program, const Answer& answer, const Claim& claim, RealBody& body, Hashes& hashes)
      : program_(program), answer_(answer), claim_(claim), body_(body), hashes_(hashes) {}

  /// Returns the number of executions that were run.
  std::uint64_t run(const Effort& effort) {
    const std::uint64_t all =
        std::accumulate(answer_.executions.begin(), answer_.executions.end(), std::uint64_t{0});
    Options options = claim_.options;
    options.spurious_wakeups = program_.spurious_wakeups;
    options.spurious_failures = program_.spurious_failures;
    unsigned last_bound = unbounded;
    std::uint64_t most = effort.samples;
    if (claim_.by_bounds) {
      const std::optional<unsigned> bound = last_bound_below(effort.most_executions);
      if (!bound) return 0;
      last_bound = options.max_preemptions = *bound;
    } else if (claim_.finds_every_class && all > effort.most_executions) {
      return 0;
    }
    if (claim_.finds_every_class) most = kMostRunsOfAnExecution * (all + 1);
    for (unsigned shard = 1; shard <= std::max(claim_.shards, 1U); ++shard) {
      if (claim_.shards != 0) options.shard = Shard{shard, claim_.shards};
      search(options, most);
    }
    const bool finds_every_class = claim_.finds_every_class && found_.is_complete;
    if (claim_.finds_every_class && !found_.is_complete && !may_be_incomplete()) {
      throw Contradiction("it says that it did not find every class");
    }
    if (finds_every_class) {
      compare("classes", found_.complete, within(answer_.complete, last_bound));
      compare("deadlocks", found_.deadlocked, within(answer_.deadlocked, last_bound));
      compare_checks(last_bound);
      const bool is_all = found_.complete.size() == answer_.complete.size() &&
                          found_.deadlocked.size() == answer_.deadlocked.size() &&
                          found_.failed.size() == answer_.failed.size();
      if (!is_all && !found_.left_out_any) throw Contradiction("it claims to have left out nothing");
    } else {
      check_that_they_exist(found_.complete, answer_.complete);
      check_that_they_exist(found_.deadlocked, answer_.deadlocked);
      check_that_they_can_fail(found_.failed);
    }
    if (claim_.runs_every_execution_once && finds_every_class) compare_executions(all, last_bound);
    return std::accumulate(found_.executions.begin(), found_.executions.end(), std::uint64_t{0});
  }

 private:
  [[nodiscard]] bool may_be_incomplete() const {
    const bool may_fail = claim_.may_fail_at_guards ||
                          (claim_.may_fail_at_guards_after_joins && has_values_and_joins(program_));
    return (may_fail && has_guards(program_)) || found_.left_out_unfair;
  }

  /// The greatest bound up to which there are at most `most` executions; nothing if there is no such bound.
  [[nodiscard]] std::optional<unsigned> last_bound_below(std::uint64_t most) const {
    std::optional<unsigned> result;
    std::uint64_t sum = 0;
    for (unsigned c = 0; c < answer_.executions.size(); ++c) {
      const std::uint64_t here = answer_.executions[c];
      if (here > most || (sum += here) > most) break;
      result = c;
    }
    return result;
  }

  /// Runs at most a given number of executions, and checks each one before the strategy receives it.
  class Visitor final : public ExecutionVisitor {
   public:
    Visitor(Check& check, const Strategy& strategy, std::uint64_t most_executions)
        : check_(check), strategy_(strategy), left_(most_executions) {}

    bool prepared() {
      if (strategy_.bound() != bound_) check_.check_what_was_cut_short();
      bound_ = strategy_.bound();
      if (left_-- != 0) return true;
      if (check_.claim_.finds_every_class) throw Contradiction("it does not come to an end");
      return false;
    }
    bool ran(const runtime::ExecutionResult& result) {
      check_.found_.left_out_unfair |= result.left_out_unfair;
      if (strategy_.is_of_another_shard()) return true;
      if (strategy_.is_probe() && result.outcome == runtime::Outcome::completed) {
        check_.cut_short_.add_end(result.hash, check_.passed_);
      } else {
        check_.account(result, strategy_.bound(), check_.body_.notes().all());
      }
      return true;
    }

   private:
    Check& check_;
    const Strategy& strategy_;
    std::uint64_t left_;
    unsigned bound_ = 0;
  };

  void search(const Options& options, std::uint64_t most_executions) {
    const OneSearch one_search;
    const std::unique_ptr<Strategy> strategy = claim_.make ? claim_.make(options) : make_strategy(options);
    leaves_out_unfair_ = strategy->leaves_out_unfair();
    Visitor visitor(*this, *strategy, most_executions);
    const ExecutionsEnd end = run_executions(
        *strategy, [this] { body_.run(); }, execution_options(program_), visitor);
    if (end == ExecutionsEnd::diverged) throw Contradiction("the strategy finds the body nondeterministic");
    found_.left_out_any |= strategy->left_out_any();
    found_.is_complete = strategy->is_complete() && !found_.left_out_unfair;
    check_what_was_cut_short();
  }

  /// To be called at the end of each bound.
  void check_what_was_cut_short() {
    const bool has_failed = !found_.failed.empty() || !found_.deadlocked.empty();
    if (cut_short_.contradicts(passed_, has_failed) && claim_.finds_every_class && found_.is_complete)
      throw Contradiction("what an execution showed after it was cut short is not met within its bound");
  }

  void account(
      const runtime::ExecutionResult& result, unsigned bound, const std::vector<Observation>& observed) {
    if (result.outcome == runtime::Outcome::diverged) {
      throw Contradiction("it does not follow its own schedule");
    }
    const bool is_whole = result.outcome == runtime::Outcome::completed ||
                          result.outcome == runtime::Outcome::failed ||
                          result.outcome == runtime::Outcome::dropped;
    if (!is_whole) {  // a reduction cut the execution short
      cut_short_.add(result, passed_);
      return;
    }
    if (result.outcome == runtime::Outcome::completed) static_cast<void>(passed_.insert(result.hash, true));
    const Retraced retraced = retrace(program_, result, observed, leaves_out_unfair_);
    hashes_.add(result.hash, retraced.actions);
    if (claim_.by_bounds && claim_.runs_every_execution_once && retraced.price != bound) {
      throw Contradiction("an execution of price " + std::to_string(retraced.price) + " at bound " +
                          std::to_string(bound) + ":\n" + to_text(retraced.actions));
    }
    if (found_.executions.size() <= bound) found_.executions.resize(bound + 1);
    ++found_.executions[bound];
    if (retraced.cut == Cut::failed) note_least(found_.failed, retraced.failed, bound);
    if (retraced.cut != Cut::none) return;
    Classes& classes = retraced.is_deadlocked ? found_.deadlocked : found_.complete;
    const bool is_new = note_least(classes, retraced.actions, bound);
    if (!is_new && claim_.runs_every_class_once) {
      throw Contradiction("a class is run for the second time:\n" + to_text(retraced.actions));
    }
  }

  /// Returns whether `key` is new. It is met first at its least bound, unless another shard has met it
  /// before.
  template <class Key>
  bool note_least(std::map<Key, unsigned>& bounds, const Key& key, unsigned bound) const {
    const auto [place, is_new] = bounds.emplace(key, bound);
    if (claim_.shards > 1) place->second = std::min(place->second, bound);
    return is_new;
  }

  void compare(const std::string& what, const Classes& found, const Classes& expected) const {
    for (const auto& [actions, bound] : expected) {
      const auto place = found.find(actions);
      if (place == found.end()) {
        throw Contradiction(
            "of " + what + " with bound " + std::to_string(bound) + " it misses\n" + to_text(actions));
      }
      if (claim_.by_bounds && place->second != bound) {
        throw Contradiction("of " + what + " with bound " + std::to_string(bound) + " it meets at bound " +
                            std::to_string(place->second) + "\n" + to_text(actions));
      }
    }
    for (const auto& [actions, bound] : found) {
      if (!expected.contains(actions)) {
        throw Contradiction("of " + what + " it meets, at bound " + std::to_string(bound) +
                            ", one that does not exist or is beyond the last bound\n" + to_text(actions));
      }
    }
  }

  /// A check that can fail must fail, and at the least bound at which it can.
  void compare_checks(unsigned last_bound) const {
    for (const auto& [place, bound] : answer_.failed) {
      const auto found = found_.failed.find(place);
      const bool is_found = found != found_.failed.end();
      if (is_found ? claim_.by_bounds && found->second != bound : bound <= last_bound) {
        throw Contradiction("the check of thread " + std::to_string(place.thread) + " at " +
                            std::to_string(place.place) + " can fail with bound " + std::to_string(bound) +
                            ", but " +
                            (is_found ? "does so first at " + std::to_string(found->second) : "does not"));
      }
    }
    check_that_they_can_fail(found_.failed);
  }

  void check_that_they_can_fail(const std::map<CheckPlace, unsigned>& failed) const {
    for (const auto& [place, bound] : failed) {
      if (!answer_.failed.contains(place)) throw Contradiction("a check fails that cannot");
    }
  }

  static void check_that_they_exist(const Classes& found, const Classes& existing) {
    for (const auto& [actions, bound] : found) {
      if (!existing.contains(actions))
        throw Contradiction("it meets what does not exist\n" + to_text(actions));
    }
  }

  void compare_executions(std::uint64_t all, unsigned last_bound) const {
    std::vector<std::uint64_t> expected{all};
    if (claim_.by_bounds) {
      expected.assign(answer_.executions.begin(), answer_.executions.begin() + last_bound + 1);
      const bool are_there_more = last_bound + 1 < answer_.executions.size();
      if (found_.left_out_any != are_there_more) {
        throw Contradiction(
            are_there_more ? "it claims to have left out nothing" : "it claims to have left out some");
      }
    }
    while (!expected.empty() && expected.back() == 0) expected.pop_back();
    std::vector<std::uint64_t> found = found_.executions;
    if (!claim_.by_bounds) found.assign(1, std::accumulate(found.begin(), found.end(), std::uint64_t{0}));
    if (found == expected) return;
    const auto in_words = [](const std::vector<std::uint64_t>& numbers) {
      std::string text;
      for (const std::uint64_t number : numbers) text += " " + std::to_string(number);
      return text;
    };
    throw Contradiction(
        "executions by bound:" + in_words(found_.executions) + "; there are" + in_words(expected));
  }

  const Program& program_;
  const Answer& answer_;
  const Claim& claim_;
  RealBody& body_;
  Hashes& hashes_;
  bool leaves_out_unfair_ = false;
  Findings found_;
  MetClasses passed_;
  CutShort cut_short_;
};

Options with_strategy(const char* name) {
  Options options;
  options.strategy = name;
  return options;
}

/// A strategy that finds every class.
Claim complete(const char* strategy, const char* setting = "") {
  return {
      .name = std::string(strategy) + setting, .options = with_strategy(strategy), .finds_every_class = true};
}
Claim by_bounds(Claim claim) {
  claim.by_bounds = true;
  return claim;
}
Claim without_repeating(Claim claim) {
  claim.runs_every_execution_once = true;
  return claim;
}
Claim in_shards(Claim claim, unsigned shards) {
  claim.shards = shards;
  return claim;
}
/// Strategies that run one execution of each class, and may give up at guards.
Claim once_a_class(const char* strategy) {
  Claim claim = by_bounds(complete(strategy));
  claim.may_fail_at_guards_after_joins = claim.runs_every_class_once = true;
  return claim;
}
Claim without_bound(Claim claim) {
  claim.options.max_preemptions = unbounded;
  return claim;
}

Claim auto_with(const char* setting, Trial trial) {
  Claim claim = by_bounds(complete("auto", setting));
  claim.make = [trial](const Options& options) { return make_auto_with(options, trial); };
  return claim;
}
Claim auto_in_turns(Trial trial) {
  trial.executions = 2;
  trial.mostly_known = 1;
  Claim claim = auto_with(", in turns with", trial);
  claim.name += std::string(trial.tries_icb_por ? " icb-por" : "") + (trial.tries_cb_por ? " cb-por" : "");
  return claim;
}

/// The states of cb-por, which may have a quarter of it, soon do not fit.
Claim short_of_memory(Claim claim) {
  claim.name += ", short of memory";
  claim.options.memory_limit = 4096;
  return claim;
}

std::vector<Claim> all_claims() {
  Claim sleep_sets = complete("dfs-sleep");
  sleep_sets.may_fail_at_guards = true;
  std::vector<Claim> table{
      // With its usual trials, auto does nothing else than icb in programs of this size.
      auto_with(", short trials", {.executions = 3}),
      auto_in_turns({}),
      // Who is first to cover a bound hides what the others would have left out.
      auto_in_turns({.tries_cb_por = false}),
      auto_in_turns({.tries_icb_por = false}),
      short_of_memory(auto_in_turns({.tries_icb_por = false})),
      without_repeating(by_bounds(complete("icb"))),
      in_shards(without_repeating(by_bounds(complete("icb", ", in five shards"))), 5),
      without_repeating(complete("dfs")),
      in_shards(without_repeating(complete("dfs", ", in two shards")), 2),
      by_bounds(complete("hb-cache")),
      by_bounds(complete("icb-por")),
      once_a_class("cb-por"),
      once_a_class("cb-por-basic"),
      complete("dpor"),
      std::move(sleep_sets),
      without_repeating(complete("idfs")),
      without_repeating(complete("best-first")),
      without_repeating(without_bound(complete("delay", ", unbounded"))),
      in_shards(without_repeating(without_bound(complete("delay", ", unbounded, in three shards"))), 3),
  };
  for (const char* sampling : {"random", "pct", "pos", "urw", "sticky", "mix"})
    table.push_back({.name = sampling, .options = with_strategy(sampling)});
  return table;
}

}  // namespace

const std::vector<Claim>& claims() {
  static const std::vector<Claim> table = all_claims();
  return table;
}

std::vector<Claim> sealed_claims() {
  std::vector<Claim> those;
  for (Claim claim : claims()) {
    claim.options.seal = "as the program says";
    if (strategy_info(claim.options.strategy).can_be_sealed) those.push_back(std::move(claim));
  }
  return those;
}

std::vector<Claim> claims_of(std::string_view strategy_or_name) {
  std::vector<Claim> those;
  for (const Claim& claim : claims()) {
    if (claim.options.strategy == strategy_or_name || claim.name == strategy_or_name) those.push_back(claim);
  }
  return those;
}

std::optional<std::string> Checker::contradiction(const Program& program, const Answer& answer) {
  RealBody body(program);  // one for all: the outside objects of each body have different names
  Hashes hashes;
  for (std::size_t n = 0; n < claims_.size(); ++n) {
    try {
      const std::uint64_t executions = Check(program, answer, claims_[n], body, hashes).run(effort_);
      done_[n].programs += executions != 0 ? 1 : 0;
      done_[n].executions += executions;
    } catch (const std::runtime_error& error) {
      return claims_[n].name + ": " + error.what();
    }
  }
  return {};
}

std::optional<std::string> Checker::contradiction_in_other_orders(
    const Program& program, const Answer& answer) {
  std::vector<std::uint8_t> order;
  std::vector<std::size_t> places;
  const Code& code = program.threads[0].code;
  for (std::size_t n = 0; n < code.size(); ++n) {
    if (code[n].verb != Verb::start) continue;
    order.push_back(code[n].object);
    places.push_back(n);
  }
  if (order.size() < 2 || has_any(program, {Verb::assume, Verb::check})) return {};
  // If anything is done between two starts, their order matters.
  if (places.back() - places.front() + 1 != places.size()) return {};
  std::reverse(order.begin(), order.end());
  std::optional<std::string> found = contradiction(with_starts_permuted(program, order), answer);
  if (!found && order.size() > 2) {
    std::swap(order[0], order[1]);
    found = contradiction(with_starts_permuted(program, order), answer);
  }
  if (found) *found += "\n  with its threads started in another order";
  return found;
}

std::string Checker::to_text() const {
  std::string text;
  for (std::size_t n = 0; n < claims_.size(); ++n) {
    text += claims_[n].name + ": " + std::to_string(done_[n].executions) + " executions of " +
            std::to_string(done_[n].programs) + " programs\n";
  }
  return text;
}

}  // namespace hocket::oracle
