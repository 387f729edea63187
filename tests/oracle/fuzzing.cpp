#include "tests/oracle/fuzzing.hpp"

namespace hocket::oracle {

std::optional<Counterexample> Fuzzing::run(std::uint64_t count, const Property& property) {
  bool is_simplified = false;
  return first_counterexample(generator, seed, count, [&](const Program& program) {
    const Answer answer = enumerate(program, most_states);
    if (!is_simplified) census.count(program, answer);
    std::optional<std::string> contradiction;
    if (!answer.is_incomplete) contradiction = property(program, answer);
    is_simplified |= contradiction.has_value();
    return contradiction;
  });
}

}  // namespace hocket::oracle
