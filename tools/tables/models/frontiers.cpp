// What it costs to keep the frontier of a depth-bounded search as states, as traces, and as a tree.
#include <array>
#include <ostream>
#include <string>

#include "scheduler/api/number_text.hpp"

#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/models/tables.hpp"

namespace model_tables {

namespace {

using hocket::number_text;
using hocket::model::Frontier;

constexpr const char* kIntroduction =
    R"(Depth-bounded searches with thresholds, as in Tables 3 and 4 of Udupa, Desai and Rajamani. Frontier states are those
of the largest frontier. Memory is that of the frontier at its largest, with the steps that lead to its states. Replayed
steps were taken again to rebuild frontier states. "Reduction" is that by the tree, compared with traces. Seconds are
CPU time.

)";

std::string kilobytes_text(std::size_t bytes) {
  return number_text((bytes + 1023) / 1024);
}

}  // namespace

void print_frontiers(const Request& request, std::ostream& out) {
  out << kIntroduction;
  measure::MarkdownTable table({"model", "depth bound", "increment", "frontier states", "KB: states",
      "KB: traces", "KB: tree", "replayed: traces", "replayed: tree", "reduction", "seconds: states",
      "seconds: traces", "seconds: tree", "reduction"});
  for (const Subject& subject : request.subjects) {
    const std::uint32_t depth = request.depth != 0 ? request.depth : subject.depth;
    const std::uint64_t states = states_within(subject, depth);
    for (const std::uint32_t increment : increments(depth)) {
      if (increment == depth) continue;  // there is no frontier
      std::array<Run, 3> runs;
      for (const Frontier frontier : {Frontier::states, Frontier::traces, Frontier::tree}) {
        runs.at(static_cast<std::size_t>(frontier)) = run_depth_bounded(
            subject, {.max_depth = depth, .depth_step = increment, .frontier = frontier}, states);
      }
      const auto& [full, traces, tree] = runs;
      table.add({subject.title, std::to_string(depth), std::to_string(increment),
          number_text(tree.report.frontier_peak), kilobytes_text(full.report.frontier_bytes),
          kilobytes_text(traces.report.frontier_bytes), kilobytes_text(tree.report.frontier_bytes),
          number_text(traces.report.replayed_steps), number_text(tree.report.replayed_steps),
          reduction_text(static_cast<double>(traces.report.replayed_steps),
              static_cast<double>(tree.report.replayed_steps)),
          seconds_text(full.seconds), seconds_text(traces.seconds), seconds_text(tree.seconds),
          reduction_text(traces.seconds, tree.seconds)});
    }
  }
  out << table;
}

}  // namespace model_tables
