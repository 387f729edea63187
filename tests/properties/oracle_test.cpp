// The brute force gives the numbers that are known, and prices as they are described.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/brute_force.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::oracle {

namespace {

constexpr std::size_t kMostStates = 1'000'000;

using Code = std::vector<Instruction>;
using Counts = std::vector<std::uint64_t>;

constexpr Instruction load(std::uint8_t object) {
  return {Verb::load, object};
}
constexpr Instruction store(std::uint8_t object, std::int8_t value = 1) {
  return {Verb::store, object, value};
}
constexpr Instruction add(std::uint8_t object) {
  return {Verb::add, object, 1};
}
constexpr Instruction lock(std::uint8_t object) {
  return {Verb::lock, object};
}
constexpr Instruction unlock(std::uint8_t object) {
  return {Verb::unlock, object};
}
constexpr Instruction wait(std::uint8_t object, std::uint8_t mutex) {
  return {Verb::wait, object, 0, 0, mutex};
}
constexpr Instruction wait_for(std::uint8_t object, std::uint8_t mutex) {
  return {Verb::wait_for, object, 1, 0, mutex};
}
constexpr Instruction skip_if(std::int8_t seen, std::int8_t how_many) {
  return {Verb::skip_if, 0, how_many, seen};
}
constexpr Instruction on(Verb verb, std::uint8_t object) {
  return {verb, object, 1};
}

Code repeated(unsigned times, const Code& what) {
  Code code;
  for (; times != 0; --times) code.insert(code.end(), what.begin(), what.end());
  return code;
}

std::vector<Object> atomics(unsigned count) {
  return std::vector<Object>(count, Object{Kind::atomic});
}
std::vector<Object> mutexes(unsigned count) {
  return std::vector<Object>(count, Object{Kind::mutex});
}

Program dining(std::uint8_t philosophers) {
  std::vector<Code> code;
  for (std::uint8_t n = 0; n < philosophers; ++n) {
    const auto right = static_cast<std::uint8_t>((n + 1) % philosophers);
    code.push_back({lock(n), lock(right), unlock(right), unlock(n)});
  }
  return in_parallel(mutexes(philosophers), code);
}

struct Row {
  const char* name;
  Program program;
  Counts complete;  ///< cumulative, by bound
  Counts deadlocked = {};
  std::vector<unsigned> failed = {};  ///< for each check that can fail, its bound
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

const Instruction kYield{Verb::yield};
const Object kCondition{Kind::condition};
const Object kMutex{Kind::mutex};

// clang-format off
const std::vector<Row> rows{
    // Numbers of model checkers that count the same thing in other ways; see class_counts_test.cpp.
    {"TwoThreadsOfFiveIncrements",    in_parallel(atomics(1), {2, repeated(5, {add(0)})}), {2, 10, 42, 90, 162, 210, 242, 250, 252}},
    {"ThreeThreadsOfThreeIncrements", in_parallel(atomics(1), {3, repeated(3, {add(0)})}), {6, 42, 192, 552, 1062, 1506, 1680}},
    {"ThreeThreadsOfThreeLocks",      in_parallel(mutexes(1), {3, repeated(3, {lock(0), unlock(0)})}), {6, 42, 192, 552, 1062, 1506, 1680}},
    {"FourThreadsReadAndWrite",       in_parallel(atomics(1), {4, {load(0), store(0)}}), {24, 168, 432, 576}},
    {"ThreeThreadsIncrementThree",    in_parallel(atomics(3), {3, {add(0), add(1), add(2)}}), {6, 42, 120, 192, 216}},
    {"StoreBuffering",                in_parallel(atomics(2), {{store(0), load(1)}, {store(1), load(0)}}), {2, 3}},
    {"IndependentReads",              in_parallel(atomics(2), {{store(0)}, {store(1)}, {load(0), load(1)}, {load(1), load(0)}}), {14, 15}},
    {"ThreePhilosophers",             dining(3), {6}, {0, 1}},
    {"FourPhilosophers",              dining(4), {14}, {0, 1}},
    {"RingOfThreeRounds",             in_parallel(atomics(3), {repeated(3, {store(0), load(1)}), repeated(3, {store(1), load(2)}), repeated(3, {store(2), load(0)})}),
                                      {6, 54, 324, 1257, 2667, 3927, 4407, 4411}},

    // By hand. Switching away from a thread that has just yielded is free; from one that waits, too.
    {"AYieldInTheMiddle",             in_parallel(atomics(1), {{add(0), kYield, add(0)}, {add(0)}}), {3}},
    {"NoYieldInTheMiddle",            in_parallel(atomics(1), {{add(0), add(0)}, {add(0)}}), {2, 3}},
    // The second yield has seen nothing new since the first: it is free only when the other thread is done.
    {"AFutileYield",                  in_parallel(atomics(1), {{load(0), kYield, load(0), kYield, load(0)}, {store(0)}}), {3, 4}},
    // The notification comes first: nobody waits for it, the wait is for ever.
    {"ALostNotification",             in_parallel({kCondition, kMutex}, {{lock(1), wait(0, 1), unlock(1)}, {on(Verb::notify_one, 0)}}), {1}, {1}},
    // The expiry is free when nobody else can run: after a notification that came before the wait. It costs one before
    // the notification, and one after it, which is used up then; or the thread is woken.
    {"AWaitThatExpires",              in_parallel({kCondition, kMutex}, {{lock(1), wait_for(0, 1), unlock(1)}, {on(Verb::notify_one, 0)}}), {2, 4}},
    // The notification comes first (2 ways), between the waits (4) or after them and wakes either (4).
    {"TwoWaitersAndOneNotification",  in_parallel({kCondition, kMutex},
                                          {{lock(1), wait(0, 1)}, {lock(1), wait(0, 1)}, {on(Verb::notify_one, 0)}}), {}, {10}},
    // The mutex is released after the thread has begun to wait, so a notification may come before that.
    {"AWaitWithASharedMutex",         in_parallel({kCondition, {Kind::shared_mutex}},
                                          {{lock(1), wait(0, 1)}, {on(Verb::notify_one, 0)}}), {1}, {1}},
    // The check fails when the store comes between the loads, or before both.
    {"ACheckThatFails",               in_parallel(atomics(1), {{load(0), load(0), {Verb::check, 0, 0, 0}}, {store(0)}}), {1}, {}, {0}},
    {"ACheckThatFailsInTheMiddle",    in_parallel(atomics(1), {{load(0), skip_if(1, 2), load(0), {Verb::check, 0, 0, 0}}, {store(0)}}), {2}, {}, {1}},
    {"AnAssumption",                  in_parallel(atomics(1), {{load(0), {Verb::assume, 0, 0, 0}}, {store(0)}}), {1}},
    {"AChoiceThatMatters",            in_parallel(atomics(1), {{{Verb::choose, 0, 3}, skip_if(2, 1), add(0)}, {add(0)}}), {5}},
    {"ATryThatFails",                 in_parallel(mutexes(1), {{lock(0), unlock(0)}, {on(Verb::try_lock, 0)}}), {2, 3}},
    {"AnAtomicWait",                  in_parallel(atomics(1), {{on(Verb::await_change, 0)}, {store(0, 2), on(Verb::wake_one, 0)}}), {2, 3}},
};
// clang-format on

class BruteForce : public ::testing::TestWithParam<Row> {};

TEST_P(BruteForce, FindsTheClassesOfTheTableAtEveryBound) {
  const Answer answer = enumerate(GetParam().program, kMostStates);
  ASSERT_FALSE(answer.is_incomplete);
  EXPECT_EQ(Answer::cumulative(answer.complete), GetParam().complete);
  EXPECT_EQ(Answer::cumulative(answer.deadlocked), GetParam().deadlocked);
  std::vector<unsigned> failed;
  for (const auto& [place, bound] : answer.failed) failed.push_back(bound);
  EXPECT_EQ(failed, GetParam().failed);
}

INSTANTIATE_TEST_SUITE_P(Programs, BruteForce, ::testing::ValuesIn(rows), test::RowName());

}  // namespace

}  // namespace hocket::oracle
