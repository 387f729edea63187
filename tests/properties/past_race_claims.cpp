#include "tests/properties/past_race_claims.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/api/explore.hpp"

#include "tests/oracle/claims.hpp"
#include "tests/oracle/every_schedule.hpp"
#include "tests/oracle/machine.hpp"
#include "tests/oracle/real_body.hpp"

namespace hocket::oracle {

namespace {

constexpr std::uint64_t kMostExecutions = 400;

RaceInWords in_words(std::string one, std::string other) {
  if (other < one) std::swap(one, other);
  return one + " and " + other;
}

std::string word_for(const Event& event) {
  switch (event.kind) {
    case Event::Kind::read:
      return "read";
    case Event::Kind::write:
      return "write";
    case Event::Kind::load:
      return "atomic read";
    default:
      return "atomic write";
  }
}

/// Runs each schedule to its end, past all races.
class EveryRaceOnTheWay final : public EverySchedule {
 public:
  using EverySchedule::EverySchedule;

  bool happened(const Event& last) override {
    for (const std::size_t other : races_with(last))
      races.insert(in_words(word_for(event(other)), word_for(last)));
    return false;
  }

  std::set<RaceInWords> races;
};

/// The accesses that a report of a race names.
RaceInWords race_told_in(const std::string& message) {
  struct Words {
    std::string_view verb;
    std::string_view noun;
    const char* word;
  };
  // Those of atomics first, since they contain the others.
  constexpr std::array<Words, 6> kWords{{{" atomically reads ", "atomic read by", "atomic read"},
      {" atomically writes ", "atomic write by", "atomic write"}, {" reads ", "read by", "read"},
      {" writes ", "write by", "write"}, {" constructs ", "construction by", "write"},
      {" destroys ", "destruction by", "write"}}};
  const std::string_view text = std::string_view(message).substr(0, message.find('\n'));
  const std::size_t middle = std::min(text.find(", not ordered after the "), text.size());
  const std::string_view second = text.substr(0, middle);
  const std::string_view first = text.substr(middle);
  std::string one = "?";
  std::string other = "?";
  for (const Words& words : kWords) {
    if (one == "?" && second.find(words.verb) != std::string_view::npos) one = words.word;
    if (other == "?" && first.find(words.noun) != std::string_view::npos) other = words.word;
  }
  return in_words(one, other);
}

Wrong everything_told_by(const Report& report) {
  Wrong wrong;
  for (const FoundFailure& failure : report.failures) {
    switch (failure.kind) {
      case FailureKind::data_race:
        wrong.races.insert(race_told_in(failure.message));
        break;
      case FailureKind::deadlock:
        wrong.deadlocks = true;
        break;
      case FailureKind::check:
        wrong.fails = true;
        break;
      default:
        wrong.races.insert(std::string(to_string(failure.kind)) + ": " + failure.message);
    }
  }
  return wrong;
}

/// Whether what a thread does may depend on a value of plain data.
bool plain_data_decides(const Program& program) {
  return std::any_of(program.threads.begin(), program.threads.end(), [&](const Thread& thread) {
    bool has_read = false;
    for (const Instruction& instruction : thread.code) {
      switch (instruction.verb) {
        case Verb::skip_if:
        case Verb::check:
        case Verb::assume:
          if (has_read) return true;
          break;
        case Verb::await_change:
          if (is_of_var(program, instruction)) return true;
          break;
        case Verb::load:
        case Verb::add:
        case Verb::exchange:
        case Verb::read_var:
          has_read |= is_of_var(program, instruction);
          break;
        default:
          break;
      }
    }
    return false;
  });
}

/// The same program, whose threads check that the first atomic which each loads is not set yet.
Program with_checks(Program program) {
  for (Thread& thread : program.threads) {
    const auto load =
        std::find_if(thread.code.begin(), thread.code.end(), [&](const Instruction& instruction) {
          return instruction.verb == Verb::load && !is_of_var(program, instruction);
        });
    if (load != thread.code.end()) thread.code.insert(load + 1, {Verb::check, 0, 0, 0});
  }
  return program;
}

Report search(const Program& program, RealBody& body, Options options) {
  options.max_preemptions = unbounded;
  options.keep_going = true;
  options.save_schedules = options.try_saved = false;
  options.minimize = std::chrono::seconds(0);
  options.stack_size = std::size_t{64} * 1024;
  options.spurious_wakeups = program.spurious_wakeups;
  options.spurious_failures = program.spurious_failures;
  return explore(
      "past races", [&] { body.run(); }, options);
}

}  // namespace

std::string Wrong::to_text() const {
  std::string text;
  for (const RaceInWords& race : races) text += "a race of " + race + "; ";
  return text + (deadlocks ? "a deadlock; " : "no deadlock; ") +
         (fails ? "a failed check" : "no failed check");
}

std::optional<Wrong> everything_wrong_with(const Program& program, std::uint64_t most_executions) {
  EveryRaceOnTheWay every(program);
  Wrong wrong;
  const bool are_all = every.run(most_executions, [&](const State& state, unsigned /*price*/) {
    wrong.fails |= state.cut == Cut::failed;
    wrong.deadlocks |= state.cut == Cut::none && !Machine::all_have_ended(state);
  });
  if (!are_all) return std::nullopt;
  wrong.races = std::move(every.races);
  return wrong;
}

std::optional<std::string> PastRaceChecker::contradiction(const Program& original) {
  if (compares_plain_data(original)) return {};  // which reads or writes at one line: one race
  const Program program = with_checks(original);
  const std::optional<Wrong> answer = everything_wrong_with(program, kMostExecutions);
  if (!answer) return {};
  ++programs_;
  racing_ += answer->races.empty() ? 0 : 1;
  behind_ += !answer->races.empty() && (answer->deadlocks || answer->fails) ? 1 : 0;
  const bool decides = plain_data_decides(program);
  RealBody body(program);
  for (const Claim& claim : claims()) {
    if (!claim.finds_every_class || claim.make != nullptr) continue;
    if (decides && !claim.runs_every_execution_once) continue;
    ++searches_;
    const Report report = search(program, body, claim.options);
    if (report.verdict == Verdict::nondeterministic || !report.stopped_by.empty())
      return claim.name + ": " + report.explanation + report.stopped_by;
    const Wrong told = everything_told_by(report);
    if (told != *answer) return claim.name + " finds " + told.to_text() + "\nthere is " + answer->to_text();
  }
  return {};
}

std::string PastRaceChecker::to_text() const {
  return std::to_string(programs_) + " programs searched past their races, " + std::to_string(racing_) +
         " of them racing and " + std::to_string(behind_) + " failing behind a race, in " +
         std::to_string(searches_) + " searches\n";
}

}  // namespace hocket::oracle
