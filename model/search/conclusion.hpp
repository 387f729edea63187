// The verdict of a search.
#pragma once

#include <string>

#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../states/flaws.hpp"
#include "limits.hpp"

namespace hocket::model {

/// What a search has visited at its end.
struct Coverage {
  bool is_complete = true;    ///< every state within the bound, as far as the store can tell
  bool is_everything = true;  ///< the bound has left out none
};

/// Completes the report. `contradiction` is what is wrong with the model, or empty.
void conclude(Report& report, const Options& options, const Flaws& flaws, const Limits& limits,
    const Coverage& coverage, std::string contradiction);

}  // namespace hocket::model
