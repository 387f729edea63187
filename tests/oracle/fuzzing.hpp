// Tries one program after another until one contradicts a claim, with the answers of the brute force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/oracle/census.hpp"
#include "tests/oracle/claims.hpp"
#include "tests/oracle/programs/counterexample.hpp"
#include "tests/oracle/programs/generator.hpp"

namespace hocket::oracle {

/// Describes what is wrong with the product for this program, given the answer of the brute force.
using Property = std::function<std::optional<std::string>(const Program&, const Answer&)>;

struct Fuzzing {
  Generator generator = ordinary_program;
  std::uint64_t seed = 1;  ///< of the first program; each program increases it by one
  std::size_t most_states = 1500;
  Census census{};

  /// The first of the next `count` programs that violates the property, simplified.
  std::optional<Counterexample> run(std::uint64_t count, const Property& property);
};

}  // namespace hocket::oracle
