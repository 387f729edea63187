// What is left over when an execution has run to its end: threads, objects, memory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/schedules/schedule.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/expected_failure.hpp"
#include "tests/support/failure_of.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

Options looking_for(Detector detector) {
  Options options = exhaustively();
  options.detect = Detectors().with(detector);
  return options;
}

/// A list that tells Hocket of its memory.
struct Node {
  Node* next = nullptr;
  static void* operator new(std::size_t size) {
    void* const memory = std::malloc(size);
    note_allocation(memory, size, {});
    return memory;
  }
  static void operator delete(void* memory) {
    note_release(memory);
    std::free(memory);
  }
};

Options looking_for_memory() {
  return looking_for(Detector::leaked_memory);
}
Options looking_for_objects() {
  return looking_for(Detector::leaked_objects);
}
Options as_always() {
  return exhaustively();
}

void leak_a_thread() {
  static_cast<void>(new thread([] { choose(1); }));
}
void leak_a_thread_that_runs_on() {
  auto x = std::make_shared<atomic<int>>(0);
  static_cast<void>(new thread([x] { x->store(1); }));
}
void leak_objects() {
  in_parallel([] { static_cast<void>(new atomic<int>(0)); },
      [] {
        auto* const m = new mutex;
        name(*m, "the forgotten lock");
      });
}
/// Two threads push without looking: the second one overwrites what the first has pushed.
void leak_memory_in_some_schedules() {
  atomic<Node*> head{nullptr};
  const auto push = [&head] {
    Node* const node = new Node;
    node->next = head.load();
    head.store(node);
  };
  in_parallel(push, push);
  for (Node* node = head.load(); node != nullptr;) {
    Node* const next = node->next;
    delete node;
    node = next;
  }
}
[[maybe_unused]] void leak_blocks_in_a_row() {
  for (int n = 0; n < 3; ++n) static_cast<void>(new Node);
  static const char arena = 0;
  note_allocation(&arena, 100);
}

struct Leak {
  const char* name;
  void (*body)();
  Options (*options)();
  const char* message;
};

void PrintTo(const Leak& leak, std::ostream* out) {
  *out << leak.name;
}

// clang-format off
const std::vector<Leak> kLeaks{
    {"Thread", leak_a_thread, as_always, "leak: thread 1, made at leaks_test.cpp:@, has ended and was neither joined nor detached: its hocket::thread was never destroyed"},
    {"ThreadThatRunsOn", leak_a_thread_that_runs_on, as_always, "leak: thread 1, made at leaks_test.cpp:@, has ended and was neither joined nor detached: its hocket::thread was never destroyed"},
    {"Objects", leak_objects, looking_for_objects, "leak: atomic 1 of thread 1, made at leaks_test.cpp:@ by thread 1, was never destroyed\nthe forgotten lock, made at leaks_test.cpp:@ by thread 2, was never destroyed"},
    {"MemoryInSomeSchedules", leak_memory_in_some_schedules, looking_for_memory, "leak: a block of 8 bytes allocated at leaks_test.cpp:@ by thread 1 was never freed"},
#if !defined(__SANITIZE_ADDRESS__)  // there a copy of the last pointer stays in static storage, so that nothing is lost
    {"BlocksInARow", leak_blocks_in_a_row, looking_for_memory, "leak: 3 blocks of 8 bytes allocated at leaks_test.cpp:@ by main were never freed\na block of 100 bytes allocated at leaks_test.cpp:@ by main was never freed"},
#endif
};
// clang-format on

class Leaks : public ::testing::TestWithParam<Leak> {};

TEST_P(Leaks, AreFoundAndSayWhoMadeThemWhere) {
  const FoundFailure failure = failure_of(GetParam().body, GetParam().options());
  EXPECT_EQ(to_string(failure.kind), "leak");
  EXPECT_EQ(without_numbers(failure.message, "leaks_test.cpp"), GetParam().message);
}

TEST(ALeakOfMemory, HasTheStackOfTheAllocation) {
  const FoundFailure failure = failure_of(leak_memory_in_some_schedules, looking_for_memory());
  ASSERT_EQ(failure.schedule->stacks.size(), 1U);
  const ShownStack& stack = failure.schedule->stacks[0];
  EXPECT_TRUE(stack.title.starts_with("The allocation by thread 1, made at ")) << stack.title;
  ASSERT_FALSE(stack.frames.empty());
  EXPECT_TRUE(failure.message.ends_with("by thread 1 was never freed")) << failure.message;
  const std::string place = stack.frames[0].substr(stack.frames[0].rfind("leaks_test.cpp"));
  EXPECT_NE(failure.message.find("allocated at " + place), std::string::npos) << place;
}

TEST_P(Leaks, AreFoundByEveryStrategyThatIsComplete) {
  for (const char* strategy : {"dfs", "hb-cache", "icb-por", "cb-por", "cb-por-basic"}) {
    Options options = GetParam().options();
    options.strategy = strategy;
    EXPECT_EQ(to_string(failure_of(GetParam().body, options).kind), "leak") << strategy;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Leaks, ::testing::ValuesIn(kLeaks), RowName());

TEST(LeakedObjectsAndMemory, AreNotLookedForUnlessAskedFor) {
  expect_to_pass(leak_objects);
  expect_to_pass(leak_memory_in_some_schedules);
}

TEST(LeakedThreads, ArePassedOverWhenNobodyLooksForThem) {
  Options options = exhaustively();
  options.detect = Detectors().without(Detector::leaked_threads);
  expect_to_pass(leak_a_thread, options);
}

TEST(NoLeak, IsWhatIsDestroyedOrFreedInTime) {
  Options options = exhaustively();
  options.detect = Detectors().with(Detector::leaked_objects).with(Detector::leaked_memory);
  static Node* outside = new Node;
  for (const char* strategy : {"icb", "cb-por"}) {
    options.strategy = strategy;
    expect_to_pass(
        [] {
          static mutex function_local;
          auto shared = std::make_shared<atomic<int>>(0);
          var<int> plain{0};
          atomic<Node*> slot{nullptr};
          in_parallel(
              [&, shared] {
                const std::lock_guard guard(function_local);
                shared->fetch_add(1);
                ++plain;
                delete slot.exchange(new Node);
              },
              [&, shared] {
                shared->fetch_add(1);
                delete slot.exchange(new Node);
              });
          delete slot.load();
          delete outside;  // what was there before is none of the body's
          outside = nullptr;
        },
        options);
    outside = new Node;
  }
  delete outside;
}

TEST(NoLeak, IsWhatAStaticStillLeadsTo) {
  expect_to_pass(
      [] {
        static Node* const cache = [] {
          Node* const first = new Node;
          first->next = new Node;
          return first;
        }();
        in_parallel([&] { check(cache->next != nullptr); }, [] { choose(2); });
      },
      looking_for_memory());
}

TEST(NoLeak, IsLookedForInAnExecutionThatIsCutShort) {
  Options options = looking_for_memory();
  options.keep_going = true;
  const FoundFailure failure = failure_of(
      [] {
        static_cast<void>(new Node);
        static_cast<void>(new thread([] {}));
        if (choose(2) == 0) assume(false);
        check(false, "the check");
      },
      options);
  EXPECT_EQ(failure.message, "the check");
}

}  // namespace

}  // namespace hocket::test
