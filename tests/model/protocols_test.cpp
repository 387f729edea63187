// Models of known protocols: how many states the corrected versions have, and how the buggy ones fail.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "samples/models/bakery.hpp"
#include "samples/models/fast_mutex.hpp"
#include "samples/models/file_server.hpp"
#include "samples/models/filter_lock.hpp"
#include "samples/models/german.hpp"
#include "samples/models/philosophers.hpp"
#include "samples/models/two_phase_commit.hpp"

namespace hocket::model::test {

namespace {

using samples::Version;
using samples::bakery::Bakery;
using samples::fast_mutex::FastMutex;
using samples::file_server::FileServer;
using samples::filter_lock::FilterLock;
using samples::german::German;
using samples::philosophers::Philosophers;
using samples::two_phase_commit::TwoPhaseCommit;
using ::testing::ElementsAre;

constexpr Searches kSearchesOfProtocols =
    Searches::breadth_first | Searches::depth_first | Searches::depth_bounded;

/// Checks that every complete search finds nothing wrong in this number of states, each of which can be
/// reached with at most `depth` steps.
template <typename M>
void expect_to_pass(const M& model, std::uint64_t states, std::uint32_t depth) {
  for (const char* strategy : {"bfs", "dfs", "icb", "bcs", "depth"}) {
    for (const Store store : {Store::exact, Store::hash}) {
      SCOPED_TRACE(std::string(strategy) + (store == Store::hash ? ", hash" : ", exact"));
      Options options{.strategy = strategy, .store = store};
      if (options.strategy == "depth") {
        options.max_depth = depth + 1;
        options.depth_step = 5;
      }
      const Report report = check_without_files<kSearchesOfProtocols>("a correct protocol", model, options);
      EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
      EXPECT_EQ(report.states, states);
      if (options.strategy == "bfs") {
        EXPECT_EQ(report.depth, depth);
      }
    }
  }
}

/// Checks that the shortest path to a violation has this number of steps, and that the violation is of this
/// kind.
template <typename M>
void expect_to_fail(const M& model, ViolationKind kind, std::size_t steps) {
  const Report report = check_without_files<kSearchesOfProtocols>("a buggy protocol", model);
  ASSERT_EQ(report.violations.size(), 1);
  EXPECT_EQ(report.violations.front().kind, kind);
  EXPECT_EQ(report.violations.front().path.size(), steps);
}

TEST(DiningPhilosophers, StarveIfAllTakeTheLeftForkFirst) {
  expect_to_fail(Philosophers<5>{Version::buggy}, ViolationKind::deadlock, 5);
}
TEST(DiningPhilosophers, EatIfTheyTakeTheForksInOneOrder) {
  expect_to_pass(Philosophers<5>{Version::corrected}, 261, 12);
}

TEST(TheBakery, LetsTwoInWithoutTheFlagsOfThoseWhoChoose) {
  expect_to_fail(Bakery<3, 1>{Version::buggy}, ViolationKind::invariant, 18);
}
TEST(TheBakery, LetsOneInAtATime) {
  expect_to_pass(Bakery<3, 1>{Version::corrected}, 1'465, 29);
}

TEST(TheFilterLock, LetsTwoInIfTheVictimIsWrittenFirst) {
  expect_to_fail(FilterLock<3>{Version::buggy}, ViolationKind::invariant, 14);
}
TEST(TheFilterLock, LetsOneInAtATime) {
  expect_to_pass(FilterLock<3>{Version::corrected}, 714, 18);
}

TEST(TheFastMutex, LetsTwoInIfACompetitorDoesNotWaitForTheOthers) {
  expect_to_fail(FastMutex<3>{Version::buggy}, ViolationKind::invariant, 12);
}
TEST(TheFastMutex, LetsOneInAtATime) {
  expect_to_pass(FastMutex<3>{Version::corrected}, 8'756, 38);
}

TEST(TheFileServer, LetsAClientWriteThatDoesNotHaveTheFileIfAnyClientMayCloseIt) {
  expect_to_fail(FileServer<3>{Version::buggy}, ViolationKind::step, 10);
}
TEST(TheFileServer, LendsTheFileToOneClientAtATime) {
  expect_to_pass(FileServer<3>{Version::corrected}, 575, 14);
}

TEST(TwoPhaseCommitment, ContradictsItselfIfAPreparedParticipantAbortsOnItsOwn) {
  const Report report =
      check_without_files<kSearchesOfProtocols>("two-phase commit", TwoPhaseCommit<2>{Version::buggy});
  ASSERT_EQ(report.violations.size(), 1);
  EXPECT_EQ(report.violations.front().kind, ViolationKind::invariant);
  std::vector<std::string> actions;
  for (const PathStep& step : report.violations.front().path) actions.push_back(step.action);
  EXPECT_THAT(actions, ElementsAre("vote yes", "vote yes", "decide to commit", "tell participant 0", "crash",
                           "hear of the commit", "time out and abort"));
  EXPECT_EQ(report.violations.front().path.back().state,
      "coordinator down, participant 0 committed, participant 1 aborted");
}
TEST(TwoPhaseCommitment, HasOneResultIfPreparedParticipantsAskTheOthers) {
  expect_to_pass(TwoPhaseCommit<2>{Version::corrected}, 122, 8);
}

TEST(GermansProtocol, GivesAccessToTwoIfTheHomeNodeDoesNotWaitForAcknowledgements) {
  expect_to_fail(German<2>{Version::buggy}, ViolationKind::invariant, 9);
}
TEST(GermansProtocol, GivesExclusiveAccessToOneAlone) {
  expect_to_pass(German<2>{Version::corrected}, 1'497, 18);
}

}  // namespace

}  // namespace hocket::model::test
