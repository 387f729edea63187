// What the reduction saves on the work-stealing queue.
#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "samples/work_stealing_queue.hpp"
#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/samples/searching.hpp"
#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

constexpr const char* kIntroduction =
    R"(Complete executions of the work-stealing queue, with at most the given number of preemptions (`icb`) or of
classes within that bound (`cb-por`). The owner has one item more than the queue has slots.
)";

constexpr const char* kAfterwards = R"(
Table 1 of *Partial-Order Reduction for Context-Bounded State Exploration*. Its queue and its test driver are
different, so the numbers do not compare; `cb-dfs` runs what `icb` runs.

)";

constexpr std::array<std::size_t, 3> kSizes{3, 4, 5};

/// Musuvathi and Qadeer, Partial-Order Reduction for Context-Bounded State Exploration, 2007, Table 1: cb-dfs
/// and cb-por at each size, by bound.
constexpr std::array<std::array<unsigned, 6>, 5> kPaper{{
    {2, 2, 2, 2, 2, 2},
    {46, 46, 54, 54, 67, 67},
    {756, 713, 898, 853, 1197, 1136},
    {8918, 7838, 12711, 8458, 19460, 14563},
    {66374, 48828, 95935, 52572, 161637, 95068},
}};

/// How often the thief tries to steal: as in the sample, and more often, which makes executions like those of
/// the paper in number.
constexpr std::array<int, 2> kAttempts{1, 3};

measure::MarkdownTable table_of(const std::string& without, const std::string& with) {
  std::vector<std::string> header{"bound"};
  for (const std::size_t size : kSizes) {
    for (const std::string& strategy : {without, with}) {
      header.push_back(strategy + ", size " + std::to_string(size));
    }
  }
  return measure::MarkdownTable(header);
}

void print_measured(int attempts, const Request& request, std::ostream& out) {
  std::vector<hocket::Report> reports;
  for (const std::size_t size : kSizes) {
    const samples::StealingSetup setup{
        .slots = size, .items = static_cast<int>(size) + 1, .attempts = attempts};
    const auto body = [setup] { samples::run_workers<samples::StealingSeed::none>(setup); };
    for (const char* strategy : {"icb", "cb-por"}) {
      reports.push_back(search_correct(strategy, request.max_bound, request.seconds, body));
    }
  }
  measure::MarkdownTable table = table_of("icb", "cb-por");
  for (unsigned bound = 0; bound <= request.max_bound; ++bound) {
    std::vector<std::string> row{std::to_string(bound)};
    for (const hocket::Report& report : reports) row.push_back(to_text(executions_within(report, bound)));
    table.add(row);
  }
  out << table;
}

}  // namespace

void print_queue(const Request& request, std::ostream& out) {
  out << kIntroduction;
  for (const int attempts : kAttempts) {
    out << "\nThe thief tries to steal " << (attempts == 1 ? "once" : std::to_string(attempts) + " times")
        << ":\n\n";
    print_measured(attempts, request, out);
  }
  out << kAfterwards;
  measure::MarkdownTable paper = table_of("cb-dfs", "cb-por");
  for (unsigned bound = 0; bound < kPaper.size(); ++bound) {
    std::vector<std::string> row{std::to_string(bound)};
    for (const unsigned executions : kPaper.at(bound)) row.push_back(to_text(Count{executions}));
    paper.add(row);
  }
  out << paper;
}

}  // namespace tables
