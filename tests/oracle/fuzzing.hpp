// Tries one program after another until one contradicts a claim.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/oracle/census.hpp"
#include "tests/oracle/claims.hpp"
#include "tests/oracle/generator.hpp"

namespace hocket::oracle {

/// Describes what is wrong with the product for this program, given the answer of the brute force.
using Property = std::function<std::optional<std::string>(const Program&, const Answer&)>;

struct Counterexample {
  std::uint64_t seed = 0;  ///< of the program as it was generated
  Program program;         ///< simplified as far as possible
  std::string contradiction;

  [[nodiscard]] std::string to_text() const;
};

/// Generates up to `programs` programs with consecutive seeds from `seed` on. Returns the first one for which
/// `find` finds something, simplified as far as possible. Moves `seed` on to the next seed.
std::optional<Counterexample> first_counterexample(const rc::Gen<Program>& generator, std::uint64_t& seed,
    std::uint64_t programs, const std::function<std::optional<std::string>(const Program&)>& find);

struct Fuzzing {
  rc::Gen<Program> generator = programs();
  std::uint64_t seed = 1;  ///< of the first program; each program increases it by one
  std::size_t most_states = 1500;
  Census census{};

  /// The first of the next `count` programs that violates the property, simplified.
  std::optional<Counterexample> run(std::uint64_t count, const Property& property);
};

}  // namespace hocket::oracle
