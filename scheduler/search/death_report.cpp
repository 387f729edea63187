#include "death_report.hpp"

#include <string>
#include <utility>

#include "../../runtime/execution/execution.hpp"
#include "../process/child_processes.hpp"
#include "failure_pages.hpp"
#include "report_file.hpp"
#include "search.hpp"
#include "settings.hpp"

namespace hocket {

Report report_of(const fresh_start::Ending& ending, std::string_view test, const std::function<void()>& body,
    Options options) {
  options = with_settings(std::move(options));
  Report report;
  const auto search = [&] {
    Report told = Search(std::string(test), body, options).tell_of(ending);
    report = std::move(told);
  };
  if (makes_children(options)) {
    runtime::run.host->share_with_children(search, &end_as_child_did);
  } else {
    search();
  }
  complete_in_report_file(report);
  write_failure_pages(report);
  return report;
}

}  // namespace hocket
