// Options that are given by their names.
#pragma once

#include "../../scheduler/api/options.hpp"
#include "explore.hpp"

namespace hocket::older {

/// Throws std::invalid_argument for an option that there is not, or a value that makes no sense.
hocket::Options named_options(const Options& options);

}  // namespace hocket::older
