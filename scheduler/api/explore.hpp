// The entry point: explore a test body.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "options.hpp"
#include "report.hpp"

namespace hocket {

/// Runs `body` under one schedule after another and reports what was found. HOCKET_… environment variables
/// and the flags given to initialize() override `options`. Throws std::invalid_argument if the options are
/// invalid, ScheduleError if the schedule file to replay is invalid, and std::logic_error if another search
/// is running.
Report explore(std::string_view test, const std::function<void()>& body, Options options = {});

/// A hook for assertion libraries: while the object that it returns is alive, an assertion that fails in a
/// body counts as a failure of the execution. Set it before any search; nullptr means no such library.
using AssertionListener = std::shared_ptr<void> (*)();
extern AssertionListener listen_to_assertions;

}  // namespace hocket
