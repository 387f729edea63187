// Models of Spin's examples have as many states as in Spin. tools/compare-with-spin runs Spin and has more
// bounds; docs/models.md has the options of Spin.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/search/check.hpp"
#include "samples/models/cambridge_ring.hpp"
#include "samples/models/data_transfer.hpp"
#include "samples/models/flow_control.hpp"

namespace hocket::model::test {

namespace {

using samples::cambridge_ring::CambridgeRing;
using samples::data_transfer::DataTransfer;
using samples::flow_control::FlowControl;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A depth-first search alone: check() would compile every search for each of these models.
template <typename Record, typename M>
Report search(const Options& options) {
  const M model;
  Exploration<M> exploration("counted", model, options);
  RecordedStates<StateOf<M>, Record> states(Keeps::fingerprints);
  const Coverage coverage = DepthFirst<M, Record>(exploration).run(states);
  EXPECT_TRUE(coverage.is_complete);
  EXPECT_THAT(exploration.report.violations, IsEmpty());
  return exploration.report;
}

template <typename M>
Report search_all(bool reduce = false) {
  return search<VisitedRecord, M>({.strategy = "dfs", .reduce = reduce, .keep_going = true});
}

/// The states within bounds, as Spin counts them.
template <typename M>
std::vector<std::uint64_t> states_within(const std::vector<unsigned>& bounds) {
  std::vector<std::uint64_t> states;
  for (const unsigned bound : bounds) {
    const Options options{.strategy = "bcs", .max_preemptions = bound, .forgets_processes = true};
    states.push_back(search<LeastRecord, M>(options).states);
  }
  return states;
}

// pftp.pml
TEST(TheFlowControl, HasAsManyStatesAsInSpin) {
  EXPECT_EQ(search_all<FlowControl>().states, 439'895);
  EXPECT_THAT(states_within<FlowControl>({0, 1}), ElementsAre(143'406, 376'558));
  EXPECT_EQ(search_all<FlowControl>(true).states, 96'875);
}

// dtp.pml
TEST(TheDataTransfer, HasAsManyStatesAsInSpin) {
  const Report all = search_all<DataTransfer>();
  EXPECT_EQ(all.states, 251'409);
  EXPECT_THAT(states_within<DataTransfer>({0, 1, 2}), ElementsAre(3'113, 33'169, 105'183));
  const Report reduced = search_all<DataTransfer>(true);
  EXPECT_EQ(reduced.states, 14'353);
  EXPECT_GT(all.end_states, 0);
  EXPECT_EQ(reduced.end_states, all.end_states);
}

// cambridge.pml. Spin without a change has 308'258 states without a preemption.
TEST(TheCambridgeRing, HasAsManyStatesAsInSpin) {
  EXPECT_EQ(search_all<CambridgeRing>().states, 1'252'655);
  EXPECT_THAT(states_within<CambridgeRing>({0}), ElementsAre(310'665));
}

}  // namespace

}  // namespace hocket::model::test
