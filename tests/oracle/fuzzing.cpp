#include "tests/oracle/fuzzing.hpp"

#include <utility>

namespace hocket::oracle {

namespace {

constexpr int kAnySize = 100;  ///< programs have sizes of their own

/// Repeatedly replaces the program by the first simpler program that also violates the claim.
Counterexample simplified(rc::Shrinkable<Program> failing,
    const std::function<std::optional<std::string>(const Program&)>& find, std::string contradiction) {
  for (;;) {
    bool is_simplest = true;
    auto simpler = failing.shrinks();
    while (auto next = simpler.next()) {
      if (auto still = find(next->value())) {
        contradiction = std::move(*still);
        failing = std::move(*next);
        is_simplest = false;
        break;
      }
    }
    if (is_simplest) return {0, failing.value(), std::move(contradiction)};
  }
}

}  // namespace

std::string Counterexample::to_text() const {
  return "The program of seed " + std::to_string(seed) + ", simplified:\n" + oracle::to_text(program) +
         contradiction + "\n";
}

std::optional<Counterexample> first_counterexample(const rc::Gen<Program>& generator, std::uint64_t& seed,
    std::uint64_t programs, const std::function<std::optional<std::string>(const Program&)>& find) {
  for (; programs != 0; --programs, ++seed) {
    rc::Shrinkable<Program> made = generator(rc::Random(seed), kAnySize);
    std::optional<std::string> contradiction = find(made.value());
    if (!contradiction) continue;
    Counterexample counterexample = simplified(std::move(made), find, std::move(*contradiction));
    counterexample.seed = seed++;
    return counterexample;
  }
  return {};
}

std::optional<Counterexample> Fuzzing::run(std::uint64_t count, const Property& property) {
  for (; count != 0; --count, ++seed) {
    rc::Shrinkable<Program> made = generator(rc::Random(seed), kAnySize);
    const Program program = made.value();
    const Answer answer = enumerate(program, most_states);
    if (answer.is_incomplete) {
      census.count_too_large();
      continue;
    }
    census.count(program, answer);
    std::optional<std::string> contradiction = property(program, answer);
    if (!contradiction) continue;
    const auto find = [&](const Program& simpler) -> std::optional<std::string> {
      const Answer its_answer = enumerate(simpler, most_states);
      if (its_answer.is_incomplete) return {};
      return property(simpler, its_answer);
    };
    Counterexample counterexample = simplified(std::move(made), find, std::move(*contradiction));
    counterexample.seed = seed++;
    return counterexample;
  }
  return {};
}

}  // namespace hocket::oracle
