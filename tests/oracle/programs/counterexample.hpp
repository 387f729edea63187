// Tries one random program after another until one contradicts a claim.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/oracle/programs/program.hpp"

namespace hocket::oracle {

struct Counterexample {
  std::uint64_t seed = 0;  ///< of the program as it was generated
  Program program;         ///< simplified as far as possible
  std::string contradiction;

  [[nodiscard]] std::string to_text() const;
};

using Generator = std::function<Program(std::uint64_t seed)>;
/// Describes what is wrong with the program, or with the product for it, if anything is.
using Find = std::function<std::optional<std::string>(const Program&)>;

/// Tries the programs of `count` seeds, from `seed` on, and moves `seed` on to the next one. Once `find` has
/// found something it is called for simpler programs only.
std::optional<Counterexample> first_counterexample(
    const Generator& generator, std::uint64_t& seed, std::uint64_t count, const Find& find);

}  // namespace hocket::oracle
