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

constexpr std::array<std::size_t, 3> kSizes{3, 4, 5};

/// How often the thief tries to steal: as in the sample, and more often, which makes executions like those of
/// docs/papers.md in number.
constexpr std::array<int, 2> kAttempts{1, 3};

}  // namespace

std::vector<hocket::Report> searches_of_queue(int attempts, const Request& request) {
  std::vector<hocket::Report> reports;
  for (const std::size_t size : kSizes) {
    const samples::StealingSetup setup{
        .slots = size, .items = static_cast<int>(size) + 1, .attempts = attempts};
    const auto body = [setup] { samples::run_workers<samples::StealingSeed::none>(setup); };
    for (const char* strategy : {"icb", "cb-por"}) {
      reports.push_back(search_correct(strategy, request.max_bound, request.seconds, body));
    }
  }
  return reports;
}

namespace {

void print_measured(int attempts, const Request& request, std::ostream& out) {
  std::vector<std::string> header{"bound"};
  for (const std::size_t size : kSizes) {
    for (const char* strategy : {"icb", "cb-por"})
      header.push_back(strategy + (", size " + std::to_string(size)));
  }
  const std::vector<hocket::Report> reports = searches_of_queue(attempts, request);
  measure::MarkdownTable table(header);
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
}

}  // namespace tables
