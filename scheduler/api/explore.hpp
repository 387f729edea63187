// The entry: explore a test body.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "options.hpp"
#include "report.hpp"

namespace hocket {

/// Runs `body` under one schedule after another and reports what was found. HOCKET_… environment variables
/// and the flags given to initialize() override `options`. Throws std::invalid_argument if the options are
/// invalid, ScheduleError if the schedule file to replay is, and std::logic_error if another search is
/// running.
Report explore(std::string_view test, const std::function<void()>& body, Options options = {});

/// For assertion libraries: while the object that it returns lives, assertions that fail in a body count as
/// failures of the execution. Set it before any search; nullptr means that there is no such library.
using AssertionListener = std::shared_ptr<void> (*)();
extern AssertionListener listen_to_assertions;

}  // namespace hocket
