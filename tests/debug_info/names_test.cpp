// What reports call variables whose names are known from debug information. This file is compiled in several
// ways: see CMakeLists.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

#include "message_of.hpp"

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

struct Gauge {
  Gauge() = default;
  Gauge(const Gauge&) = delete;
  Gauge& operator=(const Gauge&) = delete;
  virtual ~Gauge() = default;
  [[gnu::noinline]] virtual void read() {}
};

inline namespace v2 {
std::array<std::array<int, 5>, 3> grid{};
}

}  // namespace store

namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

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

TEST(AStaticVariableOfAFunction, IsCalledAsInSourceCode) {
  EXPECT_THAT(message_of([] { race(&count_calls); }), HasSubstr(" calls at"));
}

[[gnu::noinline]] int remember(int n) {
  static const int first = n;
  return first;
}

TEST(AGuardOfAStaticVariable, IsCalledAfterTheVariable) {
  EXPECT_THAT(objects_of([] { remember(1); }), Contains("the guard of first"));
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

TEST(ALocalVariable, IsCalledByItsNameThroughAReferenceToo) {
  EXPECT_THAT(message_of(&run_with_locals), HasSubstr("writes slot.counts[3] at"));
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
  EXPECT_THAT(message_of(&lend), HasSubstr("writes plain_local at"));
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
  EXPECT_THAT(message, HasSubstr("value of Node (made at names_test.cpp:"));
}

TEST(ABlockOfASmartPointer, IsCalledAfterItsMemberAndType) {
  const std::string unique = message_of([] {
    const auto node = std::make_unique<Node>();
    race([&](int n) { node->value = n; });
  });
  EXPECT_THAT(unique, HasSubstr("writes node->value"));
  const std::string shared = message_of([] {
    const auto node = std::make_shared<Node>();
    race([&](int n) { node->value = n; });
  });
  EXPECT_THAT(shared, HasSubstr("writes node->value"));
  const std::string released = message_of([] {
    Node* const node = std::make_unique<Node>().release();
    race([&](int n) { node->value = n; });
    delete node;
  });
  EXPECT_THAT(released, HasSubstr("writes value of "));
  EXPECT_THAT(released, HasSubstr("Node (made at names_test.cpp:"));
}

TEST(AnElementOfAContainer, IsCalledAfterTheContainer) {
  const std::string of_map = message_of([] {
    std::map<int, Node> nodes;
    Node& node = nodes[-1];
    race([&](int n) { node.value = n; });
  });
  EXPECT_THAT(of_map, HasSubstr("writes nodes[-1].value"));
  const std::string of_names = message_of([] {
    std::map<std::string, Node> nodes;
    Node& node = nodes["one"];
    race([&](int n) { node.value = n; });
  });
  EXPECT_THAT(of_names, HasSubstr("writes nodes[\"one\"].value"));
  const std::string of_hash_map = message_of([] {
    std::unordered_map<unsigned, Node> nodes;
    Node& node = nodes[7];
    race([&](int n) { node.value = n; });
  });
  EXPECT_THAT(of_hash_map, HasSubstr("writes nodes[7].value"));
  const std::string of_list = message_of([] {
    std::list<Node> nodes(1);
    race([&](int n) { nodes.front().value = n; });
  });
  EXPECT_THAT(of_list, HasSubstr("writes value of an element of nodes"));
  const std::string of_queue = message_of([] {
    std::deque<Node> nodes(90);
    race([&](int n) { nodes[44].value = n; });
  });
  EXPECT_THAT(of_queue, HasSubstr("writes value of an element of nodes"));
  const std::string of_vector = message_of([] {
    std::vector<Node> nodes(5);
    race([&](int n) { nodes[3].value = n; });
  });
  EXPECT_THAT(of_vector, HasSubstr("writes nodes[3].value"));
  const std::string of_string = message_of([] {
    std::string text(40, ' ');
    race([&](int n) { text[33] = static_cast<char>(n); });
  });
  EXPECT_THAT(of_string, HasSubstr("writes text[33]"));
}

struct Cache {
  std::map<int, Node> nodes;
};
std::unique_ptr<Cache> cache;

TEST(AnElementOfAContainer, IsFoundFromAGlobalVariable) {
  const std::string message = message_of([] {
    cache = std::make_unique<Cache>();
    Node* const node = &cache->nodes[3];
    race([&](int n) { node->value = n; });
    cache.reset();
  });
  EXPECT_THAT(message, HasSubstr("writes cache->nodes[3].value"));
}

TEST(ALongFailure, SeeksNamesThatAreSlowToFindInItsFirstAndLastSteps) {
  const hocket::Report report = report_of([] {
    std::vector<std::unique_ptr<std::atomic<int>>> cells;
    for (int n = 0; n < 3; ++n) cells.push_back(std::make_unique<std::atomic<int>>(0));
    std::atomic<int> count{0};
    std::thread other([&] {
      for (const auto& cell : cells) {
        for (int n = 0; n < 600; ++n) count.store(n);
        cell->store(1);
      }
      for (int n = 0; n < 400; ++n) count.store(n);
    });
    other.join();
    hocket::check(false, "too late");
  });
  ASSERT_FALSE(report.failures.empty());
  const auto& choices = report.failures[0].schedule->choices;
  ASSERT_EQ(choices.size(), 2'203U);
  EXPECT_THAT(choices[600].object, HasSubstr("(made at names_test.cpp:"));
  EXPECT_THAT(choices[1'201].object, HasSubstr("(made at names_test.cpp:"));
  EXPECT_THAT(choices[1'802].object, HasSubstr("*cells[2]"));
}

[[gnu::noinline]] void write_through(int* place, int n) {
  *place = n;
}

struct Tally {
  [[gnu::noinline]] void add(int n) {
    const std::lock_guard lock(mutex_);
    entries_ += n;
  }
  std::mutex mutex_;
  std::atomic<int> entries_{0};
};

class AFixture : public ::testing::TestWithParam<int> {
 protected:
  [[gnu::noinline]] void add(int n) {
    const std::lock_guard lock(mutex_);
    sum_ += n;
    cache_.add(n);
  }
  std::mutex mutex_;
  std::atomic<int> sum_{0};
  Tally cache_;
};

TEST_P(AFixture, HasMembersThatAreCalledByTheirNamesAlone) {
  const std::vector<std::string> objects = objects_of([this] {
    std::thread other([this] { add(GetParam()); });
    add(GetParam());
    other.join();
  });
  for (const char* const name : {"mutex_", "sum_", "cache_.mutex_", "cache_.entries_"})
    EXPECT_THAT(objects, Contains(name));
  EXPECT_THAT(objects, Each(AnyOf("mutex_", "sum_", "cache_.mutex_", "cache_.entries_")));
}
INSTANTIATE_TEST_SUITE_P(Numbers, AFixture, ::testing::Values(1));

[[gnu::noinline]] void lock_both(std::mutex& of_caller) {
  std::mutex lock;
  const std::scoped_lock both(of_caller, lock);
}

TEST(ALocalVariable, OfTheSameNameAsAnotherIsCalledWithItsFunction) {
  const std::vector<std::string> objects = objects_of([] {
    std::mutex lock;
    lock.lock();
    lock.unlock();
    lock_both(lock);
  });
  EXPECT_THAT(objects, IsSupersetOf({"lock", "lock in lock_both"}));
}

TEST(ANameFromTheUser, StaysAsItIs) {
  const std::vector<std::string> objects = objects_of([] {
    std::atomic<int> sent{0};
    hocket::name(sent, "bytes in flight");
    sent = 1;
  });
  EXPECT_THAT(objects, Contains("bytes in flight"));
}

struct Stock {
  std::vector<int> items;
  std::array<double, 2> sums{};
  unsigned is_open : 1 = 0;
  char mark = 'a';
};

TEST(TheAdviceOnARace, IsToMakeAtomicWhatCanBe) {
  const auto advice_on = [](const auto& write) {
    return message_of([&write] {
      Stock stock;
      race([&](int n) { write(stock, n); });
    });
  };
  EXPECT_THAT(
      advice_on([](Stock& stock, int n) { stock.sums[1] = n; }), HasSubstr("make stock.sums[1] atomic,"));
  EXPECT_THAT(advice_on([](Stock& stock, int n) { stock.mark = static_cast<char>(n); }),
      HasSubstr("make stock.mark atomic,"));
  EXPECT_THAT(advice_on([](Stock& stock, int n) { stock.items.push_back(n); }), Not(HasSubstr("make ")));
  EXPECT_THAT(advice_on([](Stock& stock, int n) { stock.is_open = n == 1; }), Not(HasSubstr("make ")));
}

void publish_too_early() {
  std::atomic<store::Gauge*> shared{nullptr};
  std::thread other([&shared] {
    if (store::Gauge* const seen = shared.load(std::memory_order_relaxed)) seen->read();
  });
  store::Gauge* const gauge = new store::Gauge;
  shared.store(gauge, std::memory_order_relaxed);
  other.join();
  delete gauge;
}

TEST(ARaceWithAConstructor, IsToldAsAnObjectThatWasPublishedTooEarly) {
  EXPECT_THAT(message_of(&publish_too_early),
      AllOf(HasSubstr(" not ordered after the construction by main"),
          HasSubstr("was published before it was constructed, as thread 1 sees it. ")));
}

template <class T>
struct Server {
  struct Session {
    std::string name = "as long as it may be without a new block";
  };
};

TEST(ARaceWithADestructor, IsToldAsTheEndOfTheObjectThatAVirtualCallStillUses) {
  const std::string message = message_of([] {
    auto* const gauge = new store::Gauge;
    std::thread other([gauge] { gauge->read(); });
    delete gauge;
    other.join();
  });
  EXPECT_THAT(message, AllOf(HasSubstr("main destroys "), HasSubstr("auge"), Not(HasSubstr("_vptr"))));
}

TEST(ARaceWithADestructorOfAMember, IsToldAsTheEndOfTheWholeObject) {
  EXPECT_THAT(message_of([] {
    auto* const session = new Server<int>::Session;
    std::thread other([session] { session->name += " of its own"; });
    delete session;
    other.join();
  }),
      HasSubstr("main destroys the Session that "));
}

TEST(ABlockWithoutAType, IsCalledAfterThePointerThatLeadsThere) {
  const std::string message = message_of([] {
    int* const place = static_cast<int*>(std::malloc(40));
    race([&](int n) { write_through(place + 3, n); });
    std::free(place);
  });
  EXPECT_THAT(message, HasSubstr("writes place[3]"));
}

struct Answers {
  std::promise<int> ready;
};

TEST(WhatAnObjectOfTheStandardLibraryHidesElsewhere, IsCalledAfterTheObject) {
  const std::vector<std::string> objects = objects_of([] {
    Answers answers;
    std::promise<int> promise;
    std::future<int> number = promise.get_future();
    std::condition_variable_any changed;
    std::stop_source source;
    std::thread other([&] {
      promise.set_value(1);
      answers.ready.set_value(2);
      changed.notify_one();
      source.request_stop();
    });
    number.wait();
    other.join();
  });
  EXPECT_THAT(objects, IsSupersetOf({"promise", "answers.ready", "changed", "source"}));
  EXPECT_THAT(objects, Each(Not(AnyOf(HasSubstr("*"), HasSubstr("__future_base")))));
}

enum class Light : std::uint8_t { red, amber = 5 };
std::array<int, 3> numbers;

TEST(TheValueOfAnAtomic, IsShownByTheTypeOfItsVariable) {
  static std::atomic<Light> light{Light::red};
  static std::atomic<bool> done{false};
  static std::atomic<int*> position{nullptr};
  static std::atomic<std::uint64_t> packed{0};
  static std::atomic<Node*> node{nullptr};
  static std::atomic<unsigned> large{0};
  const std::vector<std::string> values = values_of([] {
    light = Light::amber;
    done = true;
    position = &numbers[2];
    position = nullptr;
    packed = 0x100000002U;
    large = ~0U;
    Node* const made = new Node;
    node = made;
    delete made;
  });
  for (const char* const value :
      {"amber", "true", "→ numbers[2]", "null", "4294967298 (0x100000002)", "4294967295 (0xffffffff)"})
    EXPECT_THAT(values, Contains(value));
  EXPECT_THAT(values, Contains(HasSubstr("→ Node (made at names_test.cpp:")));
}

// Each piece of memory that is used could be asked for its name, which takes minutes.
TEST(ARace, IsReportedSoonThoughThreadsUseMegabytesOfTheirStacks) {
  [[maybe_unused]] static volatile char seen = 0;
  const std::clock_t before = std::clock();
  const std::string message = message_of([] {
    const auto use = [] {
      std::array<char, std::size_t{4} << 20U> block;
      std::memset(block.data(), 1, block.size());
      seen = block[5];
    };
    std::thread a(use);
    std::thread b(use);
    a.join();
    b.join();
  });
  EXPECT_THAT(message, HasSubstr("writes seen"));
  EXPECT_LT((std::clock() - before) / CLOCKS_PER_SEC, 60);
}

TEST(ARaceOnALocalVariable, NamesItThoughItsNameIsSoughtOnlyThen) {
  EXPECT_THAT(message_of([] {
    int counted = 0;
    std::thread a([&counted] { counted = 1; });
    std::thread b([&counted] { counted = 2; });
    a.join();
    b.join();
  }),
      HasSubstr("writes counted"));
}

}  // namespace
