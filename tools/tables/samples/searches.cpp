// What searches cost: each sample, each bound, without a reduction and with each of two.
#include <cstdio>
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
    R"(One search for each line, from bound 0 up to and including the bound. Executions ran to their end; pruned runs
were cut short by the reduction; classes are distinct happens-before classes. Seconds are CPU time. Memory is
what the search keeps: pending work at its peak (measured every 256 runs), the reduction's table and the set
of classes. ">": the search was stopped by its time limit, and larger bounds were not tried. A strategy whose
lines end before the last bound without ">" has run every execution there is.
)";

std::string seconds_text(double seconds) {
  char text[32];
  static_cast<void>(std::snprintf(text, sizeof text, "%.3f", seconds));
  return text;
}

std::string memory_text(const hocket::Report& report) {
  const std::size_t bytes = report.frontier_peak_bytes + report.table_bytes + report.class_bytes;
  return hocket::number_text((bytes + 1023) / 1024) + " KB";
}

/// All searches of one program with one strategy.
void add_rows(const samples::SampleProgram& program, const char* strategy, const Request& request,
    measure::MarkdownTable& table) {
  for (unsigned bound = 0; bound <= request.max_bound; ++bound) {
    const double begin = cpu_seconds();
    const hocket::Report report = search_correct(strategy, bound, request.seconds, program.body);
    const double seconds = cpu_seconds() - begin;
    const bool is_complete = executions_within(report, bound).is_complete;
    const auto text = [&](std::uint64_t number) { return to_text(Count{number, is_complete}); };
    // If a stopped search has not pruned anything yet, it may never do so, so "> 0" would be wrong.
    table.add({strategy, std::to_string(bound), text(report.executions),
        is_complete || report.pruned != 0 ? text(report.pruned) : "0", text(report.classes),
        text(report.steps), (is_complete ? "" : "> ") + seconds_text(seconds),
        (is_complete ? "" : "> ") + memory_text(report)});
    if (!is_complete) break;  // larger bounds include this one
    if (report.verdict == hocket::Verdict::passed_exhaustively) break;
  }
}

}  // namespace

void print_searches(const Request& request, std::ostream& out) {
  out << kIntroduction;
  for (const samples::SampleProgram& program : request.programs) {
    out << "\n### " << program.name << "\n\n";
    measure::MarkdownTable table(
        {"strategy", "bound", "executions", "pruned runs", "classes", "steps", "seconds", "memory"});
    for (const char* strategy : {"icb", "hb-cache", "cb-por"}) add_rows(program, strategy, request, table);
    out << table << std::flush;
  }
}

}  // namespace tables
