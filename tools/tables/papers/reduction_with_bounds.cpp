// Musuvathi and Qadeer's paper on partial-order reduction with a bound on preemptions.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/feedback_vertices.hpp"
#include "tools/tables/papers/papers.hpp"
#include "tools/tables/samples/searching.hpp"
#include "tools/tables/samples/tables.hpp"

namespace papers {

namespace {

/// The executions of `icb` and of `cb-por` by bound, for a thief that tries three times.
std::string executions_of_queue(std::size_t size) {
  constexpr unsigned kMost = 4;
  constexpr int kAttempts = 3;
  constexpr double kNoLimit = 3'600;
  static const std::vector<hocket::Report> reports =
      tables::searches_of_queue(kAttempts, {.programs = {}, .seconds = kNoLimit, .max_bound = kMost});
  std::string text;
  for (unsigned bound = 0; bound <= kMost; ++bound) {
    const std::size_t place = (size - 3) * 2;
    text += (bound == 0 ? "" : "; ") + tables::to_text(tables::executions_within(reports.at(place), bound)) +
            ", " + tables::to_text(tables::executions_within(reports.at(place + 1), bound));
  }
  return text;
}

/// Classes per hundred executions of `icb` within 2, 3 and 4 preemptions, for each variant of the queue.
std::string shares_of_classes() {
  constexpr unsigned kMost = 4;
  constexpr double kNoLimit = 3'600;
  constexpr samples::StealingSetup kSetup{.slots = 3, .items = 4, .attempts = 3};
  std::string text;
  for (const tables::QueueVariant& variant : tables::queue_variants()) {
    const auto search = [&](const char* strategy) {
      return tables::search_correct(strategy, kMost, kNoLimit, [&] { variant.run(kSetup); });
    };
    const hocket::Report all = search("icb");
    const hocket::Report classes = search("cb-por");
    text += std::string(text.empty() ? "" : "; ") + variant.name + ": ";
    for (unsigned bound = 2; bound <= kMost; ++bound) {
      const double share = static_cast<double>(tables::executions_within(classes, bound).number) /
                           static_cast<double>(tables::executions_within(all, bound).number);
      text += (bound == 2 ? "" : ", ") + std::to_string(std::lround(share * 100));
    }
  }
  return text;
}

/// Bounds of the classes that complete graphs lead to, and the work of finding them.
std::string hard_classes() {
  constexpr unsigned kMostVertices = 7;
  std::vector<std::uint64_t> bounds;
  std::vector<std::uint64_t> states;
  for (unsigned vertices = 2; vertices <= kMostVertices; ++vertices) {
    const hocket::test::ClassCost cost =
        hocket::test::cost_of_hard_class(hocket::test::digraph(vertices, ~std::uint64_t{0}));
    bounds.push_back(cost.preemptions);
    states.push_back(cost.states);
  }
  return "complete graphs of 2 … " + std::to_string(kMostVertices) + " vertices: bounds " + in_a_row(bounds) +
         "; states of `class_bounds`: " + in_a_row(states);
}

constexpr const char* kProperties = "`hocket_property_tests --gtest_filter=OracleProperties.EveryStrategy*`";
constexpr const char* kQueue = "`hocket_tables samples --table queue`";
constexpr const char* kCompared = "compared with a brute force on random programs";

const std::array<Row, 13> kRows{{
    {"Figure 1: sleep sets and a bound leave out a state",
        "`hocket_tests --gtest_filter=SleepSetsWithABound.*`", "left out", nullptr,
        "left out by `dfs-sleep`'s sleep sets with a bound, which no option allows", ""},
    {"Figure 2: a prefix may need more preemptions than the whole",
        "`hocket_tests --gtest_filter=TheBoundOfAClass.CanBe*`", "an example",
        [] {
          const hocket::test::ClassCost cost = hocket::test::cost_of_hard_class({3, {{0, 1}, {2, 0}}});
          return "a class that needs " + std::to_string(cost.preemptions) + ", with a prefix that needs " +
                 std::to_string(cost.most_before);
        },
        "", ""},
    {"Theorem 1 and corollary 1: some execution of a class needs no more in any prefix", kProperties,
        "proved", nullptr, kCompared, ""},
    {"Algorithm 1", kProperties, "", nullptr, "`cb-por-basic`: as Algorithm 2, with runs that are cut short",
        ""},
    {"Theorem 2: Algorithm 1 is correct", kProperties, "proved", nullptr, kCompared, ""},
    {"Algorithm 2", kProperties, "", nullptr, "`cb-por`", ""},
    {"Theorem 3: Algorithm 2 is correct", kProperties, "proved", nullptr, kCompared, ""},
    {"Theorem 4: no search is in vain", "`hocket_tests --gtest_filter=CbPor.CutsNoRunShort*`", "proved",
        nullptr, "no run is cut short on the program of the test", ""},
    {"Theorem 5: the bound of a class is NP-hard to find", "`hocket_tests --gtest_filter=TheBoundOfAClass.*`",
        "proved, from least feedback vertex sets", hard_classes, "",
        "The test compares the bound with that of all sets of vertices, for all graphs with at most four."},
    {"Table 1, size 3: cb-dfs, cb-por at bounds 0 … 4", kQueue,
        "2, 2; 46, 46; 756, 713; 8 918, 7 838; 66 374, 48 828", [] { return executions_of_queue(3); }, "",
        "Our cb-por saves far more: see the last row."},
    {"Table 1, size 4", kQueue, "2, 2; 54, 54; 898, 853; 12 711, 8 458; 95 935, 52 572",
        [] { return executions_of_queue(4); }, "", "The same."},
    {"Table 1, size 5", kQueue, "2, 2; 67, 67; 1 197, 1 136; 19 460, 14 563; 161 637, 95 068",
        [] { return executions_of_queue(5); }, "", "The same."},
    {"Table 1, size 3: classes per hundred executions at bounds 2, 3, 4",
        "`hocket_tables papers --paper cb-por`", "94, 88, 74", shares_of_classes, "",
        "The more conflicts there are between steps, and the fewer steps without any, the nearer is the "
        "share. "
        "The paper's queue and driver are other ones."},
}};

}  // namespace

Paper reduction_with_bounds() {
  return {"cb-por",
      "M. Musuvathi and S. Qadeer, *Partial-Order Reduction for Context-Bounded State Exploration* "
      "(Microsoft "
      "Research, 2007)",
      kRows};
}

}  // namespace papers
