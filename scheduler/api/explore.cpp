#include "explore.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "../../runtime/execution/step.hpp"
#include "../../runtime/threads/host.hpp"
#include "../existing_tests/existing_tests.hpp"
#include "../existing_tests/first_look.hpp"
#include "../failures/failure_pages.hpp"
#include "../options/settings.hpp"
#include "../process/child_processes.hpp"
#include "../report/report_file.hpp"
#include "../search/search.hpp"

namespace hocket {

constinit AssertionListener listen_to_assertions = nullptr;

Report explore(std::string_view test, const std::function<void()>& body, Options options) {
  if (!runtime::is_controlled()) options = with_settings(std::move(options));
  return explore_exactly(test, body, options);
}

Report explore_exactly(std::string_view test, const std::function<void()>& body, const Options& options) {
  if (runtime::is_controlled()) {
    leave_first_look_to_search();
    runtime::step::fail(runtime::FailureKind::misuse,
        "explore() was called inside the body of another explore(); run one after the other",
        runtime::Where{});
    return {};
  }
  if (options.restore == Restore::fork && runtime::run.host == nullptr) {
    throw std::invalid_argument(
        "hocket: restore=fork requires instrumented code: call hocket_instrument(<target>) in "
        "CMakeLists.txt, or leave it out");
  }
  // A program may run several searches while the settings ask for only one of them.
  std::optional<ReasonNotToSearch> reason = reason_not_to_search(std::string(test), options.replay);
  if (reason.has_value()) {
    Report report;
    report.test = test;
    report.stopped_by = std::move(reason->asked_by);
    report.explanation = std::move(reason->explanation);
    return report;
  }
  const std::shared_ptr<void> assertions = listen_to_assertions != nullptr ? listen_to_assertions() : nullptr;
  Report report;
  announce_in_report_file(std::string(test), options.shard);
  try {
    // The report goes into a local variable first. `report` may be constructed in memory of the caller that
    // is restored when the search is over.
    const auto search = [&] {
      Report explored = Search(std::string(test), body, options).run();
      report = std::move(explored);
    };
    if (makes_children(options)) {
      runtime::run.host->searches.share_with_children(search, &end_as_child_did);
    } else {
      search();
    }
  } catch (...) {
    announce_in_report_file({});
    throw;
  }
  add_to_report_file(report);
  write_failure_pages(report);
  return report;
}

}  // namespace hocket
