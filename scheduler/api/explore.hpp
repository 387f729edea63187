// The entry: explore a test body.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "options.hpp"
#include "report.hpp"

namespace hocket {

/// Runs `body` under one schedule after another and reports what came of it. HOCKET_… environment variables
/// and the flags given to initialize() override `options`. Throws std::invalid_argument for options that make
/// no sense, ScheduleError for a bad schedule file to replay, and std::logic_error when another search is
/// running.
Report explore(std::string_view test, const std::function<void()>& body, Options options = {});

/// For a library of assertions: notes those that fail in a body as failures of the execution, for as long as
/// what it returns lives. To be set before any search; nullptr: there is no such library.
using AssertionListener = std::shared_ptr<void> (*)();
extern AssertionListener listen_to_assertions;

}  // namespace hocket
