// How many of a program's states are reached with so many preemptions.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "scheduler/api/number_text.hpp"

#include "tools/tables/measure/executions.hpp"
#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/samples/searching.hpp"
#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

constexpr const char* kIntroduction =
    R"(Distinct states that executions with at most the given number of preemptions reach. A state is the
happens-before graph of what was done up to a choice point or the end. Percentages are of all states; without
them the search was stopped before it had met them all, and ">" marks the bound at which it was stopped.
`hb-cache`, without a last bound, runs the executions.

)";

using measure::StatesByBound;

std::string cell(const StatesByBound& states, std::size_t bound) {
  if (bound >= states.within.size()) return "";
  const std::uint64_t here = states.within[bound];
  if (!states.is_complete) return to_text(Count{here, bound + 1 < states.within.size()});
  // Rounded down: 100 % is all of them.
  const std::uint64_t per_mille = here * 1000 / states.within.back();
  return hocket::number_text(here) + " (" + std::to_string(per_mille / 10) + "." +
         std::to_string(per_mille % 10) + " %)";
}

}  // namespace

void print_coverage(const Request& request, std::ostream& out) {
  out << kIntroduction;
  std::vector<std::string> header{"bound"};
  std::vector<StatesByBound> counted;
  std::size_t bounds = 0;
  for (const samples::SampleProgram& program : request.programs) {
    header.push_back(program.name);
    const Deadline deadline(request.seconds);
    counted.push_back(
        measure::states_by_bound(program.body, "hb-cache", [&] { return !deadline.is_over(); }));
    bounds = std::max(bounds, counted.back().within.size());
  }
  measure::MarkdownTable table(header);
  for (std::size_t bound = 0; bound < bounds; ++bound) {
    std::vector<std::string> row{std::to_string(bound)};
    for (const StatesByBound& states : counted) row.push_back(cell(states, bound));
    table.add(row);
  }
  out << table;
}

}  // namespace tables
