// What reports call variables whose names are known from debug information. This file is compiled in several
// ways: see CMakeLists.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

namespace store {

struct Slot {
  std::mutex lock;
  std::array<int, 4> counts{};
};

struct Base {
  long inherited = 0;
};

struct Shop : Base {
  std::array<Slot, 3> slots;
  static int open_shops;
};
int Shop::open_shops = 0;

Shop shop;
std::array<int, 100'000> many;

inline namespace v2 {
std::array<std::array<int, 5>, 3> grid{};
}

}  // namespace store

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// The message of the data race or other failure of `body`.
std::string message_of(const std::function<void()>& body) {
  hocket::Options options;
  options.save_schedules = false;
  const hocket::Report report = hocket::explore("names", body, options);
  EXPECT_FALSE(report.failures.empty());
  return report.failures.empty() ? std::string{} : report.failures[0].message;
}

/// Two threads write without a lock.
template <class Write>
void race(const Write& write) {
  std::thread other([&write] { write(1); });
  write(2);
  other.join();
}

TEST(AVariableInStaticStorage, IsCalledByItsPathOfMembersAndElements) {
  EXPECT_THAT(message_of([] { race([](int n) { store::shop.slots[1].counts[2] = n; }); }),
      HasSubstr("writes store::shop.slots[1].counts[2] at"));
}

TEST(AVariableThatIsZeroAtFirst, IsFoundBehindWhatTheFileContains) {
  EXPECT_THAT(message_of([] { race([](int n) { store::many[90'000] = n; }); }),
      HasSubstr("writes store::many[90000] at"));
}

TEST(AMemberOfABaseClass, IsCalledAsInSourceCode) {
  EXPECT_THAT(message_of([] { race([](int n) { store::shop.inherited = n; }); }),
      HasSubstr("writes store::shop.inherited at"));
}

TEST(AStaticMember, IsCalledWithItsClass) {
  EXPECT_THAT(message_of([] { race([](int n) { store::Shop::open_shops = n; }); }),
      HasSubstr("writes store::Shop::open_shops at"));
}

TEST(AnElementOfAnArrayOfArrays, IsCalledWithBothIndexes) {
  EXPECT_THAT(message_of([] { race([](int n) { store::grid[2][3] = n; }); }),
      HasSubstr("writes store::grid[2][3] at"));
}

[[gnu::noinline]] void count_calls(int n) {
  static int calls;
  calls = calls + n;
}

TEST(AStaticVariableOfAFunction, IsCalledWithItsFunction) {
  EXPECT_THAT(message_of([] { race(&count_calls); }), HasSubstr(" calls in count_calls at"));
}

[[gnu::noinline]] int remember(int n) {
  static const int first = n;
  return first;
}

TEST(AGuardOfAStaticVariable, IsCalledAfterTheVariableAndItsFunction) {
  hocket::Options options;
  options.save_schedules = false;
  const hocket::Report report = hocket::explore(
      "names",
      [] {
        remember(1);
        hocket::check(false, "it is enough");
      },
      options);
  ASSERT_FALSE(report.failures.empty());
  std::vector<std::string> objects;
  for (const auto& choice : report.failures[0].schedule->choices) objects.push_back(choice.object);
  EXPECT_THAT(objects, Contains("the guard of first in remember"));
}

TEST(AMutexInStaticStorage, IsCalledAsInSourceCode) {
  const std::string message = message_of([] {
    store::shop.slots[0].lock.lock();
    std::thread([] { store::shop.slots[0].lock.lock(); }).join();
  });
  EXPECT_THAT(message, HasSubstr("waits for store::shop.slots[0].lock"));
}

[[gnu::noinline]] void run_with_locals() {
  store::Slot slot;
  std::thread other([&slot] { slot.counts[3] = 1; });
  slot.counts[3] = 2;
  other.join();
}

TEST(ALocalVariable, IsCalledWithItsFunctionThroughAReferenceToo) {
  EXPECT_THAT(message_of(&run_with_locals), HasSubstr("slot.counts[3] in run_with_locals"));
}

[[gnu::noinline]] void take(std::atomic<int>& of_another, int& plain) {
  plain = 1;
  of_another = 1;
}

[[gnu::noinline]] void lend() {
  std::atomic<int> atomic_local{0};
  int plain_local = 0;
  std::thread other([&] { take(atomic_local, plain_local); });
  plain_local = 2;
  other.join();
}

TEST(ALocalVariable, HasTheNameThatItHasWhereItLives) {
  EXPECT_THAT(message_of(&lend), HasSubstr("plain_local in lend"));
}

struct Node {
  Node* next = nullptr;
  int value = 0;
};

TEST(ABlockOfTheHeap, IsCalledAfterTheTypeThatItsLineNames) {
  const std::string message = message_of([] {
    Node* const node = new Node;
    race([&](int n) { node->value = n; });
    delete node;
  });
  EXPECT_THAT(message, HasSubstr("byte 8 of Node (made at names_test.cpp:"));
}

TEST(ABlockOfASmartPointer, IsCalledAfterItsMemberAndType) {
  const std::string unique = message_of([] {
    const auto node = std::make_unique<Node>();
    race([&](int n) { node->value = n; });
  });
  EXPECT_THAT(unique, HasSubstr("writes value of "));
  EXPECT_THAT(unique, HasSubstr("Node (made at names_test.cpp:"));
  const std::string shared = message_of([] {
    const auto node = std::make_shared<Node>();
    race([&](int n) { node->value = n; });
  });
  EXPECT_THAT(shared, HasSubstr("writes value of "));
}

TEST(ANodeOfAContainer, IsCalledAfterTheContainer) {
  const std::string of_map = message_of([] {
    std::map<int, Node> nodes;
    Node& node = nodes[1];
    race([&](int n) { node.value = n; });
  });
  EXPECT_THAT(of_map, HasSubstr("writes second.value of std::map node (made at names_test.cpp:"));
  const std::string of_list = message_of([] {
    std::list<Node> nodes(1);
    race([&](int n) { nodes.front().value = n; });
  });
  EXPECT_THAT(of_list, HasSubstr("writes value of std::list node (made at names_test.cpp:"));
}

TEST(AnElementOfAVector, IsCalledByItsIndex) {
  const std::string message = message_of([] {
    std::vector<Node> nodes(5);
    race([&](int n) { nodes[3].value = n; });
  });
  EXPECT_THAT(message, HasSubstr("writes [3].value of "));
}

}  // namespace
