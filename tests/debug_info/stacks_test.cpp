// The call stacks of failures, with functions that are inlined, classes, lambdas and templates. This file is
// compiled in several ways: see CMakeLists.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/gtest.hpp>
#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

namespace depot {

enum class Kind : unsigned char { small, large, huge };

inline namespace v3 {

class Shelf {
 public:
  [[gnu::noinline]] void put(int count) { count_ = count_ + count; }
  [[gnu::always_inline]] void put_all(int count) { put(count); }

 private:
  int count_ = 0;
};

}  // namespace v3

template <Kind kind>
[[gnu::noinline]] void fill(Shelf& shelf) {
  shelf.put_all(static_cast<int>(kind));
}

template <class T>
[[gnu::noinline]] void fail_for(const T& /*why*/) {
  hocket::check(false, "it is enough");
}

}  // namespace depot

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

hocket::FoundFailure failure_of(const std::function<void()>& body) {
  const hocket::Report report = hocket::explore("stacks", body, {.save_schedules = false});
  EXPECT_FALSE(report.failures.empty());
  return report.failures.empty() ? hocket::FoundFailure{} : report.failures[0];
}

/// The functions of a stack without their places, as far as they are in `namespace depot` and here.
std::vector<std::string> functions_of(const hocket::ShownStack& stack, std::size_t most) {
  std::vector<std::string> functions;
  for (const std::string& frame : stack.frames) {
    if (functions.size() == most) break;
    functions.push_back(frame.substr(0, frame.find("  ")));
  }
  return functions;
}

std::vector<std::string> titles_of(const hocket::FoundFailure& failure) {
  std::vector<std::string> titles;
  for (const hocket::ShownStack& stack : failure.schedule->stacks)
    titles.push_back(stack.title.substr(0, stack.title.find(',')));
  return titles;
}

TEST(AStack, HasTheWholeNamesOfFunctionsAlsoOfInlinedOnes) {
  const hocket::FoundFailure failure = failure_of([] {
    depot::Shelf shelf;
    std::thread other([&shelf] { depot::fill<depot::Kind::huge>(shelf); });
    depot::fill<depot::Kind::huge>(shelf);
    other.join();
  });
  ASSERT_FALSE(failure.schedule->stacks.empty());
  for (const hocket::ShownStack& stack : failure.schedule->stacks) {
    EXPECT_THAT(functions_of(stack, 3),
        ElementsAre("depot::Shelf::put", "depot::Shelf::put_all", "depot::fill<depot::Kind::huge>"));
  }
}

TEST(AStack, NamesTheTestInWhichALambdaIsAndTheLineOfSource) {
  const hocket::FoundFailure failure = failure_of([] { hocket::check(false); });
  ASSERT_EQ(failure.schedule->stacks.size(), 1U);
  const hocket::ShownStack& stack = failure.schedule->stacks[0];
  EXPECT_THAT(functions_of(stack, 1),
      ElementsAre("lambda in body of AStack.NamesTheTestInWhichALambdaIsAndTheLineOfSource"));
  EXPECT_THAT(stack.source, HasSubstr("hocket::check(false);"));
}

TEST(APreemption, IsToldWithTheLineOfSourceAfterWhichItComes) {
  const hocket::FoundFailure failure = failure_of([] {
    std::atomic<int> x{0};
    std::thread other([&x] {
      x.store(1);  // and then main looks
      x.store(2);
    });
    hocket::check(x.load() != 1);
    other.join();
  });
  std::vector<std::string> lines;
  for (const auto& [at, line] : failure.schedule->sources) lines.push_back(line);
  EXPECT_THAT(lines, Contains("x.store(1);  // and then main looks"));
}

TEST(AStack, HasNoDefaultArgumentsOfTemplatesAndNoLongOnes) {
  const hocket::FoundFailure one = failure_of([] { depot::fail_for(std::string("rain")); });
  EXPECT_THAT(functions_of(one.schedule->stacks.at(0), 1), ElementsAre("depot::fail_for<std::string>"));
  const hocket::FoundFailure other = failure_of([] { depot::fail_for(std::vector<std::string>{}); });
  EXPECT_THAT(functions_of(other.schedule->stacks.at(0), 1),
      ElementsAre("depot::fail_for<std::vector<std::string>>"));
  const hocket::FoundFailure third =
      failure_of([] { depot::fail_for(std::map<std::string, std::vector<std::string>>{}); });
  EXPECT_THAT(functions_of(third.schedule->stacks.at(0), 1), ElementsAre("depot::fail_for<…>"));
}

[[gnu::noinline]] int* make_number() {
  return new int(7);
}

[[gnu::noinline]] void drop(const int* number) {
  delete number;
}

/// The same pointer, and the compiler knows nothing of it: it would see what is wrong and act on it.
template <class T>
T* hidden(T* pointer) {
  __asm__("" : "+r"(pointer));
  return pointer;
}

TEST(AHeapError, HasTheStacksOfTheAccessTheReleaseAndTheAllocation) {
  const hocket::FoundFailure failure = failure_of([] {
    std::atomic<int*> shared{make_number()};
    std::thread owner([&] { drop(shared.exchange(nullptr)); });
    int* const seen = shared.load();
    owner.join();
    if (seen != nullptr) hocket::check(*hidden(seen) == 7);
  });
  EXPECT_EQ(failure.kind, hocket::FailureKind::heap_error);
  EXPECT_THAT(titles_of(failure), ElementsAre("main failed", "The release of the block by thread 1",
                                      "The allocation of the block by main"));
  EXPECT_THAT(functions_of(failure.schedule->stacks[1], 2),
      ElementsAre("drop", StartsWith("lambda")));  // Clang does not tell in which function
  EXPECT_THAT(functions_of(failure.schedule->stacks[2], 1), ElementsAre("make_number"));
}

[[gnu::noinline]] void refuse() {
  throw std::runtime_error("out of milk");
}

struct Undone {
  Undone() = default;
  Undone(const Undone&) = delete;
  Undone& operator=(const Undone&) = delete;
  [[gnu::noinline]] ~Undone() { __asm__ volatile("" ::: "memory"); }
};

[[gnu::noinline]] void order() {
  const Undone undone;
  try {
    refuse();
  } catch (const std::logic_error&) {  // it is none
  }
}

TEST(AnException, HasTheStackOnWhichItWasThrown) {
  const hocket::FoundFailure failure = failure_of([] {
    std::thread customer([] { order(); });
    customer.join();
  });
  EXPECT_EQ(failure.kind, hocket::FailureKind::exception);
  EXPECT_THAT(titles_of(failure), ElementsAre("The throw by thread 1"));
  EXPECT_THAT(functions_of(failure.schedule->stacks[0], 2), ElementsAre("refuse", "order"));
  EXPECT_EQ(failure.where, failure.schedule->stacks[0].frames[0].substr(std::string("refuse  ").size()));
}

TEST(AnException, ThatIsCaughtIsNoStackOfALaterFailure) {
  const hocket::FoundFailure failure = failure_of([] {
    try {
      refuse();
    } catch (const std::runtime_error&) {
      hocket::check(false);
    }
  });
  EXPECT_THAT(titles_of(failure), ElementsAre("main failed"));
}

}  // namespace
