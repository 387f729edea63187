#include "tests/oracle/programs/counterexample.hpp"

#include <utility>

#include "tests/oracle/programs/generator.hpp"

namespace hocket::oracle {

namespace {

/// Replaces the program by a simpler one that also contradicts the claim. Returns false if there is none.
bool simplify(Counterexample& found, const Find& find) {
  for (Program& simpler : simpler_than(found.program)) {
    std::optional<std::string> still = find(simpler);
    if (!still) continue;
    found.contradiction = std::move(*still);
    found.program = std::move(simpler);
    return true;
  }
  return false;
}

}  // namespace

std::string Counterexample::to_text() const {
  return "The program of seed " + std::to_string(seed) + ", simplified:\n" + oracle::to_text(program) +
         contradiction + "\n";
}

std::optional<Counterexample> first_counterexample(
    const Generator& generator, std::uint64_t& seed, std::uint64_t count, const Find& find) {
  for (; count != 0; --count) {
    Counterexample made{.seed = seed, .program = generator(seed), .contradiction = {}};
    ++seed;
    std::optional<std::string> contradiction = find(made.program);
    if (!contradiction) continue;
    made.contradiction = std::move(*contradiction);
    while (simplify(made, find)) {
    }
    return made;
  }
  return {};
}

}  // namespace hocket::oracle
