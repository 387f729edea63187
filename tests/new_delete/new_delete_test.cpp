// Memory that bodies take with new and never delete; and that nothing else is taken for a leak: what the
// runtime, the strategies, the recording and GoogleTest allocate on the threads of a body.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/gtest.hpp>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"
#include "tests/support/own_memory_check.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

constexpr const char* kStrategies[] = {"icb", "dfs", "hb-cache", "icb-por", "cb-por", "cb-por-basic"};

Options looking_for_memory() {
  return exhaustively({.detect = Detectors().with(Detector::leaked_memory).with(Detector::leaked_objects)});
}

/// A compiler may leave out what is made for nothing.
void lose(const void* pointer) {
  asm volatile("" : : "r"(pointer) : "memory");
}

/// A stack of which two threads may take the same item; then one of the items is deleted twice or never.
struct Stack {
  struct Item {
    Item* next;
    int value;
  };
  atomic<Item*> head{nullptr};

  void push(int value) {
    Item* const item = new Item{nullptr, value};
    item->next = head.load();
    head.store(item);  // not a compare-exchange: what was pushed meanwhile is lost
  }
  ~Stack() {
    for (Item* item = head.load(); item != nullptr;) delete std::exchange(item, item->next);
  }
};

[[maybe_unused]] const bool is_checked = (end_where_own_memory_is_forgotten(), true);

// The check has to notice where an OwnMemory is forgotten. The text of a report is Hocket's, and nobody asks
// for it in a body.
TEST(AnAllocationOfHocketInTheBodysNameDeathTest, EndsThisProgram) {
  GTEST_FLAG_SET(
      death_test_style, "threadsafe");  // the new process has its own error output from the beginning
  EXPECT_DEATH(report_of(looking_for_memory(), [] { lose(to_text(Report{}, false, 80).data()); }),
      "An OwnMemory was forgotten: .*hocket.* allocates in the body's name");
}

TEST(NewWithoutDelete, IsFoundWithItsPlaceByEveryStrategy) {
  for (const char* strategy : kStrategies) {
    Options options = looking_for_memory();
    options.strategy = strategy;
    const FoundFailure failure = failure_of(options, [] {
      Stack stack;
      in_parallel([&] { stack.push(1); }, [&] { stack.push(2); });
    });
    EXPECT_EQ(to_string(failure.kind), "leak") << strategy;
    EXPECT_THAT(failure.message, HasSubstr("leak: a block of 16 bytes allocated at new_delete_test.cpp:"));
    EXPECT_THAT(failure.message, HasSubstr(" was never freed"));
    EXPECT_THAT(failure.where, HasSubstr("new_delete_test.cpp:"));
  }
}

TEST(NewWithoutDelete, IsFoundInEveryForm) {
  const auto leaks = [](const std::function<void()>& body, const std::string& bytes) {
    EXPECT_THAT(
        failure_of(body, looking_for_memory()).message, HasSubstr("leak: a block of " + bytes + " bytes"));
  };
  struct alignas(64) Wide {
    char bytes[128];
  };
  leaks([] { lose(new std::uint64_t(1)); }, "8");
  leaks([] { lose(new std::uint64_t[5]); }, "40");
  leaks([] { lose(new Wide); }, "128");
  leaks([] { lose(new (std::nothrow) char[3]); }, "3");
  leaks([] { lose(new std::vector<char>(100)); }, "24");
}

TEST(NothingElse, IsTakenForALeak) {
  for (const char* strategy : kStrategies) {
    Options options = looking_for_memory();
    options.strategy = strategy;
    options.max_executions = 3000;
    options.spurious_wakeups = true;
    const Report report = report_of(options, [] {
      mutex m;
      condition_variable condition;
      std::map<int, std::string> words;
      std::vector<std::function<void()>> calls;
      atomic<int> turns{0};
      const std::array<char, 400> large{};  // more than fits into a thread's task
      in_parallel(
          [&, large] {
            const std::lock_guard guard(m);
            words[large[0]] = "a text that is too long to be kept in place";
            calls.emplace_back([text = std::string(100, 'x')] { EXPECT_EQ(text.size(), 100U); });
            condition.notify_all();
          },
          [&] {
            std::unique_lock lock(m);
            condition.wait_for(lock, std::chrono::milliseconds(1), [&] { return !words.empty(); });
            EXPECT_LE(words.size(), 1U) << "two words";
          },
          [&] {
            for (int n = 0; n < 3; ++n) {
              turns.fetch_add(1);
              yield();
            }
            try {
              throw std::runtime_error(std::string(100, 'y'));
            } catch (const std::exception& error) {
              EXPECT_STREQ(error.what(), std::string(100, 'y').c_str());
            }
          });
      for (const auto& call : calls) call();
      await([&] { return turns.load() == 3; });
    });
    EXPECT_FALSE(report.failed()) << strategy << report;
    EXPECT_GT(report.executions, 100U) << strategy;
  }
}

TEST(NothingElse, IsTakenForALeakInAReplayOrWithMoreThreadsThanBefore) {
  // The recording of a failure, which allocates for every step, is of one that is no leak.
  const FoundFailure failure = failure_of(looking_for_memory(), [] {
    atomic<int> x{0};
    in_parallel_each(70, [&](unsigned) { x.fetch_add(1); });
    check(x.load() != 70, "as expected");
  });
  EXPECT_EQ(failure.message, "as expected");
}

TEST(WhatAStaticLeadsTo, IsNoLeakThoughTheFirstExecutionMadeIt) {
  expect_to_pass(looking_for_memory(), [] {
    static const auto cache = std::make_unique<std::vector<std::string>>(3, std::string(100, 'z'));
    in_parallel([] { check(cache->size() == 3); }, [] { choose(2); });
  });
}

TEST(WhatWasTakenOutside, MayBeFreedInside) {
  auto outside = std::make_unique<int>(1);
  expect_to_pass(looking_for_memory(), [&] {
    outside.reset();
    choose(2);
  });
}

}  // namespace

}  // namespace hocket::test
