// Paths that were saved in schedule files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/terms/failure.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"

namespace hocket::model {

struct SavedStep {
  std::string process;  ///< its name
  std::string action;
  std::string changes;       ///< as changes() gives it
  std::uint32_t choice = 0;  ///< PathStep::choice
};

struct SavedPath {
  std::string file;
  runtime::FailureKind kind = runtime::FailureKind::check;
  unsigned preemptions = 0;
  std::vector<SavedStep> steps;
};

/// `options`, overridden by the flags and variables that models share with other searches: limits, seed,
/// where to save, what to replay. Throws std::invalid_argument.
Options with_settings(Options options);

/// Whether a signal has ended an earlier search, or the settings ask for another test. If so, the report says
/// why this model is not checked.
bool is_excluded(Report& report, const Options& options);

/// The path in Options::replay. Throws ScheduleError, also if it is a path of another model.
SavedPath path_to_replay(const std::string& model, const Options& options);

/// The paths that were saved for the model. A file that cannot be read is left alone, with a warning.
std::vector<SavedPath> saved_paths(const std::string& model, const Options& options);

}  // namespace hocket::model
