// For tests that have nothing to say about saved paths.
#pragma once

#include <string_view>
#include <utility>

#include "model/search/check.hpp"

namespace hocket::model::test {

/// check(), without saving failing paths or following saved ones.
template <Model M>
Report check_without_files(std::string_view name, const M& model, Options options = {}) {
  options.try_saved = false;
  options.save_schedules = false;
  return check(name, model, std::move(options));
}

}  // namespace hocket::model::test
