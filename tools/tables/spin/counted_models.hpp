// The models that Spin has, too: tools/compare-with-spin compares the states.
#pragma once

#include <span>
#include <string>

#include "model/api/report.hpp"

namespace spin_models {

struct Counted {
  const char* name;  ///< as in tools/compare-with-spin
  hocket::model::Report (*search_all)(bool reduce);
  hocket::model::Report (*search_within)(unsigned bound, bool reduce);
};
std::span<const Counted> counted_models();
/// Throws std::invalid_argument, which lists them, for a name that none has.
const Counted& counted_model(const std::string& name);

}  // namespace spin_models
