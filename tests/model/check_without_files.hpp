// For tests that have nothing to say about saved paths.
#pragma once

#include <string_view>
#include <utility>

#include "model/search/check.hpp"

namespace hocket::model::test {

using detail::Searches;

/// check(), without saving failing paths or following saved ones, and with these searches alone: every other
/// one would take seconds to compile for each model.
template <Searches kSearches, Model M>
Report check_without_files(
    std::string_view name, const M& model, Options options = {}, const Flaws& flaws = {}) {
  options.try_saved = false;
  options.save_schedules = false;
  return detail::check_by<kSearches>(name, model, std::move(options), flaws);
}

}  // namespace hocket::model::test
