// The speed programs: small bodies with known numbers of steps and classes.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <thread>

#include <hocket/hocket.hpp>

namespace bench {

#ifdef BENCH_UNMODIFIED  // compiled with hocket_instrument
namespace types = std;
#else
namespace types = hocket;
#endif

/// Two threads add to one atomic, `times` times each.
template <int times>
void two_adders() {
  types::atomic<int> x{0};
  const auto add = [&x] {
    for (int n = 0; n < times; ++n) x.fetch_add(1);
  };
  types::thread a(add);
  types::thread b(add);
  a.join();
  b.join();
}

/// Three threads, three critical sections each.
inline void three_lockers() {
  types::mutex mutex;
  int n = 0;
  const auto work = [&] {
    for (int i = 0; i < 3; ++i) {
      mutex.lock();
      ++n;
      mutex.unlock();
    }
  };
  types::thread a(work);
  types::thread b(work);
  types::thread c(work);
  a.join();
  b.join();
  c.join();
}

/// A work-stealing deque after Cilk's THE protocol: the owner pushes 1, 2, pops, pushes 3, pops three times;
/// a thief steals twice.
class TheDeque {
 public:
  void push(int value) {
    const int t = tail_.load();
    items_[static_cast<std::size_t>(t)].store(value);
    tail_.store(t + 1);
  }
  int pop() {
    int t = tail_.load() - 1;
    if (t < 0) return 0;
    tail_.store(t);
    if (head_.load() > t) {
      tail_.store(t + 1);
      mutex_.lock();
      t = tail_.load() - 1;
      tail_.store(t);
      if (head_.load() > t) {
        tail_.store(t + 1);
        mutex_.unlock();
        return 0;
      }
      mutex_.unlock();
    }
    return items_[static_cast<std::size_t>(t)].load();
  }
  int steal() {
    mutex_.lock();
    const int h = head_.load();
    head_.store(h + 1);
    int item = 0;
    if (h + 1 > tail_.load()) {
      head_.store(h);
    } else {
      item = items_[static_cast<std::size_t>(h)].load();
    }
    mutex_.unlock();
    return item;
  }

 private:
  types::atomic<int> head_{0};
  types::atomic<int> tail_{0};
  std::array<types::atomic<int>, 4> items_{};
  types::mutex mutex_;
};

inline void the_deque() {
  TheDeque deque;
  std::array<int, 4> taken{};
  const auto take = [&](int item) {
    if (item != 0) hocket::check(++taken[static_cast<std::size_t>(item)] == 1, "an item was taken twice");
  };
  types::thread owner([&] {
    deque.push(1);
    deque.push(2);
    take(deque.pop());
    deque.push(3);
    for (int n = 0; n < 3; ++n) take(deque.pop());
  });
  types::thread thief([&] {
    take(deque.steal());
    take(deque.steal());
  });
  owner.join();
  thief.join();
}

/// Four philosophers, one meal each, the fork with the lower number first.
inline void four_philosophers() {
  std::array<types::mutex, 4> forks;
  const auto dine = [&](std::size_t seat) {
    const std::size_t other = (seat + 1) % 4;
    types::mutex& first = forks[seat < other ? seat : other];
    types::mutex& second = forks[seat < other ? other : seat];
    first.lock();
    second.lock();
    second.unlock();
    first.unlock();
  };
  types::thread a(dine, 0);
  types::thread b(dine, 1);
  types::thread c(dine, 2);
  types::thread d(dine, 3);
  a.join();
  b.join();
  c.join();
  d.join();
}

/// A queue for two items between two producers and two consumers, two items each.
inline void bounded_queue() {
  struct Queue {
    types::mutex mutex;
    types::condition_variable not_full;
    types::condition_variable not_empty;
    int size = 0;
  } queue;
  const auto produce = [&] {
    for (int n = 0; n < 2; ++n) {
      std::unique_lock lock(queue.mutex);
      while (queue.size == 2) queue.not_full.wait(lock);
      ++queue.size;
      queue.not_empty.notify_one();
    }
  };
  const auto consume = [&] {
    for (int n = 0; n < 2; ++n) {
      std::unique_lock lock(queue.mutex);
      while (queue.size == 0) queue.not_empty.wait(lock);
      --queue.size;
      queue.not_full.notify_one();
    }
  };
  types::thread a(produce);
  types::thread b(produce);
  types::thread c(consume);
  types::thread d(consume);
  a.join();
  b.join();
  c.join();
  d.join();
}

/// A ring of two items with one producer and one consumer, who look five times each, with the weakest memory
/// orders that are right.
inline void ring() {
  constexpr int kTimes = 5;
  types::atomic<unsigned> head{0};
  types::atomic<unsigned> tail{0};
  std::array<types::atomic<int>, 2> slots{};
  types::thread producer([&] {
    unsigned put = 0;
    for (int n = 0; n < kTimes; ++n) {
      if (put - head.load(std::memory_order_acquire) == slots.size()) continue;
      slots[put % slots.size()].store(n, std::memory_order_relaxed);
      tail.store(++put, std::memory_order_release);
    }
  });
  types::thread consumer([&] {
    unsigned taken = 0;
    for (int n = 0; n < kTimes; ++n) {
      if (tail.load(std::memory_order_acquire) == taken) continue;
      slots[taken % slots.size()].load(std::memory_order_relaxed);
      head.store(++taken, std::memory_order_release);
    }
  });
  producer.join();
  consumer.join();
}

/// A sorted list of eight nodes without locks, where one thread inserts and another looks up: the loops over
/// its nodes have one call site for all their loads, however much is unrolled.
inline void sorted_list() {
  struct Node {
    int key = 0;
    types::atomic<Node*> next{nullptr};
  };
  constexpr int kNodes = 8;
  std::array<Node, kNodes + 2> nodes;
  for (int n = 0; n <= kNodes; ++n) {
    nodes[static_cast<std::size_t>(n)].key = 2 * n;
    if (n != kNodes) nodes[static_cast<std::size_t>(n)].next.store(&nodes[static_cast<std::size_t>(n) + 1]);
  }
  const auto contains = [&](int key) {
    Node* node = nodes[0].next.load();
    while (node != nullptr && node->key < key) node = node->next.load();
    return node != nullptr && node->key == key;
  };
  Node& inserted = nodes[kNodes + 1];
  inserted.key = kNodes + 1;
  types::thread other([&] {
    for (;;) {
      Node* before = &nodes[0];
      Node* after = before->next.load();
      while (after != nullptr && after->key < inserted.key) {
        before = after;
        after = after->next.load();
      }
      inserted.next.store(after);
      if (before->next.compare_exchange_strong(after, &inserted)) return;
    }
  });
  hocket::check(contains(2 * kNodes - 2) && contains(2 * kNodes), "a node is lost");
  other.join();
  hocket::check(contains(inserted.key), "the new node is lost");
}

struct Program {
  std::string_view id;
  std::string_view what;
  void (*body)();
  unsigned bound;         ///< of the bounded search
  std::uint64_t classes;  ///< within that bound, to make sure that the search did its work; 0: not known
};

inline constexpr std::array kPrograms{
    Program{"a", "2 threads x 5 fetch_add", &two_adders<5>, hocket::unbounded, 252},
    Program{"a50", "2 threads x 50 fetch_add", &two_adders<50>, 3, 0},
    Program{"b", "3 threads x 3 {lock; ++n; unlock}", &three_lockers, 6, 1680},
    Program{"c", "THE deque of 4, one thief", &the_deque, 6, 0},
    Program{"d", "4 philosophers, ordered forks", &four_philosophers, 5, 14},
    Program{"e", "bounded queue, 2 producers, 2 consumers", &bounded_queue, 3, 0},
    Program{"r", "ring of 2, weak memory orders", &ring, 3, 0},
    Program{"l", "sorted list of 8 nodes, without locks", &sorted_list, 3, 0},
};

}  // namespace bench
