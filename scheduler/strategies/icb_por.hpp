#pragma once

#include <memory>

#include "strategy.hpp"

namespace hocket {

/// The strategy icb-por for a search that has already covered every bound below `first_bound`.
std::unique_ptr<Strategy> make_icb_por_from(const Options& options, unsigned first_bound);

}  // namespace hocket
