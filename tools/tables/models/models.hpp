// The models that the tables measure.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "model/api/options.hpp"
#include "model/api/report.hpp"

namespace model_tables {

/// A correct model of a protocol.
struct Subject {
  const char* name;     ///< for --model
  const char* title;    ///< with its size
  std::uint32_t depth;  ///< the usual bound for it
  hocket::model::Report (*check)(const hocket::model::Options& options);
};
std::span<const Subject> all_subjects();
/// Some of them so large that a budget of some million transitions ends a search.
std::span<const Subject> large_subjects();

/// A search with this result contradicts the others or the model.
class Contradiction : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A report, and the CPU time that its search took. Unlike wall time, it does not depend on other load on the
/// machine.
struct Run {
  hocket::model::Report report;
  double seconds = 0;
};

/// Searches within `options`. Throws Contradiction if the model fails, and std::runtime_error if the search
/// was stopped.
Run run(const Subject& subject, const hocket::model::Options& options);

/// The number of states that can be reached with at most `depth` steps, by breadth-first search.
std::uint64_t states_within(const Subject& subject, std::uint32_t depth);

/// Searches up to the depth `options.max_depth`, and compares the number of states with that of a
/// breadth-first search, `expected`. Throws Contradiction if they differ.
Run run_depth_bounded(const Subject& subject, hocket::model::Options options, std::uint64_t expected);

}  // namespace model_tables
