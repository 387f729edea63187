// How many states are visited again because a shorter path leads to them, with and without thresholds.
#include <ostream>
#include <string>

#include "scheduler/api/number_text.hpp"

#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/models/tables.hpp"

namespace model_tables {

namespace {

using hocket::number_text;
using hocket::model::Revisits;

constexpr const char* kIntroduction =
    R"(Depth-bounded searches, as in Table 2 of Udupa, Desai and Rajamani, Depth Bounded Explicit-State Model Checking
(SPIN 2011). Revisits are the visits of states beyond the first. Without thresholds, a state is visited again whenever
a shorter path leads to it; with them, if such a path could lead to states that the bound has cut off. "Deepest" is
the greatest depth of a state within the bound. Seconds are CPU time.

)";

}  // namespace

void print_revisits(const Request& request, std::ostream& out) {
  out << kIntroduction;
  measure::MarkdownTable table({"model", "depth bound", "increment", "distinct states", "deepest",
      "revisits without", "revisits with", "reduction", "seconds without", "seconds with"});
  for (const Subject& subject : request.subjects) {
    const std::uint32_t depth = request.depth != 0 ? request.depth : subject.depth;
    const Run all =
        run(subject, {.strategy = "bfs", .store = hocket::model::Store::hash, .max_depth = depth});
    // States at the bound itself are met, but not visited.
    const std::uint64_t visited = states_within(subject, depth - 1);
    for (const std::uint32_t increment : increments(depth)) {
      const auto search = [&](Revisits revisits) {
        return run_depth_bounded(
            subject, {.max_depth = depth, .depth_step = increment, .revisits = revisits}, all.report.states);
      };
      const Run without = search(Revisits::less_depth);
      const Run with = search(Revisits::threshold);
      const std::uint64_t before = without.report.visits - visited;
      const std::uint64_t after = with.report.visits - visited;
      table.add({subject.title, std::to_string(depth), std::to_string(increment),
          number_text(all.report.states), std::to_string(all.report.depth), number_text(before),
          number_text(after), reduction_text(static_cast<double>(before), static_cast<double>(after)),
          seconds_text(without.seconds), seconds_text(with.seconds)});
    }
  }
  out << table;
}

}  // namespace model_tables
