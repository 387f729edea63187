// Program after program, until one contradicts a claim.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/oracle/census.hpp"
#include "tests/oracle/claims.hpp"

namespace hocket::oracle {

/// Says what is wrong with the product, seen with this program and this answer of the brute force to it.
using Property = std::function<std::optional<std::string>(const Program&, const Answer&)>;

struct Counterexample {
  std::uint64_t seed = 0;  ///< of the program as it was made
  Program program;         ///< made as simple as possible
  std::string contradiction;

  [[nodiscard]] std::string to_text() const;
};

/// The first of `programs` programs made with seeds from `seed` on about which `find` finds something, made
/// as simple as it can be. `seed` is moved on to the next.
std::optional<Counterexample> first_counterexample(const rc::Gen<Program>& generator, std::uint64_t& seed,
    std::uint64_t programs, const std::function<std::optional<std::string>(const Program&)>& find);

struct Fuzzing {
  std::uint64_t seed = 1;  ///< of the first program; the next has the next
  std::size_t most_states = 1500;
  Census census{};

  /// The first of the next `count` programs that has the property violated, simplified.
  std::optional<Counterexample> run(std::uint64_t count, const Property& property);
};

}  // namespace hocket::oracle
