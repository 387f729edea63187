#include "death_report.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "../../runtime/execution/step.hpp"
#include "../../runtime/threads/host.hpp"
#include "../api/explore.hpp"
#include "../failures/failure_pages.hpp"
#include "../options/settings.hpp"
#include "../process/child_processes.hpp"
#include "../process/fresh_start.hpp"
#include "../report/report_file.hpp"
#include "../search/search.hpp"

namespace hocket {

namespace {

Report report_of(const fresh_start::Ending& ending, std::string_view test, const std::function<void()>& body,
    Options options) {
  options = with_settings(std::move(options));
  Report report;
  const auto search = [&] {
    Report told = Search(std::string(test), body, options).tell_of(ending);
    report = std::move(told);
  };
  if (makes_children(options)) {
    runtime::run.host->searches.share_with_children(search, &end_as_child_did);
  } else {
    search();
  }
  complete_in_report_file(report);
  write_failure_pages(report);
  return report;
}

}  // namespace

Report explore_or_tell_of_death(
    const std::string& test, const std::function<void()>& body, const Options& options) {
  const auto ending = fresh_start::take_ending(test);
  if (!with_settings(options).replay.empty()) return explore(test, body, options);
  const fresh_start::Possible possible(ending.has_value());
  return ending.has_value() ? report_of(*ending, test, body, options) : explore(test, body, options);
}

}  // namespace hocket
