// The report of a search in which the process has died, made after a fresh start.
#pragma once

#include <functional>
#include <string_view>

#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../process/fresh_start.hpp"

namespace hocket {

/// The arguments after the first are those of explore(), which has ended in this way. Throws as it does.
Report report_of(const fresh_start::Ending& ending, std::string_view test, const std::function<void()>& body,
    Options options);

}  // namespace hocket
