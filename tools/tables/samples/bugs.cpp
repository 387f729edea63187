// The fewest preemptions with which the seeded bugs show, as iterative context bounding finds them.
#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/api/number_text.hpp"

#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/samples/searching.hpp"
#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

constexpr const char* kIntroduction =
    R"(Seeded bugs by the preemptions of the first execution in which `icb` finds them. "Paper": Table 2 of
*Iterative Context Bounding for Systematic Testing of Multithreaded Programs*, which found its bugs in the
programs that the samples are modelled on.

)";

/// Musuvathi and Qadeer, Iterative Context Bounding for Systematic Testing of Multithreaded Programs, 2007,
/// Table 2.
struct PaperBugs {
  std::string_view program;  ///< what the names of its samples begin with
  const char* total;
  std::array<const char*, 4> by_bound;
};
constexpr std::array<PaperBugs, 5> kPaper{{
    {"Bluetooth", "1", {"0", "1", "0", "0"}},
    {"work-stealing queue", "3", {"0", "1", "2", "0"}},
    {"transaction manager", "3", {"0", "0", "2", "1"}},
    {"asynchronous processing environment", "4", {"2", "1", "1", "0"}},
    {"channel", "3", {"1", "2", "0", "0"}},
}};

struct FoundBugs {
  std::vector<unsigned> by_bound;
  unsigned not_found = 0;
};

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

}  // namespace

void print_bugs(const Request& request, std::ostream& out) {
  out << kIntroduction;
  std::vector<std::string> header{"program", "bugs"};
  for (unsigned c = 0; c <= request.max_bound; ++c) header.push_back("at " + std::to_string(c));
  header.insert(header.end(), {"not found", "paper: bugs"});
  for (unsigned c = 0; c < PaperBugs{}.by_bound.size(); ++c)
    header.push_back("paper: at " + std::to_string(c));
  measure::MarkdownTable table(header);
  measure::MarkdownTable each({"program", "bug", "how it fails", "preemptions", "executions"}, 3);
  for (const samples::SampleProgram& program : request.programs) {
    const FoundBugs found = find_bugs(program, request, each);
    std::vector<std::string> row{program.name, std::to_string(program.bugs.size())};
    for (const unsigned bugs : found.by_bound) row.push_back(std::to_string(bugs));
    row.push_back(std::to_string(found.not_found));
    for (const PaperBugs& paper : kPaper) {
      if (!program.name.starts_with(paper.program)) continue;
      row.emplace_back(paper.total);
      row.insert(row.end(), paper.by_bound.begin(), paper.by_bound.end());
    }
    table.add(row);
  }
  out << table << "\nEach of them, with the executions up to and including the failing one:\n\n" << each;
}

}  // namespace tables
