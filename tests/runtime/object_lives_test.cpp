// Lives of objects: they are constructed before others use them, and destroyed after that, if something
// orders it.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/strategies/strategy.hpp"
#include "scheduler/strategies/strategy_table.hpp"

#include "tests/support/failure_of.hpp"
#include "tests/support/folder.hpp"

namespace hocket {

namespace {

using test::exhaustively;
using test::expect_to_pass;
using test::failure_of;
using test::in_parallel;
using test::message_of;
using test::place;
using test::with;

/// A type of object, and what a thread does with one.
struct Kind {
  const char* name;
  std::function<void()> (*made)(std::shared_ptr<void>& keeper);  ///< makes one, and returns a use of it
};

template <class Type, class... Arguments>
std::shared_ptr<Type> kept(std::shared_ptr<void>& keeper, Arguments... arguments) {
  auto object = std::make_shared<Type>(arguments...);
  keeper = object;
  return object;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll{
      {"atomic",
          [](std::shared_ptr<void>& keeper) -> std::function<void()> {
            return [a = kept<atomic<int>>(keeper).get()] { a->fetch_add(1, memory_order_relaxed); };
          }},
      {"atomic that is notified",
          [](std::shared_ptr<void>& keeper) -> std::function<void()> {
            return [a = kept<atomic<int>>(keeper).get()] { a->notify_one(); };
          }},
      {"semaphore",
          [](std::shared_ptr<void>& keeper) -> std::function<void()> {
            return [s = kept<counting_semaphore<2>>(keeper, 0).get()] { s->release(); };
          }},
      {"mutex",
          [](std::shared_ptr<void>& keeper) -> std::function<void()> {
            return [m = kept<mutex>(keeper).get()] {
              m->lock();
              m->unlock();
            };
          }},
      {"shared_mutex",
          [](std::shared_ptr<void>& keeper) -> std::function<void()> {
            return [m = kept<shared_mutex>(keeper).get()] {
              m->lock_shared();
              m->unlock_shared();
            };
          }},
      {"condition_variable",
          [](std::shared_ptr<void>& keeper) -> std::function<void()> {
            return [c = kept<condition_variable>(keeper).get()] { c->notify_one(); };
          }},
  };
  return kAll;
}

/// One thread makes an object and publishes it; another one uses it if it has come.
std::function<void()> published(const Kind& kind, std::memory_order by, std::memory_order read_by) {
  return [&kind, by, read_by] {
    std::shared_ptr<void> object;
    std::function<void()> use;
    atomic<int> is_there{0};
    in_parallel(
        [&] {
          use = kind.made(object);
          is_there.store(1, by);
        },
        [&] {
          if (is_there.load(read_by) == 1) use();
        });
  };
}

/// Two threads use an object, and the last one destroys it.
std::function<void()> dropped(const Kind& kind, std::memory_order by) {
  return [&kind, by] {
    std::shared_ptr<void> object;
    const std::function<void()> use = kind.made(object);
    atomic<int> owners{2};
    const auto user = [&] {
      use();
      if (owners.fetch_sub(1, by) == 1) object.reset();
    };
    in_parallel(user, user);
  };
}

TEST(LivesOfObjects, AnObjectIsPublishedByReleaseAndFoundByAcquire) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    expect_to_pass(published(kind, memory_order_release, memory_order_acquire));
    for (const auto& [by, read_by] : {std::pair(memory_order_relaxed, memory_order_acquire),
             std::pair(memory_order_release, memory_order_relaxed)}) {
      const std::string message = message_of(FailureKind::data_race, published(kind, by, read_by));
      EXPECT_NE(
          message.find("was published before it was constructed, as thread 2 sees it"), std::string::npos)
          << message;
    }
  }
}

TEST(LivesOfObjects, TheLastOwnerAcquiresWhatTheOthersReleased) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    expect_to_pass(dropped(kind, memory_order_acq_rel));
    for (const std::memory_order by : {memory_order_relaxed, memory_order_acquire, memory_order_release}) {
      const std::string message = message_of(FailureKind::data_race, dropped(kind, by));
      EXPECT_NE(message.find(" is destroyed while thread 1 may still use it. Keep "), std::string::npos)
          << message;
    }
  }
}

// Without the C++ memory model, too, where orders matter for data races only.
TEST(LivesOfObjects, AreWatchedByEveryStrategy) {
  for (const StrategyInfo& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    Options options = with(std::string(strategy.name));
    options.memory_model = MemoryModel::sc;
    EXPECT_EQ(
        failure_of(published(kinds().front(), memory_order_relaxed, memory_order_relaxed), options).kind,
        FailureKind::data_race);
    EXPECT_EQ(
        failure_of(dropped(kinds().front(), memory_order_relaxed), options).kind, FailureKind::data_race);
  }
}

TEST(LivesOfObjects, AnObjectAtTheAddressOfAnEarlierOneIsAnotherOne) {
  expect_to_pass([] {
    alignas(atomic<int>) unsigned char bytes[sizeof(atomic<int>)];
    mutex m;
    const auto user = [&] {
      const std::lock_guard lock(m);
      auto* const a = new (bytes) atomic<int>(0);
      a->store(1, memory_order_relaxed);
      a->~atomic();
    };
    in_parallel(user, user);
  });
}

TEST(LivesOfObjects, NamesBothPlaces) {
  int made = 0;
  int used = 0;
  made = __LINE__ + 2;
  struct Node {
    explicit Node(int value) : x(value) {}
    atomic<int> x;
  };
  const FoundFailure failure = failure_of([&] {
    std::unique_ptr<Node> keeper;
    atomic<Node*> head{nullptr};
    name(head, "head");
    in_parallel(
        [&] {
          keeper = std::make_unique<Node>(1);
          name(keeper->x, "x");
          head.store(keeper.get(), memory_order_relaxed);
        },
        [&] {
          Node* const node = head.load(memory_order_acquire);
          used = __LINE__ + 1;
          if (node != nullptr) node->x.store(2);
        });
  });
  EXPECT_EQ(failure.message.substr(0, failure.message.find('\n')),
      "data race: thread 2 uses x at " + place(used) +
          ", not ordered after the construction by thread 1 at " + place(made) + " (before the first step)");
}

TEST(LivesOfObjects, AFailureIsReplayedWithTheRulesThatFoundIt) {
  const test::Folder folder;
  for (const char* strategy : {"dpor", "auto"}) {
    const FoundFailure failure =
        failure_of(dropped(kinds().front(), memory_order_relaxed), {.strategy = strategy,
                                                                       .max_preemptions = unbounded,
                                                                       .schedule_dir = folder.path().string(),
                                                                       .try_saved = false});
    ASSERT_FALSE(failure.schedule_file.empty());
    const FoundFailure again =
        failure_of(dropped(kinds().front(), memory_order_relaxed), {.replay = failure.schedule_file});
    EXPECT_EQ(again.message, failure.message);
  }
}

TEST(LivesOfObjects, AreNotWatchedIfDataRacesAreNotAskedFor) {
  expect_to_pass(published(kinds().front(), memory_order_relaxed, memory_order_relaxed),
      exhaustively({.detect = Detectors().without(Detector::races)}));
}

}  // namespace

}  // namespace hocket
