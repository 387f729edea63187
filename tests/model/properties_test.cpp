// Properties in the words of temporal logic, against what the words mean.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "samples/models/lasso.hpp"
#include "samples/models/lost_request.hpp"
#include "tests/support/folder.hpp"

namespace hocket::model::test {

namespace {

using samples::lasso::for_each_path;
using samples::lasso::Formula;
using samples::lasso::kFormulas;
using samples::lasso::Path;

constexpr Searches kWithAndWithoutBounds = Searches::breadth_first | Searches::depth_first;

/// The letters of the places that a path comes to from one on, each once.
std::vector<Automaton::Letter> letters_from(const Path& path, std::size_t place) {
  const std::size_t first = std::min({place, path.cycle_begin, path.letters.size() - 1});
  std::vector<Automaton::Letter> letters(
      path.letters.begin() + static_cast<std::ptrdiff_t>(place), path.letters.end());
  const auto begin = path.letters.begin() + static_cast<std::ptrdiff_t>(first);
  letters.insert(letters.end(), begin, path.letters.begin() + static_cast<std::ptrdiff_t>(place));
  return letters;
}

/// What the words mean.
bool holds(std::string_view formula, const Path& path) {
  const auto has_p = [](Automaton::Letter letter) { return (letter & 1U) != 0; };
  const auto has_q = [](Automaton::Letter letter) { return (letter & 2U) != 0; };
  const std::vector<Automaton::Letter> all = letters_from(path, 0);
  const auto from_each = [&](auto is_right) {
    for (std::size_t place = 0; place < path.letters.size(); ++place) {
      if (!is_right(path.letters[place], letters_from(path, place))) return false;
    }
    return true;
  };
  if (formula == "always") return std::ranges::all_of(all, has_p);
  if (formula == "eventually") return std::ranges::any_of(all, has_p);
  if (formula == "always_eventually") {
    return from_each([&](Automaton::Letter, const auto& later) { return std::ranges::any_of(later, has_p); });
  }
  if (formula == "leads_to") {
    return from_each([&](Automaton::Letter letter, const auto& later) {
      return !has_p(letter) || std::ranges::any_of(later, has_q);
    });
  }
  const auto first_q = std::ranges::find_if(all, has_q);  // until
  return first_q != all.end() && std::all_of(all.begin(), first_q, has_p);
}

TEST(Properties, AreViolatedByThePathsThatTheirAutomataAccept) {
  for (const Formula& formula : kFormulas) {
    const Automaton automaton = formula.violations();
    EXPECT_TRUE(is_in_stutter_normal_form(automaton)) << formula.name;
    for_each_path(formula, 5, [&](const Path& path) {
      const std::size_t begin = std::min(path.cycle_begin, path.letters.size() - 1);
      EXPECT_EQ(accepts(automaton, path.letters, begin), !holds(formula.name, path))
          << formula.name << " of " << ::testing::PrintToString(path.letters) << " from " << path.cycle_begin;
    });
  }
}

TEST(Properties, AreSearchedAndReplayedAlsoOnPathsThatEnd) {
  for (const Formula& formula : kFormulas) {
    for_each_path(formula, 2, [&](const Path& path) {
      const bool expected = !holds(formula.name, path);
      for (const Options& options :
          {Options{.strategy = "dfs", .reduce = true}, Options{.strategy = "icb", .max_preemptions = 0}}) {
        const Report report = check_without_files<kWithAndWithoutBounds>("path", path, options);
        EXPECT_EQ(report.failed(), expected);
        if (!report.failed()) continue;
        const hocket::test::Folder folder;
        Options saving = options;
        saving.schedule_dir = folder.path().string();
        const Report saved = detail::check_by<kWithAndWithoutBounds>("path", path, saving);
        saving.replay = saved.violations.front().schedule_file;
        const Report again = detail::check_by<kWithAndWithoutBounds>("path", path, saving);
        ASSERT_EQ(again.verdict, Verdict::failed);
        for (const Violation& violation : {report.violations.front(), again.violations.front()})
          EXPECT_EQ(violation.cycle_begin == violation.path.size(), path.cycle_begin == path.letters.size());
      }
    });
  }
}

TEST(Properties, AreMadeOfPredicates) {
  struct State {
    bool is_hungry = false;
    bool eats = false;
  };
  const auto eats = [](const State& state) { return state.eats; };
  const auto expect = [](const auto& property, std::string_view name, Automaton (*violations)()) {
    EXPECT_EQ(property.name(), name);
    EXPECT_EQ(property.automaton().edges, violations().edges);
    EXPECT_EQ(property.letter(State{.is_hungry = true}), 1);
  };
  expect(always(&State::is_hungry), "always", violations_of_always);
  expect(eventually(&State::is_hungry), "eventually", violations_of_eventually);
  expect(always_eventually(&State::is_hungry), "always_eventually", violations_of_always_eventually);
  expect(leads_to(&State::is_hungry, eats), "leads_to", violations_of_leads_to);
  expect(until(&State::is_hungry, eats), "until", violations_of_until);
  EXPECT_EQ(leads_to(&State::is_hungry, eats).letter(State{.eats = true}), 2);
}

TEST(Properties, ThatAreViolatedSaySo) {
  const Formula& formula = kFormulas[1];
  const Path endless{formula.violations, {0, 0}, 0};
  const Path ending{formula.violations, {0, 0}, 2};
  const auto message = [](const Path& path) {
    return check_without_files<kWithAndWithoutBounds>("path", path, {}).violations.at(0).message;
  };
  EXPECT_EQ(message(endless), "a path that violates it(): steps 2 to 3 repeat for ever");
  EXPECT_EQ(
      message(ending), "a path that violates it(): it ends in a state in which no process can take a step");
}

TEST(ALostRequest, NeedsAPreemption) {
  using samples::lost_request::LostRequest;
  const auto run = [](samples::Version version, const Options& options) {
    return check_without_files<kWithAndWithoutBounds>("lost request", LostRequest<2>{version}, options);
  };
  for (const char* strategy : {"icb", "bcs"}) {
    const Report none = run(samples::Version::buggy, {.strategy = strategy, .max_preemptions = 0});
    EXPECT_EQ(none.verdict, Verdict::passed_within_bound);
    const Report one = run(samples::Version::buggy, {.strategy = strategy, .max_preemptions = 1});
    ASSERT_EQ(one.violations.size(), 1);
    EXPECT_EQ(one.violations.front().preemptions, 1);
    EXPECT_EQ(one.violations.front().kind, ViolationKind::accepted_path);
  }
  EXPECT_EQ(run(samples::Version::corrected, {.strategy = "bcs"}).verdict, Verdict::passed_exhaustively);
}

}  // namespace

}  // namespace hocket::model::test
