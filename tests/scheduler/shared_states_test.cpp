// The states that jobs share, compared with a map, and used by several processes at a time.
#include "scheduler/strategies/shared_states.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

#include <sys/wait.h>
#include <unistd.h>

#include "runtime/terms/action_hash.hpp"
#include "scheduler/graph/recording.hpp"
#include "scheduler/graph/state_table.hpp"
#include "scheduler/strategies/random_bits.hpp"
#include "scheduler/strategies/shared_memory.hpp"

namespace hocket::test {

namespace {

constexpr std::size_t kMemory = std::size_t{64} << 20U;

runtime::ClassHash nth_state(std::uint64_t n) {
  if (n == 0) return {};
  runtime::ClassHash hash;
  hash.add(n, n * n);
  return hash;
}

TEST(SharedStates, CoverWhatAMapCovers) {
  using State = std::pair<std::uint64_t, std::uint64_t>;
  struct Reached {
    std::uint8_t first;
    std::map<std::uint64_t, std::uint8_t> after;
  };
  constexpr std::uint64_t kStates = 150'000;  // several times as many as there is room for at first
  SharedStates states(StateTable{}, graph::ThreadNumbers{}, kMemory);
  std::map<State, Reached> expected;
  RandomBits draw(1);
  for (std::uint8_t reached = 1; reached < 4; ++reached) {
    for (std::uint64_t n = 0; n < 2 * kStates; ++n) {
      const runtime::ClassHash state = nth_state(draw.below(kStates));
      const std::uint64_t last = draw.below(10) * 7;
      if (states.asks_to_grow()) states.grow();
      Reached& known = expected.try_emplace({state.low, state.high}, Reached{reached, {}}).first->second;
      const bool is_covered = known.first < reached || known.after.contains(last);
      const bool is_said_to_be = states.covers(state, last, reached);
      // For a thread that has no place in the rows yet, nothing is remembered.
      if (is_covered && !is_said_to_be && states.asks_to_grow()) continue;
      ASSERT_EQ(is_said_to_be, is_covered) << n;
      if (!is_covered && !states.asks_to_grow()) known.after[last] = reached;
    }
  }
  EXPECT_FALSE(states.was_full());
  EXPECT_GT(states.size(), kStates / 2);
}

TEST(SharedStates, BeginWithThoseOfATable) {
  StateTable table;
  graph::ThreadNumbers numbers;
  const unsigned number = numbers.number(77);
  table.widen(numbers.size());
  for (std::uint64_t n = 0; n < 1000; ++n) {
    StateTable::Row* const row = table.insert(nth_state(n));
    row->done = 1;
    row->costs()[number] = 1;
  }
  SharedStates states(table, numbers, kMemory);
  for (std::uint64_t n = 0; n < 1000; ++n) {
    EXPECT_TRUE(states.covers(nth_state(n), 77, 1)) << n;
    EXPECT_FALSE(states.covers(nth_state(n), 0, 1)) << n;
    EXPECT_TRUE(states.covers(nth_state(n), 5, 2)) << n;
  }
  EXPECT_FALSE(states.covers(nth_state(1000), 77, 1));
}

TEST(SharedStates, GoOnWithoutRoom) {
  SharedStates states(StateTable{}, graph::ThreadNumbers{}, 1);
  constexpr std::uint64_t kStates = 200'000;
  for (std::uint64_t n = 0; n < kStates; ++n) {
    if (states.asks_to_grow()) states.grow();
    EXPECT_FALSE(states.covers(nth_state(n), 0, 1));
  }
  EXPECT_TRUE(states.was_full());
  EXPECT_TRUE(states.covers(nth_state(0), 0, 1));
  EXPECT_FALSE(states.covers(nth_state(kStates - 1), 0, 1));
}

TEST(SharedStates, AreReachedFirstByOneProcess) {
  constexpr std::uint64_t kStates = 10'000;
  constexpr unsigned kProcesses = 3;
  SharedStates states(StateTable{}, graph::ThreadNumbers{}, kMemory);
  const SharedMemory memory(sizeof(std::atomic<std::uint64_t>));
  auto& first = *reinterpret_cast<std::atomic<std::uint64_t>*>(memory.data());
  std::array<pid_t, kProcesses> processes{};
  for (std::size_t index = 0; index < processes.size(); ++index) {
    processes.at(index) = fork();
    if (processes.at(index) != 0) continue;
    for (std::uint64_t n = 0; n < kStates; ++n) {
      // They come to the threads in different orders.
      const std::uint64_t last = 1 + (n + index) % 2;
      for (const std::uint64_t thread : {last, 3 - last})
        first += states.covers(nth_state(n), thread, 1) ? 0 : 1;
    }
    _exit(0);
  }
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(first, 2 * kStates);
}

}  // namespace

}  // namespace hocket::test
