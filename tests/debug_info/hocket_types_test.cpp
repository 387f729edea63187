// What reports call objects of Hocket's own types, in a program that is not instrumented. This file is
// compiled in several ways: see CMakeLists.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

#include "message_of.hpp"

namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Nothing {};

struct Slot : Nothing {
  hocket::mutex lock;
  hocket::atomic<int> count{0};
};

struct Table {
  std::array<Slot, 4> slots;
  hocket::shared_mutex many;
  hocket::condition_variable changed;
  hocket::binary_semaphore seats{1};
  hocket::atomic_flag full;
};

Table table;

TEST(AnObjectOfAHocketType, InStaticStorageIsCalledByItsPath) {
  const std::vector<std::string> objects = objects_of([] {
    table.slots[3].lock.lock();
    table.slots[3].lock.unlock();
    table.slots[2].count.store(1);
    table.many.lock_shared();
    table.many.unlock_shared();
    table.changed.notify_one();
    table.seats.acquire();
    table.full.test_and_set();
  });
  for (const char* const name : {"table.slots[3].lock", "table.slots[2].count", "table.many", "table.changed",
           "table.seats", "table.full"})
    EXPECT_THAT(objects, Contains(name));
}

[[gnu::noinline]] void use_locals() {
  Slot slot;
  hocket::atomic<bool> done{false};
  const std::scoped_lock lock(slot.lock);
  hocket::thread other([&] { done.store(true); });
  other.join();
}

TEST(AnObjectOfAHocketType, OnTheStackIsCalledByItsName) {
  const std::vector<std::string> objects = objects_of(&use_locals);
  EXPECT_THAT(objects, Contains("slot.lock"));
  EXPECT_THAT(objects, Contains("done"));
}

TEST(AnObjectOfAHocketType, OfTheCodeAroundTheSearchIsCalledLikeThat) {
  hocket::mutex outside;
  const std::vector<std::string> objects = objects_of([&] {
    outside.lock();
    outside.unlock();
  });
  EXPECT_THAT(objects, Contains("outside"));
}

TEST(AnObjectOfAHocketType, KeepsTheNameThatItWasGiven) {
  const std::vector<std::string> objects = objects_of([] {
    hocket::mutex lock;
    hocket::name(lock, "the lock");
    lock.lock();
    lock.unlock();
  });
  EXPECT_THAT(objects, Contains("the lock"));
  EXPECT_THAT(objects, Each(Not(StartsWith("lock"))));
}

// Not inlined, so that both are of the same function.
[[gnu::noinline]] void use_two(int depth) {
  hocket::atomic<int> step{0};
  step.store(1);
  if (depth != 0) use_two(depth - 1);
  step.store(2);
}

TEST(AnObjectOfAHocketType, WithTheNameOfAnotherHasANumber) {
  const std::vector<std::string> objects = objects_of([] { use_two(1); });
  EXPECT_THAT(objects, Contains("step"));
  EXPECT_THAT(objects, Contains("step #2"));
}

TEST(AVarInARace, IsCalledAsInSourceCode) {
  const hocket::Report report = report_of([] {
    hocket::var<int> hits{0};
    hocket::thread other([&] { hits = 1; });
    hits = 2;
    other.join();
  });
  ASSERT_FALSE(report.failures.empty());
  EXPECT_THAT(report.failures[0].message, HasSubstr("writes hits at"));
}

struct Node {
  hocket::mutex lock;
  hocket::atomic<int> value{0};
  Node* next = nullptr;
};

/// Keeps the variable in memory, where an optimised program may have no need of it.
template <class T>
void keep(const T& variable) {
  asm volatile("" : : "r"(&variable) : "memory");
}

TEST(AnObjectOfAHocketType, BehindASmartPointerOrInAContainerIsCalledAfterIt) {
  const std::vector<std::string> objects = objects_of([] {
    const auto unique = std::make_unique<Node>();
    keep(unique);
    unique->value.store(1);
    const auto shared = std::make_shared<Node>();
    keep(shared);
    shared->lock.lock();
    shared->lock.unlock();
    std::vector<Slot> row(3);
    keep(row);
    row[2].count.store(1);
    std::map<int, Slot> by_number;
    by_number[17].count.store(1);
    std::list<Slot> line(1);
    line.front().count.store(1);
    keep(row);
  });
  for (const char* const name :
      {"unique->value", "shared->lock", "row[2].count", "by_number[17].count", "count of an element of line"})
    EXPECT_THAT(objects, Contains(name));
}

TEST(AnObjectOfAHocketType, ThatOnlyAPointerLeadsToIsCalledAfterThat) {
  const std::vector<std::string> objects = objects_of([] {
    Node* const first = new Node;
    first->next = new Node;
    first->next->lock.lock();
    first->next->lock.unlock();
    delete first->next;
    delete first;
  });
  EXPECT_THAT(objects, Contains("first->next->lock"));
}

TEST(AnObjectOfAHocketType, ThatAThreadKnowsByACaptureIsCalledAsWhereItWasMade) {
  const std::vector<std::string> objects = objects_of([] {
    const auto shared = std::make_shared<Node>();
    keep(shared);
    hocket::thread other([shared] { shared->value.store(1); });
    other.join();
  });
  EXPECT_THAT(objects, Contains("shared->value"));
}

enum class Light { red, amber = 5, green };
std::array<int, 3> numbers;

TEST(TheValueOfAnAtomic, IsShownByItsType) {
  const std::vector<std::string> values = values_of([] {
    hocket::atomic<Light> light{Light::red};
    light.store(Light::amber);
    light.store(static_cast<Light>(4));
    hocket::atomic<bool> done{false};
    done.store(true);
    hocket::atomic<int*> position{nullptr};
    position.store(&numbers[2]);
    int local = 0;
    position.store(&local);
    position.store(nullptr);
    hocket::atomic<std::uint64_t> packed{0};
    packed.store(0x100000002U);
    hocket::atomic<int> small{0};
    small.store(-3);
  });
  const std::vector<std::string> expected{
      "amber", "4", "true", "→ numbers[2]", "→ local", "null", "4294967298 (0x100000002)", "-3"};
  for (const std::string& value : expected) EXPECT_THAT(values, Contains(value));
}

TEST(TheValueOfAVar, IsShownByItsType) {
  const std::vector<std::string> values = values_of([] {
    hocket::var<Light> light{Light::red};
    hocket::atomic<int> step{0};
    step.store(1);
    light = Light::green;
  });
  EXPECT_THAT(values, Contains(StartsWith("writes light = green")));
}

TEST(AReport, DoesNotAskForTheDebugInformationThatItHas) {
  const hocket::Report report = report_of([] { hocket::check(false, "it fails"); });
  std::ostringstream text;
  text << report;
  EXPECT_THAT(text.str(), Not(HasSubstr("-g")));
}

}  // namespace
