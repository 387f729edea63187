// Mutexes, condition variables and atomics that come and go with the block of the heap that they lie in.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>

#include <hocket/hocket.hpp>

#include "tests/support/expected_failure.hpp"
#include "tests/support/row_name.hpp"

namespace {

using hocket::FailureKind;
using hocket::test::Right;
using hocket::test::Wrong;

struct Node {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int> value{0};
};

const Wrong kWrong[] = {
    {"FreedUnorderedAfterAnUnlock",
        [] {
          auto* const node = new Node;
          std::atomic<bool> is_begun{false};
          std::thread user([&] {
            is_begun = true;
            is_begun.notify_one();
            const std::lock_guard lock(node->mutex);
          });
          is_begun.wait(false);
          delete node;
          user.join();
        },
        FailureKind::data_race,
        "data race: main frees block 1 at freed_objects_test.cpp:@, not ordered after its use as a mutex by "
        "thread 1 at freed_objects_test.cpp:@ (in step 3)\nmain holds no mutex; thread 1 held block 1\nblock "
        "1 is destroyed while thread 1 may still use it. Keep block 1 alive until thread 1 has finished with "
        "it, or let the last owner destroy it, as std::shared_ptr does. While a program has data races, a "
        "pass promises nothing."},
    {"FreedWhileTheOneWhoFreesItHoldsIt",
        [] {
          auto* const node = new Node;
          std::thread user([&] {
            const std::lock_guard lock(node->mutex);
            delete node;
          });
          user.join();
        },
        FailureKind::misuse,
        "thread 1 destroys block 1 while it is locked, by thread 1 at freed_objects_test.cpp:@"},
    {"FreedWhileAnotherThreadWaitsForIt",
        [] {
          auto* const node = new Node;
          std::thread user([&] {
            std::unique_lock lock(node->mutex);
            node->value = 1;
            node->changed.wait(lock, [&] { return node->value == 2; });
          });
          for (bool waits = false; !waits; std::this_thread::yield()) {
            const std::lock_guard lock(node->mutex);
            waits = node->value == 1;
          }
          delete node;
          user.join();
        },
        FailureKind::misuse, "main destroys block 1+40 while it is waited for"},
    {"AnAtomicPublishedBeforeItsConstruction",
        [] {
          std::atomic<Node*> published{nullptr};
          std::thread user([&] {
            if (Node* const node = published.load(std::memory_order_relaxed); node != nullptr)
              node->value.fetch_add(1);
          });
          const auto node = std::make_unique<Node>();
          published.store(node.get(), std::memory_order_relaxed);
          user.join();
        },
        FailureKind::data_race,
        "data race: thread 1 atomically writes block 2+88 at freed_objects_test.cpp:@, not ordered after the "
        "write by main at freed_objects_test.cpp:@ (before the first step)\nthread 1 holds no mutex; main "
        "held no mutex\nthread 1's atomic.load of atomic 1 at freed_objects_test.cpp:@ "
        "(memory_order_relaxed) saw what main's atomic.store at freed_objects_test.cpp:@ "
        "(memory_order_relaxed) left: with memory_order_release at the latter and memory_order_acquire at "
        "the former the two accesses would be ordered\nblock 2+88 was published before it was constructed, "
        "as thread 1 sees it. Let main publish it by memory_order_release, and thread 1 read what is "
        "published by memory_order_acquire. While a program has data races, a pass promises nothing."},
    {"AnAtomicThatItsLastUserFreesByARelaxedCount",
        [] {
          struct Counted {
            std::atomic<int> users{2};
            std::atomic<int> value{0};
          };
          auto* const counted = new Counted;
          const auto use = [counted] {
            counted->value.store(1, std::memory_order_relaxed);
            if (counted->users.fetch_sub(1, std::memory_order_relaxed) == 1) delete counted;
          };
          std::thread user(use);
          use();
          user.join();
        },
        FailureKind::data_race,
        "data race: thread 1 frees block 1 at freed_objects_test.cpp:@, not ordered after the atomic write "
        "by main at freed_objects_test.cpp:@ (in step 2)\nthread 1 holds no mutex; main held no "
        "mutex\nthread 1's atomic.fetch_sub of block 1 at freed_objects_test.cpp:@ (memory_order_relaxed) "
        "saw what main's atomic.fetch_sub at freed_objects_test.cpp:@ (memory_order_relaxed) left: with "
        "memory_order_release at the latter and memory_order_acquire at the former the two accesses would be "
        "ordered\nblock 1 is destroyed while main may still use it. Keep block 1 alive until main has "
        "finished with it, or let the last owner destroy it, as std::shared_ptr does. While a program has "
        "data races, a pass promises nothing."},
    {"LockedAfterItWasFreed",
        [] {
          auto* const node = new Node;
          std::atomic<bool> is_freed{false};
          std::thread user([&] {
            while (!is_freed) std::this_thread::yield();
            const std::lock_guard lock(node->mutex);
          });
          delete node;
          is_freed = true;
          user.join();
        },
        FailureKind::heap_error,
        "thread 1 uses a mutex, byte 0 of a block of 96 bytes that main at freed_objects_test.cpp:@ "
        "allocated and main at freed_objects_test.cpp:@ freed"},
    {"ReadAsAnAtomicAfterItWasFreed",
        [] {
          auto* const node = new Node;
          std::atomic<bool> is_freed{false};
          std::thread user([&] {
            while (!is_freed) std::this_thread::yield();
            node->value.load();
          });
          delete node;
          is_freed = true;
          user.join();
        },
        FailureKind::heap_error,
        "thread 1 atomically accesses 4 bytes, byte 88 of a block of 96 bytes that main at "
        "freed_objects_test.cpp:@ allocated and main at freed_objects_test.cpp:@ freed"},
    {"NotifiedAfterItsWaiterHasFreedIt",
        [] {
          auto* const node = new Node;
          std::thread waiter([&] {
            {
              std::unique_lock lock(node->mutex);
              node->changed.wait(lock, [&] { return node->value == 1; });
            }
            delete node;
          });
          {
            const std::lock_guard lock(node->mutex);
            node->value = 1;
          }
          node->changed.notify_one();
          waiter.join();
        },
        FailureKind::data_race,
        "data race: thread 1 frees block 1+40 at freed_objects_test.cpp:@, not ordered after its use as a "
        "condition variable by main at freed_objects_test.cpp:@ (in step 3)\nthread 1 holds no mutex; main "
        "held no mutex\nblock 1+40 is destroyed while main may still use it. Keep block 1+40 alive until "
        "main has finished with it, or let the last owner destroy it, as std::shared_ptr does. While a "
        "program has data races, a pass promises nothing."},
};

class FreedInUse : public testing::TestWithParam<Wrong> {};

TEST_P(FreedInUse, IsReported) {
  hocket::test::expect_to_fail(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Objects, FreedInUse, testing::ValuesIn(kWrong), hocket::test::RowName());

const Right kRight[] = {
    {"FreedByTheOneWhoIsOrderedAfterTheLastUnlock",
        [] {
          auto* const node = new Node;
          std::thread waiter([&] {
            {
              std::unique_lock lock(node->mutex);
              node->changed.wait(lock, [&] { return node->value == 1; });
            }
            delete node;
          });
          {
            const std::lock_guard lock(node->mutex);
            node->value = 1;
            node->changed.notify_one();
          }
          waiter.join();
        }},
    {"FreedByTheLastOfItsOwners",
        [] {
          auto mine = std::make_shared<Node>();
          std::thread other([its = mine]() mutable {
            {
              const std::lock_guard lock(its->mutex);
              ++its->value;
            }
            its.reset();
          });
          {
            const std::lock_guard lock(mine->mutex);
            ++mine->value;
          }
          mine.reset();
          other.join();
        }},
    {"FreedAfterTheThreadThatUsedItWasJoined",
        [] {
          auto node = std::make_unique<Node>();
          std::thread user([&] {
            const std::lock_guard lock(node->mutex);
            node->changed.notify_all();
          });
          user.join();
          node.reset();
        }},
    {"FreedAfterThreadsThatNothingOrdersHaveNotified",
        [] {
          auto node = std::make_unique<Node>();
          std::thread one([&] { node->changed.notify_all(); });
          std::thread other([&] { node->changed.notify_all(); });
          one.join();
          other.join();
          node.reset();
        }},
    {"FreedByTheOneWhoWaitedForASemaphoreOutsideIt",
        [] {
          auto node = std::make_unique<Node>();
          std::binary_semaphore is_done(0);
          std::thread user([&] {
            {
              const std::lock_guard lock(node->mutex);
              node->value = 1;
            }
            is_done.release();
          });
          is_done.acquire();
          node.reset();
          user.join();
        }},
};

class FreedAfterUse : public testing::TestWithParam<Right> {};

TEST_P(FreedAfterUse, IsNoFailure) {
  hocket::test::expect_to_pass(GetParam().body, {.max_preemptions = 3, .save_schedules = false});
}

INSTANTIATE_TEST_SUITE_P(Objects, FreedAfterUse, testing::ValuesIn(kRight), hocket::test::RowName());

}  // namespace
