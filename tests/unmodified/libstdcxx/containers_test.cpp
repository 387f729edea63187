// Containers whose links libstdc++ changes in its own object code: a change beside any other use is a data
// race, uses that only read are none, and neither are uses of two containers.
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

/// A race is found when one thread does `one` and another `other`, but not when a mutex keeps them apart, and
/// not when each has a container of its own.
template <class Container, class One, class Other>
void expect_race(const Container& first, const One& one, const Other& other) {
  expect_failure(FailureKind::data_race, 0, "containers_test.cpp", [&] {
    Container container(first);
    in_parallel([&] { one(container); }, [&] { other(container); });
  });
  explored([&] {
    Container container(first);
    std::mutex mutex;
    const auto locked = [&](const auto& use) {
      const std::lock_guard lock(mutex);
      use(container);
    };
    in_parallel([&] { locked(one); }, [&] { locked(other); });
  });
  explored([&] {
    Container mine(first);
    Container yours(first);
    in_parallel([&] { one(mine); }, [&] { other(yours); });
  });
}

template <class T>
void use_value(T value) {
  __asm__ volatile("" : "+r"(value));
}

using List = std::list<int>;
using Map = std::map<int, int>;

const List three{1, 2, 3};
const Map odd{{1, 1}, {3, 3}, {5, 5}, {7, 7}, {9, 9}};

template <class Container>
void iterate(Container& container) {
  int sum = 0;
  for (auto at = container.begin(); at != container.end(); ++at) ++sum;
  use_value(sum);
}
void push(List& list) {
  list.push_back(4);
}
void look_at_front(List& list) {
  use_value(list.front());
}

TEST(AList, ThatOneThreadPushesToMayNotBeUsedByAnother) {
  expect_race(three, &push, &push);
  expect_race(three, &push, &iterate<List>);
  expect_race(List{}, &push, [](List& list) { use_value(list.empty()); });
}

TEST(AList, ThatOneThreadErasesFromMayNotBeUsedByAnother) {
  const auto erase = [](List& list) { list.erase(std::next(list.begin())); };
  expect_race(three, erase, &iterate<List>);
  expect_race(three, erase, &push);
}

TEST(AList, ThatOneThreadSplicesMayNotBeUsedByAnother) {
  const auto to_front = [](List& list) { list.splice(list.begin(), list, std::prev(list.end())); };
  expect_race(three, to_front, to_front);
  expect_race(three, to_front, &look_at_front);
  expect_race(three, to_front, &iterate<List>);
}

TEST(AList, ThatOneThreadReversesSortsOrSwapsMayNotBeUsedByAnother) {
  expect_race(
      three, [](List& list) { list.reverse(); }, &iterate<List>);
  expect_race(
      three, [](List& list) { list.sort(std::greater<>()); }, &iterate<List>);
  expect_race(
      three,
      [](List& list) {
        List none;
        list.swap(none);
      },
      &look_at_front);
}

TEST(AMap, ThatOneThreadInsertsIntoMayNotBeUsedByAnother) {
  const auto insert = [](Map& map) { map.insert({6, 6}); };
  expect_race(odd, insert, [](Map& map) { map[4] = 4; });
  expect_race(odd, insert, [](Map& map) { use_value(map.count(1)); });
  expect_race(odd, insert, &iterate<Map>);
  expect_race(Map{}, insert, [](Map& map) { use_value(map.begin() == map.end()); });
}

TEST(AMap, ThatOneThreadErasesFromMayNotBeUsedByAnother) {
  const auto erase = [](Map& map) { map.erase(5); };
  expect_race(odd, erase, [](Map& map) { use_value(map.count(1)); });
  expect_race(odd, erase, &iterate<Map>);
  expect_race(odd, erase, [](Map& map) { map.erase(map.begin()); });
}

TEST(AMap, WalkedBackwardsWhileAnotherThreadChangesItIsARace) {
  expect_race(
      odd, [](Map& map) { map.erase(9); },
      [](Map& map) {
        int sum = 0;
        for (auto at = map.rbegin(); at != map.rend(); ++at) ++sum;
        use_value(sum);
      });
}

TEST(AMap, ThatThreadsOnlyReadPasses) {
  explored([] {
    const Map map(odd);
    const auto read = [&] {
      check(map.count(5) == 1 && map.find(4) == map.end() && map.lower_bound(4)->second == 5);
      int sum = 0;
      for (const auto& [key, value] : map) sum += value;
      // NOLINTNEXTLINE(modernize-loop-convert): what is tested
      for (auto at = map.crbegin(); at != map.crend(); ++at) sum -= at->second;
      check(sum == 0);
    };
    in_parallel(read, read);
  });
}

TEST(AMap, WhoseValuesThreadsChangeEachItsOwnPasses) {
  explored([] {
    Map map(odd);
    int& last = map.at(9);
    // The references stay valid: neither thread uses the other's node, nor its key.
    in_parallel(
        [&] {
          map.erase(7);
          map.insert({8, 8});
        },
        [&] { last = 10; });
    check(map.at(9) == 10 && map.size() == 5);
  });
}

TEST(ASet, IsAsAMapIs) {
  using Set = std::set<std::string>;
  const Set words{"a", "b", "c"};
  const auto insert = [](Set& set) { set.insert("d"); };
  expect_race(words, insert, [](Set& set) { use_value(set.contains("a")); });
  expect_race(words, insert, &iterate<Set>);
  expect_race(
      words, [](Set& set) { set.erase("b"); }, insert);
}

TEST(AMultimap, IsAsAMapIs) {
  using Multimap = std::multimap<int, int>;
  expect_race(
      Multimap{{1, 1}, {1, 2}},
      [](Multimap& map) {
        map.insert({1, 3});
      },
      [](Multimap& map) { use_value(map.count(1)); });
}

// Else the compiler sees what is wrong and warns of it.
[[gnu::noinline]] void erase_first(List& list) {
  list.erase(list.begin());
}

TEST(AnIterator, OfAFreedNodeIsAHeapError) {
  expect_failure(FailureKind::heap_error, 0, "freed", [] {
    Map map(odd);
    const auto at = map.find(5);
    map.erase(5);
    use_value(std::next(at) == map.end());
  });
  expect_failure(FailureKind::heap_error, 0, "freed", [] {
    List list(three);
    const auto at = list.begin();
    erase_first(list);
    list.splice(list.end(), list, at);
  });
}

/// A cache that forgets what was used longest ago. To look something up changes the order.
class Cache {
 public:
  void put(int key, int value) {
    const std::unique_lock lock(mutex_);
    order_.push_front({key, value});
    at_[key] = order_.begin();
  }
  template <class Lock>
  std::optional<int> get(int key) {
    const Lock lock(mutex_);
    const auto found = at_.find(key);
    if (found == at_.end()) return {};
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }

 private:
  std::shared_mutex mutex_;
  std::list<std::pair<int, int>> order_;
  std::unordered_map<int, std::list<std::pair<int, int>>::iterator> at_;
};

template <class Lock>
void look_up_in_cache() {
  Cache cache;
  cache.put(1, 10);
  cache.put(2, 20);
  cache.put(3, 30);
  in_parallel([&] { check(cache.get<Lock>(1) == 10); }, [&] { check(cache.get<Lock>(2) == 20); });
}

TEST(ACache, MayNotBeReorderedUnderALockForReaders) {
  expect_failure(FailureKind::data_race, 0, "containers_test.cpp",
      &look_up_in_cache<std::shared_lock<std::shared_mutex>>);
  explored(&look_up_in_cache<std::unique_lock<std::shared_mutex>>);
}

}  // namespace

}  // namespace unmodified
