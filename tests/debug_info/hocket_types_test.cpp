// What reports call objects of Hocket's own types, in a program that is not instrumented. This file is
// compiled in several ways: see CMakeLists.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

hocket::Options without_files() {
  hocket::Options options;
  options.save_schedules = false;
  return options;
}

/// The names of the objects of the steps until `body` ends, which is made to fail there.
std::vector<std::string> objects_of(const std::function<void()>& body) {
  const hocket::Report report = hocket::explore(
      "names",
      [&] {
        body();
        hocket::check(false, "it is enough");
      },
      without_files());
  EXPECT_FALSE(report.failures.empty());
  std::vector<std::string> objects;
  if (report.failures.empty()) return objects;
  for (const auto& choice : report.failures[0].schedule->choices)
    if (!choice.object.empty()) objects.push_back(choice.object);
  return objects;
}

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

TEST(AnObjectOfAHocketType, OnTheStackIsCalledWithItsFunction) {
  const std::vector<std::string> objects = objects_of(&use_locals);
  EXPECT_THAT(objects, Contains("slot.lock in use_locals"));
  EXPECT_THAT(objects, Contains("done in use_locals"));
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
  EXPECT_THAT(objects, Contains("step in use_two"));
  EXPECT_THAT(objects, Contains("step in use_two #2"));
}

TEST(AVarInARace, IsCalledAsInSourceCode) {
  const hocket::Report report = hocket::explore(
      "names",
      [] {
        hocket::var<int> hits{0};
        hocket::thread other([&] { hits = 1; });
        hits = 2;
        other.join();
      },
      without_files());
  ASSERT_FALSE(report.failures.empty());
  EXPECT_THAT(report.failures[0].message, HasSubstr("writes hits in lambda at"));
}

}  // namespace
