// Models of Spin's examples have as many states as in Spin. tools/compare-with-spin runs Spin and has more
// bounds; docs/models.md has the options of Spin.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples/models/cambridge_ring.hpp"
#include "samples/models/data_transfer.hpp"
#include "samples/models/flow_control.hpp"
#include "samples/models/leader_election.hpp"
#include "samples/models/snoopy.hpp"
#include "tools/tables/spin/counted_states.hpp"

namespace hocket::model::test {

namespace {

using samples::cambridge_ring::CambridgeRing;
using samples::data_transfer::DataTransfer;
using samples::flow_control::FlowControl;
using samples::leader_election::LeaderElection;
using samples::snoopy::Snoopy;
using spin_models::search_all;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The states within bounds, as Spin counts them.
template <typename M>
std::vector<std::uint64_t> states_within_each(const std::vector<unsigned>& bounds) {
  std::vector<std::uint64_t> states;
  for (const unsigned bound : bounds) states.push_back(spin_models::states_within<M>(bound));
  return states;
}

// leader0.pml
TEST(TheElectionOfALeader, HasAsManyStatesAsInSpin) {
  using Model = LeaderElection<5, 3>;
  const Report all = search_all<Model>();
  EXPECT_EQ(all.states, 41'692);
  EXPECT_THAT(all.violations, IsEmpty());
  EXPECT_THAT(states_within_each<Model>({0, 1, 2, 4}), ElementsAre(1'613, 8'155, 21'457, 41'692));
  EXPECT_EQ(search_all<Model>(true).states, 108);
}

// snoopy.pml, which can come to a standstill.
TEST(TheSnoopingCache, HasAsManyStatesAsInSpin) {
  const Report all = search_all<Snoopy>();
  EXPECT_EQ(all.states, 91'920);
  EXPECT_THAT(all.violations, IsEmpty());
  EXPECT_THAT(states_within_each<Snoopy>({0, 1, 2, 4}), ElementsAre(40'152, 82'558, 91'510, 91'920));
  const Report reduced = search_all<Snoopy>(true);
  EXPECT_LT(reduced.states, 20'000);
  EXPECT_EQ(all.end_states, 81);
  EXPECT_EQ(reduced.end_states, 81);
}

// pftp.pml
TEST(TheFlowControl, HasAsManyStatesAsInSpin) {
  const Report all = search_all<FlowControl>();
  EXPECT_EQ(all.states, 439'895);
  EXPECT_THAT(all.violations, IsEmpty());
  EXPECT_THAT(states_within_each<FlowControl>({0, 1}), ElementsAre(143'406, 376'558));
  EXPECT_EQ(search_all<FlowControl>(true).states, 96'875);
}

// dtp.pml
TEST(TheDataTransfer, HasAsManyStatesAsInSpin) {
  const Report all = search_all<DataTransfer>();
  EXPECT_EQ(all.states, 251'409);
  EXPECT_THAT(all.violations, IsEmpty());
  EXPECT_THAT(states_within_each<DataTransfer>({0, 1, 2}), ElementsAre(3'113, 33'169, 105'183));
  const Report reduced = search_all<DataTransfer>(true);
  EXPECT_EQ(reduced.states, 14'353);
  EXPECT_GT(all.end_states, 0);
  EXPECT_EQ(reduced.end_states, all.end_states);
}

// cambridge.pml. Spin without a change has 308'258 states without a preemption.
TEST(TheCambridgeRing, HasAsManyStatesAsInSpin) {
  const Report all = search_all<CambridgeRing>();
  EXPECT_EQ(all.states, 1'252'655);
  EXPECT_THAT(all.violations, IsEmpty());
  EXPECT_THAT(states_within_each<CambridgeRing>({0}), ElementsAre(310'665));
}

}  // namespace

}  // namespace hocket::model::test
