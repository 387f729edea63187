#include "tests/oracle/fair_programs.hpp"

#include <utility>

#include "scheduler/strategies/strategy.hpp"
#include "scheduler/strategies/strategy_table.hpp"

namespace hocket::oracle {

namespace {

constexpr std::size_t kLongest = 8;  ///< instructions of a thread, including its yields

bool sleeps(const Program& program) {
  return any_verb(program, [](Verb verb) { return verb == Verb::sleep; });
}

/// Describes the first entry of `all` that does not occur in `some`.
std::optional<std::string> missing(const std::string& what, const Answer& all, const Answer& some) {
  for (const auto& [actions, bound] : all.complete) {
    if (!some.complete.contains(actions)) return "a class " + what + ":\n" + to_text(actions);
  }
  for (const auto& [actions, bound] : all.deadlocked) {
    if (!some.deadlocked.contains(actions)) return "a deadlock " + what + ":\n" + to_text(actions);
  }
  for (const auto& [place, bound] : all.failed) {
    if (!some.failed.contains(place)) return "a failing check " + what;
  }
  return {};
}

}  // namespace

Program yielding(Program program) {
  for (Thread& thread : program.threads) {
    if (&thread == program.threads.data() || thread.code.size() * 2 > kLongest) continue;
    Code code;
    for (Instruction instruction : thread.code) {
      if (instruction.verb == Verb::skip_if)
        instruction.value = static_cast<std::int8_t>(instruction.value * 2);
      code.push_back(instruction);
      code.push_back({Verb::yield});
    }
    thread.code = std::move(code);
  }
  return program;
}

Program sleeping(Program program) {
  for (Thread& thread : program.threads) {
    for (std::size_t n = 0; n < thread.code.size(); ++n) {
      Instruction& instruction = thread.code[n];
      if (instruction.verb == Verb::yield && n % 3 != 0)
        instruction = {Verb::sleep, 0, static_cast<std::int8_t>(n % 3)};
    }
  }
  return program;
}

std::vector<Claim> fair_claims() {
  std::vector<Claim> those;
  for (Claim claim : claims()) {
    claim.options.fair = true;
    // Settings of auto make no difference here: a fair search is that of icb.
    const bool is_a_setting = claim.make != nullptr;
    if (!is_a_setting && strategy_info(claim.options.strategy).can_be_fair) those.push_back(std::move(claim));
  }
  return those;
}

std::optional<FairAnswers> fair_answers(Program program, std::size_t most_states) {
  FairAnswers answers;
  program.is_fair = false;
  answers.unfair = enumerate(program, most_states);
  program.is_fair = true;
  answers.fair = enumerate(program, most_states);
  if (answers.unfair.is_incomplete || answers.fair.is_incomplete) return {};
  return answers;
}

std::optional<std::string> contradiction_about_fairness(
    Checker& checker, Program program, const FairAnswers& answers) {
  std::optional<std::string> found = missing("is lost to fairness", answers.unfair, answers.fair);
  if (!found && !sleeps(program) && !program.is_late) {  // no time passes that would not
    found = missing("is there by fairness alone", answers.fair, answers.unfair);
  }
  program.is_fair = true;
  if (!found) found = checker.contradiction(program, answers.fair);
  if (found) *found += "\n  of the program, scheduled fairly:\n" + to_text(program);
  return found;
}

}  // namespace hocket::oracle
