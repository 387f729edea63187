// Memory that an execution of instrumented code takes and loses, where that is looked for.
#include <gtest/gtest.h>

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/unmodified/support/std_bodies.hpp"

namespace {

using hocket::Detector;
using hocket::Detectors;
using hocket::FoundFailure;
using hocket::Options;

Options looking_for_memory() {
  Options options = unmodified::exhaustively();
  options.detect = Detectors().with(Detector::leaked_memory);
  return options;
}

std::string line_after(int line) {
  return "leaks_test.cpp:" + std::to_string(line + 1);
}

struct ListNode {
  ListNode* next = nullptr;
  int item = 0;
};

/// The same pointer, and the compiler does not know what becomes of it.
template <class T>
T* hidden(T* pointer) {
  __asm__ volatile("" : "+r"(pointer));
  return pointer;
}

/// Two threads push without looking: the second one overwrites what the first has pushed.
void lose_a_node_in_some_schedules() {
  std::atomic<ListNode*> head{nullptr};
  const auto push = [&head] {
    ListNode* const node = new ListNode;  // the line that is named
    node->next = head.load();
    head.store(node);
  };
  unmodified::in_parallel(push, push);
  for (ListNode* node = head.load(); node != nullptr;) delete std::exchange(node, node->next);
}

TEST(ALeak, IsABlockThatNothingLeadsToWhenTheExecutionIsOver) {
  const FoundFailure failure = unmodified::failure_of(lose_a_node_in_some_schedules, looking_for_memory());
  EXPECT_EQ(failure.kind, hocket::FailureKind::leak);
  EXPECT_EQ(failure.bound, 1U);
  EXPECT_EQ(failure.message,
      "leak: a block of 16 bytes allocated at leaks_test.cpp:48 by thread 1 was never freed");
  EXPECT_EQ(failure.where, "leaks_test.cpp:48");
}

TEST(ALeak, IsNotLookedForUnlessAskedFor) {
  unmodified::explored(lose_a_node_in_some_schedules);
}

TEST(ALeak, IsFoundByAReduction) {
  Options options = looking_for_memory();
  options.strategy = "cb-por";
  EXPECT_EQ(unmodified::failure_of(lose_a_node_in_some_schedules, options).kind, hocket::FailureKind::leak);
}

TEST(ALeak, IsTakenByWhateverMeansThereAre) {
  int line = 0;
  const FoundFailure failure = unmodified::failure_of(looking_for_memory(), [&line] {
    line = __LINE__;
    hidden(std::malloc(24));
    hidden(std::calloc(3, 8));
    hidden(std::realloc(std::malloc(8), 32));
    hidden(new std::string(100, ' '));
  });
  for (int n = 0; n < 4; ++n)
    EXPECT_NE(failure.message.find(line_after(line + n)), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find("a block of 101 bytes"), std::string::npos) << failure.message;
}

thread_local ListNode* of_thread = nullptr;

TEST(ALeak, IsWhatOnlyAThreadThatHasEndedKnewOf) {
  const FoundFailure failure = unmodified::failure_of(
      [] { std::thread([] { of_thread = hidden(new ListNode); }).join(); }, looking_for_memory());
  EXPECT_NE(failure.message.find("by thread 1 was never freed"), std::string::npos) << failure.message;
}

ListNode* list = nullptr;
std::vector<std::unique_ptr<ListNode>> many;

TEST(NoLeak, IsWhatGlobalsStaticsAndThreadLocalsLeadTo) {
  unmodified::explored(looking_for_memory(), [] {
    static const auto* const cache = new std::string(100, ' ');
    of_thread = new ListNode;
    list = new ListNode;
    list->next = new ListNode;
    std::thread([] { many.push_back(std::make_unique<ListNode>()); }).join();
    unmodified::check(cache->size() == 100 && of_thread->item == 0);
  });
}

TEST(NoLeak, IsWhatKeysOfTheLibraryOrThreadsLeaveBehind) {
  unmodified::explored(looking_for_memory(), [] {
    static pthread_key_t key;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { pthread_key_create(&key, &std::free); });
    const auto use = [] { pthread_setspecific(key, std::malloc(10)); };
    std::thread a(use);
    use();
    a.join();
    try {
      throw std::string("an exception");
    } catch (const std::string&) {
    }
  });
}

TEST(NoLeak, IsWhatAnExecutionLeavesThatIsCutShort) {
  Options options = looking_for_memory();
  options.keep_going = true;
  const hocket::FoundFailure failure = unmodified::failure_of(options, [] {
    hidden(new ListNode);
    if (hocket::choose(2) == 0) hocket::assume(false);
    unmodified::check(false, "the check");
  });
  EXPECT_EQ(failure.message, "the check");
}

}  // namespace
