// Holzmann and Florian's paper on bounded context switching, on the models that Spin has, too.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/search/check.hpp"
#include "samples/models/lost_request.hpp"
#include "samples/models/snoopy.hpp"
#include "samples/models/worst_case.hpp"
#include "scheduler/api/number_text.hpp"

#include "tools/tables/papers/papers.hpp"
#include "tools/tables/spin/counted_models.hpp"
#include "tools/tables/spin/counted_states.hpp"

namespace papers {

namespace {

using hocket::model::Options;
using hocket::model::Report;
using hocket::model::detail::Searches;

/// It can come to a standstill, which the sample does not call an error.
struct Snoopy : samples::snoopy::Snoopy {
  [[nodiscard]] static bool may_end(const State& /*state*/) { return false; }
};
using WorstCase = samples::worst_case::WorstCase<10>;

constexpr std::array<unsigned, 6> kBounds{0, 1, 2, 4, 8, 16};

/// A search of a model of Spin without a bound, or within one; each is made once.
const Report& searched(const std::string& name, bool reduce, std::optional<unsigned> bound = {}) {
  static std::map<std::tuple<std::string, bool, std::optional<unsigned>>, Report> made;
  const auto [place, is_new] = made.try_emplace({name, reduce, bound});
  const spin_models::Counted& model = spin_models::counted_model(name);
  if (is_new) place->second = bound ? model.search_within(*bound, reduce) : model.search_all(reduce);
  return place->second;
}

/// All states, and those within each bound.
std::string states(const char* name, bool reduce) {
  std::vector<std::uint64_t> numbers{searched(name, reduce).states};
  for (const unsigned bound : kBounds) numbers.push_back(searched(name, reduce, bound).states);
  return in_a_row(numbers);
}
template <bool kReduce = false>
std::string worst_case() {
  return states("worst-case", kReduce);
}

std::string worst_case_without_preemption() {
  const Options options{
      .strategy = "bcs", .store = hocket::model::Store::hash, .max_preemptions = 0, .keep_going = true};
  const Report whole = spin_models::count<WorstCase, hocket::model::DepthFirst>(options, {});
  return in_a_row({searched("worst-case", false, 0).states, whole.states});
}

/// The least bound of the figure within which all states are.
std::string bound_of_all(const char* name) {
  const std::uint64_t all = searched(name, false).states;
  for (const unsigned bound : {0U, 1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
    if (searched(name, false, bound).states == all) return std::string(name) + " " + std::to_string(bound);
  }
  return std::string(name) + " more than 64";
}

/// How often a state is visited, on average, within each bound.
std::string visits_a_state(const char* name) {
  std::string text;
  for (const unsigned bound : {0U, 1U, 2U, 4U, 8U, 16U, 64U}) {
    const Report& report = searched(name, false, bound);
    char number[32];
    static_cast<void>(std::snprintf(number, sizeof number, "%.2f",
        static_cast<double>(report.visits) / static_cast<double>(report.states)));
    text += (text.empty() ? "" : ", ") + std::string(number);
  }
  return text;
}

/// Searches that end with the first counterexample: breadth first, depth first, and within each bound, where
/// they store what Spin stores. With `shorten`, all but the first go on to the shortest one.
template <typename M>
std::vector<Report> search_for_failures(bool reduce, bool shorten) {
  std::vector<Report> reports;
  const auto search = [&](Options options) {
    options.try_saved = options.save_schedules = false;
    options.reduce = reduce;
    options.shorten = shorten;
    reports.push_back(hocket::model::detail::check_by<Searches::breadth_first | Searches::depth_first>(
        "a model that fails", M{}, options, {.forgets_processes = options.strategy == "bcs"}));
  };
  if (!reduce && !shorten) search({.strategy = "bfs"});
  search({.strategy = "dfs"});
  for (const unsigned bound : kBounds) search({.strategy = "bcs", .max_preemptions = bound});
  return reports;
}
template <typename M>
const std::vector<Report>& searches_for_failure(bool reduce) {
  static const std::array<std::vector<Report>, 2> all{
      search_for_failures<M>(false, false), search_for_failures<M>(true, false)};
  return all.at(reduce ? 1 : 0);
}

std::string switches_in(const Report& report) {
  const auto& path = report.violations.front().path;
  std::uint64_t switches = 0;
  for (std::size_t n = 1; n < path.size(); ++n) switches += path[n].process != path[n - 1].process ? 1 : 0;
  return hocket::number_text(switches);
}

/// A figure of each search, for the columns of the paper: the first one is breadth first search.
template <typename Figure>
std::string in_columns(const std::vector<Report>& reports, const Figure& figure) {
  std::string text = reports.size() == kBounds.size() + 1 ? "–" : "";
  for (const Report& report : reports)
    text += (text.empty() ? "" : ", ") + (report.violations.empty() ? "–" : figure(report));
  return text;
}
template <typename M, typename Figure>
std::string of_first_failure(bool reduce, const Figure& figure) {
  return in_columns(searches_for_failure<M>(reduce), figure);
}
template <typename M, bool kReduce = false>
std::string states_to_failure() {
  return of_first_failure<M>(
      kReduce, [](const Report& report) { return hocket::number_text(report.states); });
}
template <typename M, bool kReduce = false>
std::string transitions_to_failure() {
  return of_first_failure<M>(
      kReduce, [](const Report& report) { return hocket::number_text(report.transitions); });
}
template <typename M, bool kReduce = false>
std::string switches_to_failure() {
  return of_first_failure<M>(kReduce, switches_in);
}

/// Of the shortest counterexample.
template <typename M, bool kReduce = false>
std::string switches_when_shortened() {
  return in_columns(search_for_failures<M>(kReduce, true), switches_in);
}

/// States of the product of the model and the automaton up to a path that violates the property: depth first,
/// and within each bound.
std::string states_to_lost_request() {
  std::vector<Report> reports;
  const auto search = [&](Options options) {
    options.try_saved = options.save_schedules = false;
    reports.push_back(hocket::model::detail::check_by<Searches::depth_first>(
        "a lost request", samples::lost_request::LostRequest<4>{samples::Version::buggy}, options));
  };
  search({.strategy = "dfs"});
  for (const unsigned bound : kBounds) search({.strategy = "bcs", .max_preemptions = bound});
  return in_columns(reports, [](const Report& report) { return hocket::number_text(report.product_states); });
}

constexpr const char* kSame = "`hocket_tables papers --paper spin`";
constexpr const char* kWithin = "`hocket_model_tests --gtest_filter=SearchesOfModels.WithABound*`";
constexpr const char* kReduced = "`hocket_model_tests --gtest_filter=SearchesOfModels.WithAReduction*`";
constexpr const char* kNotPublic = "not reproduced: the model is not public";
constexpr const char* kOtherVersion =
    "The numbers are those of Spin 6.5.2 for the example that it comes with; which version and which "
    "optimisations the "
    "paper had is not known.";
constexpr const char* kOtherRule =
    "Hocket explores a process alone if none of its steps leads back to the search stack, Spin if one does "
    "not; and the "
    "example is another version.";

const std::array<Row, 48> kRows{{
    {"Figure 1: depth first search", "`hocket_tables states worst-case`", "worst case: 88 573 states",
        [] { return hocket::number_text(searched("worst-case", false).states); }, "`dfs`: ", ""},
    {"Figure 2: bounded switches, in principle", kWithin, "", nullptr,
        "`bcs`: compared with a brute force on random models", ""},
    {"Figure 3: bounded switches in Spin", "`hocket_tables states worst-case --bound 0`",
        "worst case without a preemption: 7 167 states; none is said for the algorithm itself",
        worst_case_without_preemption, "",
        "The algorithm stores the processes that reached a state with the least preemptions; Spin 6.5.2 and "
        "the "
        "published numbers do not, and lose states. `bcs` does, and no option turns that off."},
    {"Figure 4: how a reduction and a bound contradict each other",
        "`hocket_model_tests --gtest_filter=SearchesOfModels.WithAReductionAnd*`", "an example", nullptr,
        "`bcs` with a reduction comes to both ends of the example without a preemption", ""},
    {"Figure 5: bounded switches with a reduction", "`hocket_tables states worst-case --reduce --bound 1`",
        "worst case with one preemption: 18 687 states",
        [] { return hocket::number_text(searched("worst-case", true, 1).states); }, "", ""},
    {"Figure 6: an error that the search of Figure 2 misses",
        "`hocket_model_tests --gtest_filter=SearchesOfModels.WithABoundGoOn*`",
        "an example, found, and the shorter way with -i", nullptr,
        "`bcs` finds an error of this kind, and the shorter way with `shorten`", ""},
    {"Theorem 1: `bcs` misses nothing within its bound", kWithin, "proved", nullptr,
        "compared with a brute force on random models",
        "What the published code stores loses states: see Figure 3."},
    {"Theorem 2: nor does it with the reduction", kReduced, "proved", nullptr,
        "compared with a brute force on random models", "The same."},
    {"Table 1, nbq", "none", "616; 56, 187, 504, 616, 616, 616", nullptr, kNotPublic, ""},
    {"Table 1, snoopy: all states; within 0, 1, 2, 4, 8, 16",
        "`hocket_tables states snoopy --bound 0,1,2,4,8,16`",
        "61 619; 24 118, 53 739, 61 209, 61 619, 61 619, 61 619", [] { return states("snoopy", false); }, "",
        kOtherVersion},
    {"Table 1, dtp", "`hocket_tables states dtp --bound 0,1,2,4,8,16`",
        "394 182; 512, 8 547, 41 628, 210 152, 392 892, 394 182", [] { return states("dtp", false); }, "",
        "The same."},
    {"Table 1, worst-case", "`hocket_tables states worst-case --bound 0,1,2,4,8,16`",
        "88 573; 7 167, 22 784, 45 567, 80 511, 88 571, 88 573", worst_case<>, "", ""},
    {"Table 1, worst-case with reduction", "`hocket_tables states worst-case --reduce --bound 0,1,2,4,8,16`",
        "88 753; 7 167, 18 687, 38 144, 75 008, 88 552, 88 573", worst_case<true>, "",
        "The paper's first number has two digits exchanged."},
    {"Table 1, pftp", "`hocket_tables states pftp --bound 0,1,2,4,8,16`",
        "439 894; 143 405, 376 557, 438 495, 439 894, 439 894, 439 894", [] { return states("pftp", false); },
        "", "Spin 6.5.2 counts one more, too."},
    {"Table 1, cambridge", "`hocket_tables states cambridge --bound 0,1,2,4,8,16`",
        "532 532; 190 503, 506 892, 530 411, 532 532, 532 532, 532 532",
        [] { return states("cambridge", false); }, "", kOtherVersion},
    {"Table 1, snoopy with reduction", "`hocket_tables states snoopy --reduce --bound 0,1,2,4,8,16`",
        "9 343; 26 420, 9 466, 9 466, 9 466, 9 466, 9 466", [] { return states("snoopy", true); }, "",
        kOtherRule},
    {"Table 1, dtp with reduction", "`hocket_tables states dtp --reduce --bound 0,1,2,4,8,16`",
        "55 647; 512, 64 600, 55 856, 55 647, 55 647, 55 647", [] { return states("dtp", true); }, "",
        "The same."},
    {"Table 1, pftp with reduction", "`hocket_tables states pftp --reduce --bound 0,1,2,4,8,16`",
        "160 033; 79 365, 155 691, 159 264, 159 594, 159 588, 159 700", [] { return states("pftp", true); },
        "", "The same."},
    {"Table 1, cambridge with reduction", "`hocket_tables states cambridge --reduce --bound 0,1,2,4,8,16`",
        "286 223; 216 010, 341 816, 342 229, 336 698, 228 134, 288 134",
        [] { return states("cambridge", true); }, "", "The same."},
    {"Table 1, tpc", "none", "32 898 808 states", nullptr, kNotPublic, ""},
    {"Table 1, DEOS", "none", "111 587 460 states", nullptr, kNotPublic, ""},
    {"Table 1, mrf", "none", "398 236 000 states", nullptr, kNotPublic, ""},
    {"Figure 7: the bound within which all states are", kSame,
        "8 for each of nbq, snoopy, dtp and worst-case",
        [] {
          return bound_of_all("snoopy") + ", " + bound_of_all("dtp") + ", " + bound_of_all("worst-case") +
                 ", " + bound_of_all("pftp");
        },
        "", "By Table 1 of the paper dtp and worst-case need 16."},
    {"Figure 8: time by bound", kSame, "a curve; DEOS with 32: a state is visited twenty times",
        [] { return visits_a_state("snoopy"); },
        "visits a state of snoopy within 0, 1, 2, 4, 8, 16, 64: ", "Visits are counted in place of seconds."},
    {"Figure 9: DEOS with and without reduction", "none", "two curves", nullptr, kNotPublic,
        "Table 1 has the worst case both ways."},
    {"Figure 10: averages over 171 models", "none", "a curve", nullptr,
        "not reproduced: the set is not public", ""},
    {"Table 2, snoopy: states up to the first counterexample; breadth first, depth first, within 0, 1, 2, 4, "
     "8, 16",
        kSame, "5 346, 3 591, 1 354, 1 352, 1 501, 1 015, 1 236, 1 236", states_to_failure<Snoopy>, "",
        "The example is another version, and which counterexample comes first depends on the order of "
        "steps."},
    {"Table 2, snoopy with reduction", kSame, "–, 1 249, 916, 560, 560, 560, 560, 560",
        states_to_failure<Snoopy, true>, "", "The same."},
    {"Table 2, worst-case", kSame, "33 598, 59 058, –, –, –, –, –, 59 058", states_to_failure<WorstCase>, "",
        "Equal, except for breadth first search, which visits the states in another order."},
    {"Table 2, worst-case with reduction", kSame, "–, 49 224, –, –, –, –, –, 49 224",
        states_to_failure<WorstCase, true>, "", "The same."},
    {"Table 2, mrf: a path that violates a formula of temporal logic", kSame,
        "n/a, 6 330, –, 1 309, 1 745, 1 848, 1 848, 1 848", states_to_lost_request, "",
        "mrf is not public. Ours is a model in which such a path needs one preemption, too "
        "(`samples/models/lost_request.hpp`); within a bound, all states within it are met before the search "
        "for "
        "cycles ends."},
    {"Table 2, tpc, nbq", "none", "41 to 2 497 states", nullptr, "not reproduced: the models are not public",
        ""},
    {"Table 3, snoopy: transitions up to there", kSame,
        "6 576, 5 507, 1 524, 1 522, 1 698, 1 130, 1 403, 1 402", transitions_to_failure<Snoopy>, "",
        "As in Table 2."},
    {"Table 3, snoopy with reduction", kSame, "–, 1 637, 1 054, 636, 636, 636, 636, 636",
        transitions_to_failure<Snoopy, true>, "", "As in Table 2."},
    {"Table 3, worst-case", kSame, "147 559, 378 941, –, –, –, –, –, 517 742",
        transitions_to_failure<WorstCase>, "",
        "States are the same; a search within a bound comes to them again by other ways, as with reduction."},
    {"Table 3, worst-case with reduction", kSame, "–, 291 801, –, –, –, –, –, 266 645",
        transitions_to_failure<WorstCase, true>, "", "The same."},
    {"Table 3, tpc, nbq, mrf", "none", "42 to 7 357 transitions", nullptr,
        "not reproduced: the models are not public", ""},
    {"Table 4, snoopy: switches in the counterexample", kSame, "17, 1 424, 414, 415, 445, 326, 387, 402",
        switches_to_failure<Snoopy>, "",
        "As in Table 2; ours are the switches between steps, one fewer than there are contexts."},
    {"Table 4, snoopy with reduction", kSame, "–, 523, 335, 228, 228, 228, 228, 228",
        switches_to_failure<Snoopy, true>, "", "The same."},
    {"Table 4, worst-case", kSame, "10, 10, –, –, –, –, –, 10", switches_to_failure<WorstCase>, "",
        "The same: ten steps have nine switches."},
    {"Table 4, worst-case with reduction", kSame, "–, 10, –, –, –, –, –, 10",
        switches_to_failure<WorstCase, true>, "", "The same."},
    {"Table 4, tpc, nbq, mrf", "none", "4 to 310 switches", nullptr,
        "not reproduced: the models are not public", ""},
    {"Table 4, snoopy with iterative shortening", kSame, "–, 17, 15, 15, 15, 15, 15, 15",
        switches_when_shortened<Snoopy>, "", "As in Table 2."},
    {"Table 4, snoopy with reduction and shortening", kSame, "–, 17, 15, 17, 17, 17, 17, 17",
        switches_when_shortened<Snoopy, true>, "", "The same."},
    {"Table 4, worst-case with iterative shortening", kSame, "–, 10, –, –, –, –, –, 10",
        switches_when_shortened<WorstCase>, "", "The same."},
    {"Table 4, worst-case with reduction and shortening", kSame, "–, 10, –, –, –, –, –, 10",
        switches_when_shortened<WorstCase, true>, "", "The same."},
    {"Figure 11: Table 4 as curves", kSame, "four curves", nullptr, "the rows of Table 4", ""},
    {"Appendix C: the worst case", "`hocket_model_tests --gtest_filter=TheWorstCaseOfSpin.*`",
        "fails with 9 preemptions",
        [] {
          Options options{.strategy = "icb"};
          options.try_saved = options.save_schedules = false;
          const Report report = hocket::model::detail::check_by<Searches::breadth_first>(
              "worst case", WorstCase{}, options, {});
          return "fails with " + std::to_string(report.violations.at(0).preemptions) + " preemptions";
        },
        "", ""},
}};

}  // namespace

Paper bounded_switches_in_spin() {
  return {"spin",
      "G. J. Holzmann and M. Florian, *Model Checking with Bounded Context Switching* (Formal Aspects of "
      "Computing, 2011)",
      kRows};
}

}  // namespace papers
