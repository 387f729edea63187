// explore() with options that are already what they are to be.
#pragma once

#include <functional>
#include <string_view>

#include "../api/options.hpp"
#include "../api/report.hpp"

namespace hocket {

/// Like explore(), but the environment and the flags do not override `options`.
Report explore_exactly(std::string_view test, const std::function<void()>& body, const Options& options);

}  // namespace hocket
