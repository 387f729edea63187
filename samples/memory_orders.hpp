// Well-known lock-free algorithms, each with its usual memory orders and with one of them weakened. Under
// sequential consistency the weakened ones pass; the C++ memory model shows what is wrong with them
// (docs/weak-memory.md).
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <string_view>
#include <vector>

#include <hocket/hocket.hpp>

namespace samples::memory_orders {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

template <class... Functions>
void in_parallel(Functions... functions) {
  std::array<hocket::thread, sizeof...(Functions)> threads{hocket::thread(std::move(functions))...};
  for (hocket::thread& thread : threads) thread.join();
}

/// Both threads say that they want to enter, and look whether the other one does. The store and the load that
/// follows it must be seq_cst: nothing weaker keeps them in order.
inline void dekker(memory_order store, memory_order load) {
  hocket::atomic<bool> wants[2];
  hocket::var<int> inside{0};
  const auto enter = [&](int me) {
    return [&, me] {
      wants[me].store(true, store);
      if (!wants[1 - me].load(load)) inside = inside + 1;
    };
  };
  in_parallel(enter(0), enter(1));
}

/// The same with a turn, so that one of them waits.
inline void peterson(memory_order store, memory_order load) {
  hocket::atomic<bool> wants[2];
  hocket::atomic<int> turn{0};
  hocket::var<int> inside{0};
  const auto enter = [&](int me) {
    return [&, me] {
      wants[me].store(true, store);
      turn.store(1 - me, store);
      if (wants[1 - me].load(load) && turn.load(load) == 1 - me) return;  // the other one is first: give up
      inside = inside + 1;
      wants[me].store(false, memory_order_release);
    };
  };
  in_parallel(enter(0), enter(1));
}

/// A pointer to data that is made once, when it is first needed.
inline void double_checked_locking(memory_order publish, memory_order look) {
  hocket::mutex mutex;
  hocket::atomic<hocket::var<int>*> instance{nullptr};
  hocket::var<int> storage{0};
  const auto use = [&] {
    hocket::var<int>* found = instance.load(look);
    if (found == nullptr) {
      const std::scoped_lock lock(mutex);
      found = instance.load(memory_order_relaxed);
      if (found == nullptr) {
        storage = 7;
        found = &storage;
        instance.store(found, publish);
      }
    }
    hocket::check(*found == 7, "the data is there");
  };
  in_parallel(use, use);
}

/// A ring with one producer and one consumer.
inline void ring(memory_order publish, memory_order look) {
  hocket::var<int> slots[2]{0, 0};
  hocket::atomic<unsigned> head{0};
  hocket::atomic<unsigned> tail{0};
  in_parallel(
      [&] {
        for (unsigned n = 0; n < 3; ++n) {
          if (n - head.load(memory_order_acquire) == 2) return;  // it is full
          slots[n % 2] = static_cast<int>(n) + 1;
          tail.store(n + 1, publish);
        }
      },
      [&] {
        for (unsigned n = 0; n < 2; ++n) {
          if (tail.load(look) == n) return;  // it is empty
          hocket::check(slots[n % 2] == static_cast<int>(n) + 1, "items come in order");
          head.store(n + 1, memory_order_release);
        }
      });
}

/// A spinlock.
inline void spinlock(memory_order lock, memory_order unlock) {
  hocket::atomic<bool> is_taken{false};
  hocket::var<int> data{0};
  const auto section = [&] {
    if (is_taken.exchange(true, lock)) return;  // somebody has it: give up
    data = data + 1;
    is_taken.store(false, unlock);
  };
  in_parallel(section, section);
}

/// Counts the owners of an object. Who drops the last reference destroys it.
inline void reference_count(memory_order drop) {
  hocket::atomic<int> owners{2};
  hocket::var<int> object{0};
  const auto use_and_drop = [&](bool writes) {
    return [&, writes] {
      if (writes) object = 1;
      if (owners.fetch_sub(1, drop) == 1) object = -1;  // destroyed
    };
  };
  in_parallel(use_and_drop(true), use_and_drop(false));
}

/// Data with a sequence number that is odd while it is written. The reader tries again if it has changed;
/// here it gives up.
inline void seqlock(bool has_fences) {
  hocket::atomic<unsigned> sequence{0};
  hocket::atomic<int> low{0};
  hocket::atomic<int> high{0};
  in_parallel(
      [&] {
        sequence.store(1, memory_order_relaxed);
        if (has_fences) hocket::atomic_thread_fence(memory_order_release);
        low.store(1, memory_order_relaxed);
        high.store(1, memory_order_relaxed);
        sequence.store(2, memory_order_release);
      },
      [&] {
        const unsigned before = sequence.load(memory_order_acquire);
        const int seen_low = low.load(memory_order_relaxed);
        const int seen_high = high.load(memory_order_relaxed);
        if (has_fences) hocket::atomic_thread_fence(memory_order_acquire);
        const unsigned after = sequence.load(memory_order_relaxed);
        if (before % 2 == 0 && before == after)
          hocket::check(seen_low == seen_high, "both parts are of one write");
      });
}

/// A stack with a list of nodes; nothing is freed, so there is no ABA.
inline void treiber_stack(memory_order push, memory_order pop) {
  struct Node {
    hocket::var<int> value{0};
    Node* next = nullptr;
  };
  std::array<Node, 2> nodes;
  hocket::atomic<Node*> top{nullptr};
  in_parallel(
      [&] {
        for (Node& node : nodes) {
          node.value = 5;
          node.next = top.load(memory_order_relaxed);
          while (!top.compare_exchange_strong(node.next, &node, push, memory_order_relaxed)) {
          }
        }
      },
      [&] {
        Node* node = top.load(pop);
        while (node != nullptr && !top.compare_exchange_strong(node, node->next, pop, pop)) {
        }
        if (node != nullptr) hocket::check(node->value == 5, "the value was pushed");
      });
}

/// A reader announces the pointer that it uses and looks whether it is still the current one; a writer
/// replaces it, and reclaims the old one unless it is announced. Each stores and then loads something else.
inline void hazard_pointer(bool has_fences) {
  hocket::var<int> objects[2]{1, 2};
  hocket::atomic<int> current{0};
  hocket::atomic<int> announced{-1};
  in_parallel(
      [&] {
        const int mine = current.load(memory_order_relaxed);
        announced.store(mine, memory_order_relaxed);
        if (has_fences) hocket::atomic_thread_fence(memory_order_seq_cst);
        if (current.load(memory_order_acquire) != mine || mine != 0) return;
        hocket::check(objects[0] == 1, "the object is still there");
        announced.store(-1, memory_order_release);
      },
      [&] {
        current.store(1, memory_order_release);
        if (has_fences) hocket::atomic_thread_fence(memory_order_seq_cst);
        if (announced.load(memory_order_acquire) == -1) objects[0] = -1;  // reclaimed
      });
}

/// Who waits announces it and looks for work; who brings work looks whether somebody waits. Each stores and
/// then loads something else. A sleeper that is not told, although there is work, sleeps for ever.
inline void event_count(bool has_fences) {
  hocket::atomic<int> work{0};
  hocket::atomic<int> waiters{0};
  bool sleeps = false;
  bool is_told = false;
  in_parallel(
      [&] {
        waiters.store(1, memory_order_relaxed);
        if (has_fences) hocket::atomic_thread_fence(memory_order_seq_cst);
        sleeps = work.load(memory_order_relaxed) == 0;
      },
      [&] {
        work.store(1, memory_order_relaxed);
        if (has_fences) hocket::atomic_thread_fence(memory_order_seq_cst);
        is_told = waiters.load(memory_order_relaxed) == 1;
      });
  hocket::check(!sleeps || is_told, "the thread that sleeps is woken");
}

/// The deque of Chase and Lev, as Lê, Pop, Cohen and Zappa Nardelli have given its orders (Correct and
/// Efficient Work-Stealing for Weak Memory Models, PPoPP 2013), with two items, without wrapping round.
inline void work_stealing(bool owner_has_fence, bool thief_has_fence) {
  hocket::atomic<int> top{0};
  hocket::atomic<int> bottom{0};
  hocket::atomic<int> slots[2];
  std::array<int, 3> taken{};
  const auto take_one = [&] {
    const int at = bottom.load(memory_order_relaxed) - 1;
    bottom.store(at, memory_order_relaxed);
    if (owner_has_fence) hocket::atomic_thread_fence(memory_order_seq_cst);
    int first = top.load(memory_order_relaxed);
    if (first > at) {
      bottom.store(at + 1, memory_order_relaxed);
      return;
    }
    const int item = slots[at].load(memory_order_relaxed);
    if (first == at) {
      const bool is_ours =
          top.compare_exchange_strong(first, first + 1, memory_order_seq_cst, memory_order_relaxed);
      bottom.store(at + 1, memory_order_relaxed);
      if (!is_ours) return;
    }
    ++taken[static_cast<std::size_t>(item)];
  };
  const auto steal_one = [&] {
    int first = top.load(memory_order_acquire);
    if (thief_has_fence) hocket::atomic_thread_fence(memory_order_seq_cst);
    if (first >= bottom.load(memory_order_acquire)) return;
    const int item = slots[first].load(memory_order_relaxed);
    if (!top.compare_exchange_strong(first, first + 1, memory_order_seq_cst, memory_order_relaxed)) return;
    ++taken[static_cast<std::size_t>(item)];
  };
  in_parallel(
      [&] {
        for (int item = 1; item <= 2; ++item) {
          const int at = bottom.load(memory_order_relaxed);
          slots[at].store(item, memory_order_relaxed);
          hocket::atomic_thread_fence(memory_order_release);
          bottom.store(at + 1, memory_order_relaxed);
        }
        take_one();
        take_one();
      },
      [&] {
        steal_one();
        steal_one();
      });
  hocket::check(taken[1] <= 1 && taken[2] <= 1, "no item is taken twice");
}

/// Read-copy-update with quiescent states. The writer replaces the object, begins an epoch, and waits until
/// the reader has passed a state in which it uses nothing and has seen the epoch. Then it reclaims the old
/// one.
inline void read_copy_update(memory_order look) {
  constexpr int kGone = 2;  // the reader uses nothing any more
  hocket::var<int> objects[2]{1, 2};
  hocket::atomic<int> current{0};
  hocket::atomic<int> epoch{0};
  hocket::atomic<int> passed{0};
  in_parallel(
      [&] {
        for (int round = 0; round < 2; ++round) {
          passed.store(epoch.load(look), memory_order_release);
          hocket::check(objects[current.load(memory_order_acquire)] > 0, "the object is still there");
        }
        passed.store(kGone, memory_order_release);
      },
      [&] {
        current.store(1, memory_order_release);
        epoch.store(1, memory_order_release);
        hocket::await([&] { return passed.load(memory_order_acquire) != 0; });
        objects[0] = -1;  // reclaimed
      });
}

/// The lock of Mellor-Crummey and Scott: who has to wait puts a node behind that of the thread before, which
/// hands the lock over. Here it protects a counter of which each thread reads the last value and adds one.
inline void mcs_lock(memory_order hand_over) {
  struct Node {
    hocket::atomic<Node*> next{nullptr};
    hocket::atomic<bool> waits{false};
  };
  hocket::atomic<Node*> tail{nullptr};
  hocket::atomic<int> count{0};
  const auto section = [&] {
    Node mine;
    Node* const before = tail.exchange(&mine, memory_order_acq_rel);
    if (before != nullptr) {
      mine.waits.store(true, memory_order_relaxed);
      before->next.store(&mine, memory_order_release);
      hocket::await([&] { return !mine.waits.load(memory_order_acquire); });
    }
    count.store(count.load(memory_order_relaxed) + 1, memory_order_relaxed);
    Node* expected = &mine;
    if (tail.compare_exchange_strong(expected, nullptr, memory_order_release, memory_order_relaxed)) return;
    hocket::await([&] { return mine.next.load(memory_order_acquire) != nullptr; });
    mine.next.load(memory_order_relaxed)->waits.store(false, hand_over);
  };
  in_parallel(section, section);
  hocket::check(count.load(memory_order_relaxed) == 2, "nobody's addition is lost");
}

inline constexpr int kNever = -1;

/// An algorithm, and whether its orders are the usual ones.
struct Variant {
  std::string_view name;
  std::function<void()> body;
  int found_within;  ///< the least bound within which it fails; kNever: it is correct
};

inline std::vector<Variant> variants() {
  constexpr auto kRelaxed = memory_order_relaxed;
  constexpr auto kAcquire = memory_order_acquire;
  constexpr auto kRelease = memory_order_release;
  constexpr auto kSeqCst = memory_order_seq_cst;
  return {
      {"Dekker", [] { dekker(kSeqCst, kSeqCst); }, kNever},
      {"DekkerWithReleaseAndAcquire", [] { dekker(kRelease, kAcquire); }, 1},
      {"Peterson", [] { peterson(kSeqCst, kSeqCst); }, kNever},
      {"PetersonWithReleaseAndAcquire", [] { peterson(kRelease, kAcquire); }, 1},
      {"DoubleCheckedLocking", [] { double_checked_locking(kRelease, kAcquire); }, kNever},
      {"DoubleCheckedLockingWithARelaxedStore", [] { double_checked_locking(kRelaxed, kAcquire); }, 0},
      {"DoubleCheckedLockingWithARelaxedLoad", [] { double_checked_locking(kRelease, kRelaxed); }, 0},
      {"Ring", [] { ring(kRelease, kAcquire); }, kNever},
      {"RingWithARelaxedPublication", [] { ring(kRelaxed, kAcquire); }, 0},
      {"Spinlock", [] { spinlock(kAcquire, kRelease); }, kNever},
      {"SpinlockWithARelaxedUnlock", [] { spinlock(kAcquire, kRelaxed); }, 0},
      {"ReferenceCount", [] { reference_count(memory_order_acq_rel); }, kNever},
      {"ReferenceCountWithARelaxedDrop", [] { reference_count(kRelaxed); }, 0},
      {"Seqlock", [] { seqlock(true); }, kNever},
      {"SeqlockWithoutFences", [] { seqlock(false); }, 2},
      {"TreiberStack", [] { treiber_stack(kRelease, kAcquire); }, kNever},
      {"TreiberStackWithARelaxedPush", [] { treiber_stack(kRelaxed, kAcquire); }, 0},
      {"HazardPointer", [] { hazard_pointer(true); }, kNever},
      {"HazardPointerWithoutFences", [] { hazard_pointer(false); }, 1},
      {"ReadCopyUpdate", [] { read_copy_update(kAcquire); }, kNever},
      {"ReadCopyUpdateWithARelaxedLookAtTheEpoch", [] { read_copy_update(kRelaxed); }, 2},
      {"McsLock", [] { mcs_lock(kRelease); }, kNever},
      {"McsLockWithARelaxedHandOver", [] { mcs_lock(kRelaxed); }, 1},
      {"EventCount", [] { event_count(true); }, kNever},
      {"EventCountWithoutFences", [] { event_count(false); }, 1},
      {"WorkStealing", [] { work_stealing(true, true); }, kNever},
      {"WorkStealingWithoutTheOwnersFence", [] { work_stealing(false, true); }, 2},
      {"WorkStealingWithoutTheThiefsFence", [] { work_stealing(true, false); }, 2},
  };
}

}  // namespace samples::memory_orders
