// A search after which the program begins anew if it ends the process, or the report of one that did.
#pragma once

#include <functional>
#include <string>

#include "../api/options.hpp"
#include "../api/report.hpp"

namespace hocket {

/// Explores the body, or makes the report of the execution in which the same search ended the program before
/// that began anew. The arguments are those of explore(). Throws as it does.
Report explore_or_tell_of_death(
    const std::string& test, const std::function<void()>& body, const Options& options);

}  // namespace hocket
