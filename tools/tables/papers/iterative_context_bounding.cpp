// Musuvathi and Qadeer's paper on iterative context bounding, on the samples.
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/hocket.hpp>

#include "scheduler/api/number_text.hpp"

#include "tools/tables/coverage/curve.hpp"
#include "tools/tables/measure/executions.hpp"
#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/measure/programs.hpp"
#include "tools/tables/papers/papers.hpp"
#include "tools/tables/samples/searching.hpp"
#include "tools/tables/samples/tables.hpp"

namespace papers {

namespace {

constexpr double kNoLimit = 3'600;

samples::SampleProgram program_named(const char* name) {
  return measure::programs_named({name}).front();
}

// ---------------------------------------------------------------------------------------------------------------------
// Theorem 1

constexpr unsigned kSteps = 4;

void threads_of_four_stores() {
  hocket::atomic<int> x{0};
  const auto store = [&x] {
    for (unsigned n = 0; n < kSteps; ++n) x.store(1);
  };
  hocket::thread other(store);
  hocket::thread another(store);
  other.join();
  another.join();
}

/// The executions with exactly so many preemptions.
std::string counted_executions() {
  constexpr unsigned kMost = 3;
  const hocket::Report report = tables::search_correct("icb", kMost, kNoLimit, threads_of_four_stores);
  std::vector<std::uint64_t> counts;
  for (unsigned c = 0; c <= kMost; ++c) counts.push_back(report.bounds.at(c).executions);
  return in_a_row(counts);
}

// ---------------------------------------------------------------------------------------------------------------------
// Figures 1 and 3: coverage by bound; 2, 5 and 6: by executions

std::string coverage_by_bound(const char* name) {
  const measure::StatesByBound states =
      measure::states_by_bound(program_named(name).body, "hb-cache", [] { return true; });
  std::optional<std::size_t> most;
  std::size_t all = 0;
  for (std::size_t bound = 0; bound < states.within.size(); ++bound) {
    if (!most && states.within[bound] * 10 > states.within.back() * 9) most = bound;
    if (states.within[bound] < states.within.back()) all = bound + 1;
  }
  return std::to_string(*most) + " for 90 %, " + std::to_string(all) + " for all " +
         hocket::number_text(states.within.back()) + " states";
}

std::string coverage_by_executions(const char* name) {
  constexpr std::uint64_t kExecutions = 10'000;
  std::string text;
  for (const char* strategy : {"icb", "dfs", "idfs", "random"}) {
    const coverage::Curve curve = coverage::curve_of(program_named(name), strategy, kExecutions);
    text += (text.empty() ? "" : ", ") + std::string(strategy) + " " +
            hocket::number_text(curve.points.back().states);
  }
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// Tables 1 and 2, Figure 4

std::string characteristics(const char* name) {
  constexpr std::uint64_t kExecutions = 5'000;
  const tables::Characteristics most = tables::characteristics_of(program_named(name), kNoLimit, kExecutions);
  return in_a_row({most.threads, most.steps, most.may_wait, most.preemptions});
}

std::string bugs_by_bound(const char* name) {
  constexpr unsigned kMost = 3;
  measure::MarkdownTable each({"program", "bug", "how it fails", "preemptions", "executions"}, 3);
  const tables::FoundBugs found =
      tables::find_bugs(program_named(name), {.programs = {}, .seconds = kNoLimit, .max_bound = kMost}, each);
  return in_a_row({found.by_bound.begin(), found.by_bound.end()});
}

/// In which execution each strategy finds it.
std::string use_after_free() {
  constexpr std::uint64_t kMost = 100'000;
  for (const samples::Seeded& bug : program_named("channel").bugs) {
    if (std::string_view(bug.name) != "use after free") continue;
    std::string text;
    for (const char* strategy : {"icb", "dfs", "random"}) {
      hocket::Options options;
      options.strategy = strategy;
      options.max_executions = kMost;
      options.save_schedules = options.try_saved = false;
      const hocket::Report report = hocket::explore("channel", bug.body, options);
      const bool is_found = !report.failures.empty();
      text += (text.empty() ? "" : ", ") + std::string(strategy) +
              (is_found ? " in execution " : " not in ") + hocket::number_text(report.executions);
      if (is_found && strategy == std::string_view("icb"))
        text += " (" + std::to_string(report.failures[0].bound) + " preemption)";
    }
    return text;
  }
  throw std::runtime_error("the channel has no such bug");
}

constexpr const char* kBluetooth = "bluetooth-driver";
constexpr const char* kFiles = "file-system";
constexpr const char* kQueue = "work-stealing-queue-of-size-3";
constexpr const char* kTransactions = "transaction-manager";
constexpr const char* kApe = "asynchronous-processing-environment";
constexpr const char* kChannel = "channel";

constexpr const char* kCharacteristics = "`hocket_tables samples --table characteristics`";
constexpr const char* kBugs = "`hocket_tables samples --table bugs`";
constexpr const char* kCoverage = "`hocket_tables samples --table coverage`";
constexpr const char* kCurves = "`hocket_tables coverage`";
constexpr const char* kSmaller = "The sample is smaller than the program.";

const std::array<Row, 20> kRows{{
    {"Theorem 1: n threads of k steps, b of which may block, have at most C(nk, c) (nb + c)! executions with "
     "c "
     "preemptions",
        "`hocket_tables papers --paper icb`", "2 threads of 4 steps, c = 0 … 3: 2, 48, 672, 6 720",
        counted_executions, "", "The bound counts orders that no execution has."},
    {"Figure 1: states of the work-stealing queue by bound", kCoverage, "8 for 90 %, 11 for all",
        [] { return coverage_by_bound(kQueue); }, "",
        "Our thief steals once, so that less can come between."},
    {"Figure 2: its states by time", kCurves, "a curve: `icb` ahead of all others",
        [] { return coverage_by_executions(kQueue); }, "after 10 000 executions: ", ""},
    {"Algorithm 1", "`hocket_property_tests --gtest_filter=OracleProperties.EveryStrategy*`",
        "each execution once, by bound", nullptr, "`icb`: compared with a brute force on random programs",
        ""},
    {"Table 1, Bluetooth: threads, K, B, c", kCharacteristics, "3, 15, 2, 8",
        [] { return characteristics(kBluetooth); }, "",
        "The most in 5 000 executions of each of four strategies."},
    {"Table 1, file system", kCharacteristics, "4, 20, 8, 13", [] { return characteristics(kFiles); }, "",
        ""},
    {"Table 1, work-stealing queue", kCharacteristics, "3, 99, 2, 35", [] { return characteristics(kQueue); },
        "", "The paper's text says two threads, as we have; the sample is smaller than the program."},
    {"Table 1, APE", kCharacteristics, "4, 247, 2, 75", [] { return characteristics(kApe); }, "",
        "The sample is smaller; B counts what may wait, and the paper does not say what it counts."},
    {"Table 1, Dryad channels", kCharacteristics, "5, 273, 4, 167", [] { return characteristics(kChannel); },
        "", kSmaller},
    {"Table 2, Bluetooth: bugs at 0, 1, 2, 3 preemptions", kBugs, "0, 1, 0, 0",
        [] { return bugs_by_bound(kBluetooth); }, "", ""},
    {"Table 2, work-stealing queue", kBugs, "0, 1, 2, 0", [] { return bugs_by_bound(kQueue); }, "", ""},
    {"Table 2, transaction manager", kBugs, "0, 0, 2, 1", [] { return bugs_by_bound(kTransactions); }, "",
        ""},
    {"Table 2, APE", kBugs, "2, 1, 1, 0", [] { return bugs_by_bound(kApe); }, "", ""},
    {"Table 2, Dryad channels", kBugs, "1, 2, 0, 0", [] { return bugs_by_bound(kChannel); }, "",
        "The samples were written with bugs that need so many preemptions."},
    {"Figure 3, Bluetooth: states by bound", kCoverage, "4 for all",
        [] { return coverage_by_bound(kBluetooth); }, "", "Our driver is not theirs."},
    {"Figure 3, file system", kCoverage, "4 for all", [] { return coverage_by_bound(kFiles); }, "",
        "Our file system is not theirs."},
    {"Figure 3, transaction manager", kCoverage, "6 for 90 %",
        [] { return coverage_by_bound(kTransactions); }, "", ""},
    {"Figure 4: the use after free in Dryad", "`hocket_tables samples --table bugs --sample channel`",
        "1 preemption; not found by depth first search", use_after_free, "",
        "Random executions find it sooner than `icb` does."},
    {"Figure 5: states of APE by executions", kCurves, "a curve: `icb` ahead of all others",
        [] { return coverage_by_executions(kApe); }, "after 10 000 executions: ",
        "Random executions, which are long and unlike each other, meet more states."},
    {"Figure 6: states of Dryad by executions", kCurves, "a curve: `icb` ahead of depth first search",
        [] { return coverage_by_executions(kChannel); }, "after 10 000 executions: ",
        "Random executions meet more states; the paper says that they did poorly."},
}};

}  // namespace

Paper iterative_context_bounding() {
  return {"icb",
      "M. Musuvathi and S. Qadeer, *Iterative Context Bounding for Systematic Testing of Multithreaded "
      "Programs* "
      "(PLDI 2007)",
      kRows};
}

}  // namespace papers
