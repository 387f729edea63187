// Checks what strategies, fair searches and the search for data races claim against a brute force, for random
// programs, until the time is over. What is checked is in tests/oracle/.
#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/oracle/fair_programs.hpp"
#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/native_runs.hpp"
#include "tests/oracle/race_claims.hpp"
#include "tests/oracle/weak_claims.hpp"
#include "tools/fuzz/time_option.hpp"

namespace {

using namespace hocket::oracle;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBatch = 100;  ///< programs between two looks at the clock
constexpr std::chrono::seconds kBetweenLines{30};

struct Command {
  double seconds = 60;
  std::optional<std::uint64_t> seed;
  bool dense_only = false;
  std::string strategy;
  Effort effort;
  std::size_t most_states = Fuzzing{}.most_states;
  unsigned native_runs = 0;
  std::string memory_model;  ///< empty: check something else
};

void describe(CLI::App& app, Command& command) {
  hocket::tools::add_time_option(app, command.seconds);
  app.add_option("--seed", command.seed, "the seed of the first program; random if not given")
      ->type_name("N");
  app.add_flag("--dense", command.dense_only,
      "try only short programs that are dense in what reductions treat specially");
  app.add_option("--strategy", command.strategy, "check this one alone")->type_name("NAME");
  app.add_option("--executions", command.effort.most_executions,
         "search to the last bound that has no more executions than these")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--states", command.most_states, "pass over programs that have more")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--native", command.native_runs,
         "run each program so often on threads of the system instead, which may show nothing that the brute "
         "force does not have")
      ->type_name("RUNS");
  app.add_option("--memory-model", command.memory_model,
         "try programs about memory orders instead, in searches under this memory model")
      ->type_name("MODEL")
      ->check(CLI::IsMember({"sc", "c11"}));
  app.footer("Exit status: 0 nothing was found, 1 a counterexample was found, 2 bad usage.");
}

/// All of them, or those of the strategy that the command names.
std::vector<Claim> chosen(const Command& command, std::vector<Claim> all) {
  if (!command.strategy.empty())
    std::erase_if(all, [&](const Claim& claim) { return claim.options.strategy != command.strategy; });
  return all;
}

Clock::time_point end_of(const Command& command) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(command.seconds));
}

std::uint64_t first_seed_of(const Command& command) {
  return command.seed ? *command.seed : std::random_device{}();
}

/// Returns the exit status. `seed` is that of the next program.
int tell_of(const std::optional<Counterexample>& found, std::uint64_t seed) {
  if (found) {
    std::cout << "\n" << found->to_text();
  } else {
    std::cout << "No counterexample up to seed " << seed - 1 << ".\n";
  }
  return found ? 1 : 0;
}

int check_memory_model(const Command& command) {
  namespace weak = hocket::memory_model;
  weak::WeakChecker checker(command.memory_model == "c11" ? weak::claims_of_the_memory_model()
                                                          : weak::claims_of_sequential_consistency());
  const auto find = [&](const Program& program) { return checker.contradiction(program); };
  std::uint64_t seed = first_seed_of(command);
  const Clock::time_point end = end_of(command);
  std::optional<Counterexample> found;
  do {
    const std::uint64_t same_seed = seed;
    found = first_counterexample(mixed_program, seed, kBatch, find);
    for (const auto& generator : {seq_cst_program, lived_program}) {
      std::uint64_t same = same_seed;
      if (!found) found = first_counterexample(generator, same, kBatch, find);
    }
  } while (!found && Clock::now() < end);
  std::cout << checker.to_text();
  return tell_of(found, seed);
}

int run_on_threads_of_the_system(const Command& command) {
  Fuzzing fuzzing;
  fuzzing.seed = first_seed_of(command);
  fuzzing.most_states = command.most_states;
  NativeRuns native;
  native.runs = command.native_runs;
  native.most_states = command.most_states;
  const Clock::time_point end = end_of(command);
  std::optional<Counterexample> found;
  do {
    found =
        fuzzing.run(1, [&](const Program& program, const Answer&) { return native.contradiction(program); });
  } while (!found && Clock::now() < end);
  std::cout << native.programs << " programs, " << command.native_runs << " runs each: " << native.outcomes
            << " outcomes, of which " << native.unknown << " could not be compared\n";
  return tell_of(found, fuzzing.seed);
}

int fuzz(const Command& command) {
  Fuzzing fuzzing;
  fuzzing.seed = first_seed_of(command);
  fuzzing.most_states = command.most_states;
  Fuzzing dense{.generator = dense_program, .seed = fuzzing.seed, .most_states = command.most_states};
  Checker checker(chosen(command, claims()), command.effort);
  Checker fair_checker(chosen(command, fair_claims()), command.effort);
  RaceChecker race_checker;
  std::uint64_t race_seed = fuzzing.seed;
  const Property property = [&](const Program& program, const Answer& answer) {
    std::optional<std::string> contradiction = checker.contradiction(program, answer);
    if (!contradiction) contradiction = checker.contradiction_in_other_orders(program, answer);
    for (const Program& yields : {yielding(program), sleeping(yielding(program))}) {
      if (contradiction) break;
      const std::optional<FairAnswers> answers = fair_answers(yields, 2 * command.most_states);
      if (answers) contradiction = contradiction_about_fairness(fair_checker, yields, *answers);
    }
    return contradiction;
  };
  const Clock::time_point end = end_of(command);
  Clock::time_point next_line = Clock::now();
  std::optional<Counterexample> found;
  do {
    if (Clock::now() >= next_line) {
      std::cout << "from seed " << dense.seed << " on" << std::endl;  // flushed: the next program may crash
      next_line += kBetweenLines;
    }
    found = dense.run(kBatch, property);
    if (command.dense_only) continue;
    if (!found) found = fuzzing.run(kBatch, property);
    if (found) break;
    found = first_counterexample(program_with_plain_data, race_seed, kBatch,
        [&](const Program& program) { return race_checker.contradiction(program); });
  } while (!found && Clock::now() < end);
  std::cout << fuzzing.census.to_text() << "Dense:\n"
            << dense.census.to_text() << checker.to_text() << "Fairly:\n"
            << fair_checker.to_text() << race_checker.to_text();
  return tell_of(found, dense.seed);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): ends with its message
int main(int argc, char** argv) {
  CLI::App app("Looks for programs that contradict what Hocket's strategies claim", "fuzz-search");
  Command command;
  describe(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (chosen(command, claims()).empty()) {
    std::cerr << "fuzz-search: nothing is claimed of a strategy \"" << command.strategy << "\"\n";
    return 2;
  }
  if (!command.memory_model.empty()) return check_memory_model(command);
  return command.native_runs == 0 ? fuzz(command) : run_on_threads_of_the_system(command);
}
