// A test that fails: a worker uses a channel that has been deleted. One preemption is enough, but only
// directly before the base lock is taken; see Figure 4 of Musuvathi and Qadeer 2007.
#include "samples/channel.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(Channel, IsDeletedWhenNobodyUsesItAnyMore) {
  samples::test_channel<samples::ChannelSeed::use_after_free>();
}
