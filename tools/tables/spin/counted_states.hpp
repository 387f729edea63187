// Counts of the states of a model by single searches. hocket::model::check() would compile every search for
// each of the models.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "model/search/check.hpp"

namespace spin_models {

using hocket::model::Model;
using hocket::model::Options;
using hocket::model::Report;

/// Throws std::logic_error if the search does not come to its end.
template <Model M, template <Model> typename Search>
Report count(const Options& options, const hocket::model::Flaws& flaws) {
  const M model;
  hocket::model::Exploration<M> exploration("counted", model, options, flaws);
  const auto store = hocket::model::detail::make_store<M>(options, flaws);
  const hocket::model::Coverage coverage = Search<M>(exploration, *store).run();
  store->conclude(exploration.report);
  if (!coverage.is_complete)
    throw std::logic_error("a search that was to count states has not come to its end");
  exploration.report.seconds = exploration.limits.seconds();
  return exploration.report;
}

template <Model M>
Report search_depth_first(const Options& options) {
  return count<M, hocket::model::DepthFirst>(options, {});
}

template <Model M>
Report search_breadth_first(const Options& options) {
  return count<M, hocket::model::BreadthFirst>(options, {});
}

/// All states.
template <Model M>
Report search_all(bool reduce = false) {
  return search_depth_first<M>(
      {.strategy = "dfs", .store = hocket::model::Store::hash, .reduce = reduce, .keep_going = true});
}

/// A search with at most `bound` preemptions, which counts states as Spin does.
template <Model M>
Report search_within(unsigned bound, bool reduce = false) {
  const Options options{.strategy = "bcs",
      .store = hocket::model::Store::hash,
      .max_preemptions = bound,
      .reduce = reduce,
      .keep_going = true};
  return count<M, hocket::model::DepthFirst>(options, {.forgets_processes = true});
}

template <Model M>
std::uint64_t states_within(unsigned bound, bool reduce = false) {
  return search_within<M>(bound, reduce).states;
}

}  // namespace spin_models
