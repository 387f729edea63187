// The fewest preemptions with which the seeded bugs show, as iterative context bounding finds them.
#include <ostream>
#include <string>
#include <vector>

#include "scheduler/api/number_text.hpp"

#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/samples/searching.hpp"
#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

constexpr const char* kIntroduction =
    R"(Seeded bugs by the preemptions of the first execution in which `icb` finds them.

)";

}  // namespace

FoundBugs find_bugs(
    const samples::SampleProgram& program, const Request& request, measure::MarkdownTable& each) {
  FoundBugs found;
  found.by_bound.resize(request.max_bound + 1);
  for (const samples::Seeded& bug : program.bugs) {
    const hocket::Report report = search("icb", request.max_bound, request.seconds, bug.body);
    std::string how = "not found within the bound";
    std::string preemptions;
    if (report.failures.empty()) {
      ++found.not_found;
      if (!executions_within(report, request.max_bound).is_complete) how = "not found in time";
    } else {
      const hocket::FoundFailure& failure = report.failures[0];
      ++found.by_bound.at(failure.bound);
      how = failure.message.substr(0, failure.message.find('\n'));
      preemptions = std::to_string(failure.bound);
    }
    each.add({program.name, bug.name, how, preemptions, hocket::number_text(report.executions)});
  }
  return found;
}

void print_bugs(const Request& request, std::ostream& out) {
  out << kIntroduction;
  std::vector<std::string> header{"program", "bugs"};
  for (unsigned c = 0; c <= request.max_bound; ++c) header.push_back("at " + std::to_string(c));
  header.emplace_back("not found");
  measure::MarkdownTable table(header);
  measure::MarkdownTable each({"program", "bug", "how it fails", "preemptions", "executions"}, 3);
  for (const samples::SampleProgram& program : request.programs) {
    const FoundBugs found = find_bugs(program, request, each);
    std::vector<std::string> row{program.name, std::to_string(program.bugs.size())};
    for (const unsigned bugs : found.by_bound) row.push_back(std::to_string(bugs));
    row.push_back(std::to_string(found.not_found));
    table.add(row);
  }
  out << table << "\nEach of them, with the executions up to and including the failing one:\n\n" << each;
}

}  // namespace tables
