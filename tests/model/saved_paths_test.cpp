// Failing paths in files: saved, shown, and followed again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/model.hpp>

#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "tests/support/folder.hpp"

namespace hocket::model::test {

namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Two processes increment a counter, in one step or in two.
struct Counter {
  struct State {
    std::array<std::uint8_t, 2> at{};
    std::array<std::uint8_t, 2> read{};
    std::uint8_t counter = 0;
    bool operator==(const State&) const = default;
  };
  bool is_atomic = false;
  bool is_silent = false;   ///< reads without being seen
  bool may_repeat = false;  ///< each process may do it again
  bool wants_progress = false;

  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, Emit<State> emit) const {
    for (Process p = 0; p < 2; ++p) {
      State next = state;
      if (state.at[p] == 0) {
        next.at[p] = is_atomic ? 2 : 1;
        next.read[p] = is_silent ? 0 : state.counter;
        next.counter = static_cast<std::uint8_t>(state.counter + (is_atomic ? 1 : 0));
        emit(p, is_atomic ? "increment" : "read", next);
      } else if (state.at[p] == 1) {
        next.at[p] = 2;
        next.counter = static_cast<std::uint8_t>(state.read[p] + 1);
        emit(p, "write", next);
      } else if (may_repeat) {
        next = State{};
        emit(p, "begin again", next);
      }
    }
  }
  [[nodiscard]] bool holds(const State& state) const {
    return wants_progress || state.at[0] != 2 || state.at[1] != 2 || state.counter == 2;
  }
  [[nodiscard]] bool progress(const State& /*state*/) const { return !wants_progress; }
};

template <Model M>
Report check_breadth_first(std::string_view name, const M& model, const Options& options) {
  return detail::check_by<detail::Searches::breadth_first>(name, model, options);
}

class SavedPaths : public ::testing::Test {
 protected:
  hocket::test::Folder folder_;
  Options options_{.schedule_dir = folder_.path().string()};
  std::string file_ = (folder_.path() / "counter.schedule.json").string();

  template <typename M>
  Report replay(const M& model) {
    Options options = options_;
    options.replay = file_;
    return check_breadth_first("counter", model, options);
  }
};

TEST_F(SavedPaths, AreWrittenWhenTheSearchFails) {
  const Report report = check_breadth_first("counter", Counter{}, options_);
  ASSERT_EQ(report.violations.size(), 1);
  EXPECT_EQ(report.violations.front().schedule_file, file_);
  EXPECT_THAT(to_text(report), HasSubstr("The path is saved in " + file_ + ".\nTo see it again:\n  "));
}

/// The process that has gone less far comes first.
struct SymmetricCounter : Counter {
  [[nodiscard]] static State canonical(State state) {
    if (std::pair(state.at[0], state.read[0]) > std::pair(state.at[1], state.read[1])) {
      std::swap(state.at[0], state.at[1]);
      std::swap(state.read[0], state.read[1]);
    }
    return state;
  }
};

TEST_F(SavedPaths, OfASymmetricModelNameTheProcessesThatTakeTheSteps) {
  const Report report = check_breadth_first("counter", SymmetricCounter{}, options_);
  ASSERT_EQ(report.violations.size(), 1);
  const std::vector<PathStep>& path = report.violations.front().path;
  const auto is_first = [](const PathStep& step) { return step.process == 0; };
  EXPECT_EQ(path.size(), 4);
  EXPECT_EQ(std::count_if(path.begin(), path.end(), is_first), 2);
  EXPECT_EQ(replay(SymmetricCounter{}).verdict, Verdict::failed);
  EXPECT_EQ(replay(Counter{}).verdict, Verdict::failed);
}

TEST_F(SavedPaths, AreShownLikeSchedules) {
  check_breadth_first("counter", Counter{}, options_);
  EXPECT_EQ(render(read_schedule(file_)),
      "step  process 0      process 1\n"
      "   1  read\n"
      "        [1, 0]\n"
      "      — preempted —\n"
      "   2                 read\n"
      "                       [1, 1]\n"
      "                     — preempted —\n"
      "   3  write\n"
      "        [2, 1], 1\n"
      "   4                 write\n"
      "                       [2, 2]\n"
      "                     FAILS: holds() is false\n");
}

TEST_F(SavedPaths, HoldTheStatesOfASmallModelAndItsSteps) {
  const Report report = check("counter", Counter{}, options_);
  const ModelStates model = read_schedule(file_).model;
  EXPECT_THAT(model.members, AnyOf(IsEmpty(), ElementsAre("at", "read", "counter")));  // Clang tells none
  ASSERT_EQ(model.path.size(), 4);
  EXPECT_THAT(model.states.front(), ElementsAre("[0, 0]", "[0, 0]", "0"));
  EXPECT_THAT(model.states.at(model.path[0]), ElementsAre("[1, 0]", "[0, 0]", "0"));
  EXPECT_THAT(model.states.at(model.path[3]), ElementsAre("[2, 2]", "[0, 0]", "1"));
  EXPECT_GE(model.states.size(), report.states);  // which are those up to the failure
  std::uint32_t state = 0;
  for (const std::uint32_t next : model.path) {
    const auto leads_there = [&](const auto& step) { return step.from == state && step.to == next; };
    EXPECT_TRUE(std::any_of(model.transitions.begin(), model.transitions.end(), leads_there));
    state = next;
  }
}

/// A counter of which each value is a state.
struct LongCount {
  using State = int;
  int end = 0;
  [[nodiscard]] static State initial() { return 0; }
  void successors(const State& state, Emit<State> emit) const {
    if (state == end) return emit.fails(0, "count on", "too far");
    emit(0, "count on", state + 1);
  }
};

TEST_F(SavedPaths, OfALargeModelHoldTheStatesOfThePathAlone) {
  for (const auto& [end, transitions] : {std::pair(199, 200), std::pair(200, 0)}) {
    const Report report = check("counter " + std::to_string(end), LongCount{end}, options_);
    ASSERT_EQ(report.violations.size(), 1);
    const ModelStates model = read_schedule(report.violations.front().schedule_file).model;
    EXPECT_EQ(model.states.size(), end + 1);
    EXPECT_EQ(model.transitions.size(), transitions);
    ASSERT_EQ(model.path.size(), end + 1);
    EXPECT_EQ(model.path.back(), end) << "a step that is an error leads nowhere";
  }
}

TEST_F(SavedPaths, AreFollowedBeforeTheNextSearch) {
  check_breadth_first("counter", Counter{}, options_);
  const Report again = check_breadth_first("counter", Counter{}, options_);
  EXPECT_EQ(again.verdict, Verdict::failed);
  ASSERT_EQ(again.violations.size(), 1);
  EXPECT_TRUE(again.violations.front().from_saved);
  EXPECT_EQ(again.states, 0);
  EXPECT_THAT(to_text(again), HasSubstr("This saved failure still occurs.\n"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(SavedPaths, DoNotKeepAMendedModelFromBeingSearched) {
  check_breadth_first("counter", Counter{}, options_);
  EXPECT_EQ(check_breadth_first("counter", Counter{.is_atomic = true}, options_).verdict,
      Verdict::passed_exhaustively);
}

TEST_F(SavedPaths, AreReplayed) {
  check_breadth_first("counter", Counter{}, options_);
  const Report report = replay(Counter{});
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_THAT(to_text(report), StartsWith("counter: replayed, and it failed again\n"));
}

TEST_F(SavedPaths, DivergeWhereTheModelHasNoSuchStep) {
  check_breadth_first("counter", Counter{}, options_);
  EXPECT_THAT(to_text(replay(Counter{.is_atomic = true})),
      StartsWith("counter: the replay diverged: " + file_ +
                 ", step 1: process 0 cannot take the step \"read\" with the same result any more\n"));
}

TEST_F(SavedPaths, RunCleanWhereTheStateIsNoErrorAnyMore) {
  check_breadth_first("counter", Counter{}, options_);
  const Report report = replay(Counter{.wants_progress = true});
  EXPECT_THAT(to_text(report), StartsWith("counter: replayed, and it does not fail any more\n"));
}

TEST_F(SavedPaths, OfCyclesAreReplayedToo) {
  const Counter model{.may_repeat = true, .wants_progress = true};
  const Report report = check_breadth_first("counter", model, options_);
  ASSERT_EQ(report.violations.size(), 1);
  EXPECT_EQ(report.violations.front().kind, ViolationKind::progress_cycle);
  EXPECT_THAT(report.violations.front().message, HasSubstr("repeat for ever"));
  const Report again = replay(model);
  EXPECT_EQ(again.verdict, Verdict::failed);
  EXPECT_EQ(again.violations.front().kind, ViolationKind::progress_cycle);
}

TEST_F(SavedPaths, ThatAnAutomatonAcceptsAreReplayedToo) {
  /// Accepts a path on which the counter is 0 again and again.
  struct Watched : Counter {
    [[nodiscard]] static Automaton automaton() {
      return {{{0, 0, 1}, {0, 1, 0}, {0, 2, 0}, {1, 0, 1}, {1, 1, 0}, {1, 2, 0}}, {1}};
    }
    [[nodiscard]] static Automaton::Letter letter(const State& state) { return state.counter; }
  };
  const Watched model{{.is_atomic = true, .may_repeat = true, .wants_progress = false}};
  const Report report = check_breadth_first("counter", model, options_);
  ASSERT_EQ(report.violations.size(), 1);
  EXPECT_EQ(report.violations.front().kind, ViolationKind::accepted_path);
  const Report again = replay(model);
  EXPECT_EQ(again.verdict, Verdict::failed);
  EXPECT_EQ(again.violations.front().kind, ViolationKind::accepted_path);
  EXPECT_EQ(again.violations.front().cycle_begin, report.violations.front().cycle_begin);
}

TEST_F(SavedPaths, OfAnotherModelAreRefused) {
  check_breadth_first("counter", Counter{}, options_);
  Options options = options_;
  options.replay = file_;
  try {
    check_breadth_first("another", Counter{}, options);
    ADD_FAILURE() << "it was not refused";
  } catch (const ScheduleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("this schedule is of the test \"counter\", not of \"another\""));
  }
}

TEST_F(SavedPaths, ThatCannotBeWrittenSayWhy) {
  options_.schedule_dir = "/proc/no such folder";
  const Report report = check_breadth_first("counter", Counter{}, options_);
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_THAT(to_text(report), HasSubstr("The path could not be saved: "));
}

}  // namespace

}  // namespace hocket::model::test
