#include "explore.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <fnmatch.h>

#include "../../runtime/execution/execution.hpp"
#include "../process/child_processes.hpp"
#include "../search/report_file.hpp"
#include "../search/search.hpp"
#include "../search/settings.hpp"

namespace hocket {

namespace {

/// Whether `test` matches the pattern of HOCKET_TEST. Patterns that only GoogleTest understands match every
/// test here, because GoogleTest itself filters by them.
bool is_asked_for(const std::string& pattern, const std::string& test) {
  if (pattern.empty() || pattern.starts_with('-') || pattern.find(':') != std::string::npos) return true;
  return pattern == test || fnmatch(pattern.c_str(), test.c_str(), 0) == 0;
}

}  // namespace

constinit AssertionListener listen_to_assertions = nullptr;

Report explore(std::string_view test, const std::function<void()>& body, Options options) {
  if (runtime::is_controlled()) {
    runtime::execution.fail(runtime::FailureKind::misuse,
        "explore() was called inside the body of another explore(); run one after the other",
        runtime::Where{});
    return {};
  }
  options = with_settings(std::move(options));
  if (options.restore == Restore::fork && runtime::execution.host == nullptr) {
    throw std::invalid_argument(
        "hocket: restore is fork, which is for instrumented code: call hocket_instrument(<target>) in "
        "CMakeLists.txt, or leave it out");
  }
  // A program may run several searches while the settings ask for only one of them.
  const Settings& asked = settings();
  const bool replays_another =
      !asked.replay.empty() && options.replay == asked.replay && asked.replay_test != test;
  if (replays_another || !is_asked_for(asked.test, std::string(test))) {
    Report report;
    report.test = test;
    report.stopped_by = replays_another ? "HOCKET_REPLAY" : "HOCKET_TEST";
    report.explanation = replays_another
                             ? asked.replay + " is a schedule of the test \"" + asked.replay_test + '"'
                             : "HOCKET_TEST asks for the test \"" + asked.test + '"';
    report.explanation += ", and this is the test \"" + report.test + '"';
    return report;
  }
  const std::shared_ptr<void> assertions = listen_to_assertions != nullptr ? listen_to_assertions() : nullptr;
  Report report;
  announce_in_report_file(std::string(test));
  try {
    // The report goes into a local variable first. `report` may be constructed in memory of the caller that
    // is restored when the search is over.
    const auto search = [&] {
      Report explored = Search(std::string(test), body, options).run();
      report = std::move(explored);
    };
    if (makes_children(options)) {
      runtime::execution.host->share_with_children(search, &end_as_child_did);
    } else {
      search();
    }
  } catch (...) {
    announce_in_report_file({});
    throw;
  }
  add_to_report_file(report);
  return report;
}

}  // namespace hocket
