// Udupa, Desai and Rajamani's paper on depth-bounded searches, on the models of protocols.
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/api/options.hpp"
#include "model/api/report.hpp"
#include "scheduler/api/number_text.hpp"

#include "tools/tables/models/tables.hpp"
#include "tools/tables/papers/papers.hpp"

namespace papers {

namespace {

using hocket::model::Frontier;
using hocket::model::Revisits;
using model_tables::reduction_text;
using model_tables::Subject;

const Subject& subject_named(
    std::string_view name, std::span<const Subject> subjects = model_tables::all_subjects()) {
  for (const Subject& subject : subjects) {
    if (name == subject.name) return subject;
  }
  throw std::invalid_argument("there is no such model");
}

/// For a bound that rises at once, and in twenty steps.
template <typename Figure>
std::string for_both_increments(const Subject& subject, const Figure& figure) {
  const std::vector<std::uint32_t> all = model_tables::increments(subject.depth);
  return figure(all.front()) + "; " + figure(all.back());
}

std::string saved_revisits(const char* name) {
  const Subject& subject = subject_named(name);
  const std::uint64_t expected = model_tables::states_within(subject, subject.depth);
  const std::uint64_t visited = model_tables::states_within(subject, subject.depth - 1);
  return for_both_increments(subject, [&](std::uint32_t increment) {
    const auto revisits = [&](Revisits which) {
      return model_tables::run_depth_bounded(
                 subject, {.max_depth = subject.depth, .depth_step = increment, .revisits = which}, expected)
                 .report.visits -
             visited;
    };
    const std::uint64_t without = revisits(Revisits::less_depth);
    const std::uint64_t with = revisits(Revisits::threshold);
    const std::string saved = reduction_text(static_cast<double>(without), static_cast<double>(with));
    return in_a_row({without, with}) + (saved.empty() ? "" : " (" + saved + ")");
  });
}

/// Steps that are taken again for the frontier as traces and as a tree, with an increment of that share of
/// the bound.
std::string saved_replays(const char* name, std::uint32_t share) {
  const Subject& subject = subject_named(name);
  const std::uint64_t expected = model_tables::states_within(subject, subject.depth);
  const auto replayed = [&](Frontier frontier) {
    return model_tables::run_depth_bounded(subject,
        {.max_depth = subject.depth, .depth_step = subject.depth / share, .frontier = frontier}, expected)
        .report.replayed_steps;
  };
  const std::uint64_t traces = replayed(Frontier::traces);
  const std::uint64_t tree = replayed(Frontier::tree);
  return in_a_row({traces, tree}) + " (" +
         reduction_text(static_cast<double>(traces), static_cast<double>(tree)) + ")";
}

/// What searches come to that may explore 2 000 000 transitions, with those that rebuild frontier states:
/// with Figure 5 and traces, with Figure 6 and a tree, and with Figure 6 and whole states.
std::string within_a_budget(const char* name) {
  constexpr std::uint64_t kBudget = 2'000'000;
  constexpr std::uint32_t kNoDepth = 1'000'000;  // the budget is to end the search
  const Subject& subject = subject_named(name, model_tables::large_subjects());
  std::array<std::string, 3> figures;
  const auto add = [&](Revisits revisits, Frontier frontier) {
    const hocket::model::Report report = subject.check({.strategy = "depth",
        .store = hocket::model::Store::hash,
        .max_depth = kNoDepth,
        .depth_step = model_tables::increments(subject.depth).back(),
        .revisits = revisits,
        .frontier = frontier,
        .max_transitions = kBudget});
    if (report.verdict != hocket::Verdict::stopped)
      throw std::runtime_error(std::string("the budget does not end the search: ") + subject.title);
    const std::array<std::uint64_t, 3> found{
        report.states, report.complete_depth, (report.store_bytes + report.frontier_bytes) / 1024};
    for (std::size_t n = 0; n < found.size(); ++n)
      figures.at(n) += (figures.at(n).empty() ? "" : ", ") + hocket::number_text(found.at(n));
  };
  add(Revisits::less_depth, Frontier::traces);
  add(Revisits::threshold, Frontier::tree);
  add(Revisits::threshold, Frontier::states);
  return std::string(subject.title) + ": " + figures[0] + "; " + figures[1] + "; " + figures[2] + " KB";
}

constexpr const char* kDepth = "`hocket_model_tests --gtest_filter=SearchesOfModels.WithADepth*`";
constexpr const char* kLoses = "`hocket_model_tests --gtest_filter=SearchesOfModels.ThatLoseStates*`";
constexpr const char* kTree = "`hocket_model_tests --gtest_filter=TheFrontier.*`";
constexpr const char* kRevisits = "`hocket_tables models --table revisits`";
constexpr const char* kFrontiers = "`hocket_tables models --table frontiers`";
constexpr const char* kBudget = "`hocket_tables papers --paper depth`";
constexpr const char* kCompared = "compared with a brute force on random models";
constexpr const char* kSmallStates =
    "Steps are counted in place of seconds; our states are small, so that rebuilding them takes little time.";

const std::array<Row, 30> kRows{{
    {"Figure 1: depth first search", "`hocket_model_tests --gtest_filter=SearchesOfModels.WithoutBounds*`",
        "", nullptr, "`dfs`: compared with a brute force on random models", ""},
    {"Figure 2: the bound rises", kDepth, "", nullptr, "`depth`", ""},
    {"Figure 3: the naive search, which loses states", kLoses, "loses states", nullptr,
        "loses states, in the tests alone", ""},
    {"Figure 4: a model of which it does", kLoses, "an example", nullptr, "random models of which it does",
        ""},
    {"Figure 5: states are visited again by a shorter path", kDepth, "", nullptr, "`Revisits::less_depth`",
        ""},
    {"Theorem 1: it misses nothing", kDepth, "proved", nullptr, kCompared, ""},
    {"Figure 6: thresholds", kDepth, "", nullptr, "`Revisits::threshold`", ""},
    {"Figure 7: a model that shows what they are for", kRevisits, "an example", nullptr, "Table 2 below", ""},
    {"Theorem 2: with thresholds it misses nothing", kDepth, "proved", nullptr, kCompared, ""},
    {"Figure 8: states are rebuilt along a frontier tree", kTree, "", nullptr, "`Frontier::tree`", ""},
    {"Figure 9: a frontier tree", kTree, "an example", nullptr, "examples of shared steps, counted", ""},
    {"Table 1: distinct states, complete depth and peak memory in a fixed time, not optimised and optimised",
        kBudget, "ISM: 5.933M, 7.499M; 975, 1 025; 1 644, 1 712 MB", [] { return within_a_budget("bakery"); },
        "",
        "Other models, and 2 000 000 transitions in place of a time, with those that rebuild states; the "
        "third "
        "figures are with thresholds and whole states in the frontier."},
    {"Table 1", kBudget, "PSM30: 499.1K, 1.462M; 2 750, 3 400; 1 201, 1 341 MB",
        [] { return within_a_budget("filter"); }, "", ""},
    {"Table 1", kBudget, "PSM20: 859.0K, 2.233M; 2 500, 2 800; 767, 872 MB",
        [] { return within_a_budget("fast"); }, "", ""},
    {"Table 1", kBudget, "DSM: 92.31K, 1.243M; 2 650, 4 950; 1 108, 1 127 MB",
        [] { return within_a_budget("german"); }, "",
        "Memory is that of the stored fingerprints and of the frontier."},
    {"Table 2: revisits without and with thresholds; increment large, and small", kRevisits,
        "seven models: 3.6 to 94 % saved; 1.4 to 12 %", [] { return saved_revisits("philosophers"); },
        "9 philosophers: ", "Other models; for the bakery, thresholds save with small increments, too."},
    {"Table 2", kRevisits, "", [] { return saved_revisits("bakery"); }, "bakery, 3 processes: ", ""},
    {"Table 2", kRevisits, "", [] { return saved_revisits("filter"); }, "filter lock, 4 threads: ", ""},
    {"Table 2", kRevisits, "", [] { return saved_revisits("fast"); }, "fast mutex, 4 processes: ", ""},
    {"Table 2", kRevisits, "", [] { return saved_revisits("files"); }, "file server, 6 clients: ", ""},
    {"Table 2", kRevisits, "", [] { return saved_revisits("commit"); },
        "two-phase commit, 6 participants: ", "All paths to a state have the same length."},
    {"Table 2", kRevisits, "", [] { return saved_revisits("german"); }, "German's protocol, 4 clients: ", ""},
    {"Table 3: rebuilding from traces and from a tree, small increment", kFrontiers,
        "five models: 19 to 83 % of the time saved", [] { return saved_replays("philosophers", 20); },
        "9 philosophers: ", kSmallStates},
    {"Table 3", kFrontiers, "", [] { return saved_replays("bakery", 20); }, "bakery, 3 processes: ", ""},
    {"Table 3", kFrontiers, "", [] { return saved_replays("fast", 20); }, "fast mutex, 4 processes: ", ""},
    {"Table 3", kFrontiers, "", [] { return saved_replays("german", 20); },
        "German's protocol, 4 clients: ", ""},
    {"Table 4: the same with a large increment", kFrontiers, "up to 80 % of the time saved",
        [] { return saved_replays("philosophers", 5); }, "9 philosophers: ", kSmallStates},
    {"Table 4", kFrontiers, "", [] { return saved_replays("bakery", 5); }, "bakery, 3 processes: ", ""},
    {"Table 4", kFrontiers, "", [] { return saved_replays("fast", 5); }, "fast mutex, 4 processes: ", ""},
    {"Table 4", kFrontiers, "", [] { return saved_replays("german", 5); },
        "German's protocol, 4 clients: ", "With a large increment traces have little in common."},
}};

}  // namespace

Paper depth_bounds() {
  return {"depth",
      "A. Udupa, A. Desai and S. Rajamani, *Depth Bounded Explicit-State Model Checking* (SPIN 2011)", kRows};
}

}  // namespace papers
