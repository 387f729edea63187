// Small programs with a bug each, for the table of strategies. Most have the shape of a benchmark that papers
// on systematic concurrency testing share: what varies is how many threads there are, how many steps have
// nothing to do with the bug, and how often the threads have to be switched at the right moment.
#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include <hocket/hocket.hpp>

#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

using Lock = std::lock_guard<hocket::mutex>;

/// Threads that run function(0), function(1), … and are joined.
template <class Function>
void run_threads(unsigned count, const Function& function) {
  std::vector<hocket::thread> threads;
  threads.reserve(count);
  for (unsigned n = 0; n < count; ++n) threads.emplace_back([&function, n] { function(n); });
  for (hocket::thread& thread : threads) thread.join();
}

void add(hocket::atomic<int>& to, int amount) {
  to.store(to.load() + amount);
}

/// The last thread looks whether any of the others has set one flag and not the other.
void reorder(unsigned writers) {
  hocket::atomic<int> first{0};
  hocket::atomic<int> second{0};
  run_threads(writers + 1, [&](unsigned n) {
    if (n < writers) {
      first.store(1);
      second.store(1);
    } else {
      const int seen = first.load();
      hocket::check(second.load() == seen, "one flag is set and the other is not");
    }
  });
}

/// A value goes through two stages, each with a mutex of its own. The last thread looks between them.
void two_stages(unsigned writers) {
  hocket::mutex of_first;
  hocket::mutex of_second;
  int first = 0;
  int second = 0;
  run_threads(writers + 1, [&](unsigned n) {
    if (n < writers) {
      {
        const Lock lock(of_first);
        first = 1;
      }
      const Lock lock(of_second);
      second = first + 1;
      return;
    }
    int seen = 0;
    {
      const Lock lock(of_first);
      if (first == 0) return;
      seen = first;
    }
    const Lock lock(of_second);
    hocket::check(second == seen + 1, "the second stage is behind the first");
  });
}

/// The first thread holds another mutex than the others.
void wrong_lock(unsigned others) {
  hocket::mutex right;
  hocket::mutex wrong;
  hocket::atomic<int> count{0};
  run_threads(others + 1, [&](unsigned n) {
    const Lock lock(n == 0 ? wrong : right);
    add(count, 1);
  });
  hocket::check(count.load() == static_cast<int>(others) + 1, "an increment is lost");
}

/// What an account holds is read under its mutex, and written under it later.
void account() {
  hocket::mutex mutex;
  int balance = 100;
  run_threads(2, [&](unsigned n) {
    int seen = 0;
    {
      const Lock lock(mutex);
      seen = balance;
    }
    const Lock lock(mutex);
    balance = seen + (n == 0 ? 50 : -50);
  });
  hocket::check(balance == 100, "a deposit or a withdrawal is lost");
}

void philosophers(unsigned count) {
  std::vector<hocket::mutex> forks(count);
  run_threads(count, [&](unsigned n) {
    const Lock left(forks[n]);
    const Lock right(forks[(n + 1) % count]);
  });
}

/// Three threads that add, multiply and look: only one order of the three is bad, and it needs no preemption.
void lazy() {
  hocket::mutex mutex;
  int data = 0;
  run_threads(3, [&](unsigned n) {
    const Lock lock(mutex);
    if (n == 0) data += 1;
    if (n == 1) data *= 2;
    if (n == 2) hocket::check(data != 1, "nobody has multiplied yet");
  });
}

/// Each thread writes one more than it reads of its neighbour. All of them must read before any writes.
void token_ring(unsigned count) {
  std::vector<hocket::atomic<int>> values(count);
  run_threads(count, [&](unsigned n) { values[n].store(values[(n + count - 1) % count].load() + 1); });
  bool all_first = true;
  for (hocket::atomic<int>& value : values) all_first = all_first && value.load() == 1;
  hocket::check(!all_first, "each thread has read before any has written");
}

/// The flag is looked at without the mutex, so that the notification may come before the wait.
void lost_notification() {
  hocket::mutex mutex;
  hocket::condition_variable changed;
  hocket::atomic<bool> is_ready{false};
  run_threads(2, [&](unsigned n) {
    if (n == 0) {
      if (is_ready.load()) return;
      std::unique_lock lock(mutex);
      changed.wait(lock);
    } else {
      is_ready.store(true);
      changed.notify_all();
    }
  });
}

/// Consumers wait with `if` in place of `while`.
void looks_once(unsigned consumers) {
  hocket::mutex mutex;
  hocket::condition_variable changed;
  int items = 0;
  run_threads(consumers + 1, [&](unsigned n) {
    if (n == consumers) {
      for (unsigned item = 0; item < consumers; ++item) {
        const Lock lock(mutex);
        ++items;
        changed.notify_all();
      }
      return;
    }
    std::unique_lock lock(mutex);
    if (items == 0) changed.wait(lock);
    hocket::check(items-- > 0, "an item is taken from an empty buffer");
  });
}

/// Two threads add each other's number to their own, and only a perfect alternation makes the numbers large.
void fibonacci(int rounds) {
  std::array<hocket::atomic<int>, 2> numbers{1, 1};
  run_threads(2, [&](unsigned n) {
    for (int round = 0; round < rounds; ++round) add(numbers[n], numbers[1 - n].load());
  });
  int last = 1;
  int next = 1;
  for (int n = 0; n < 2 * rounds; ++n) {
    const int sum = last + next;
    last = next;
    next = sum;
  }
  hocket::check(numbers[0].load() < next && numbers[1].load() < next, "the largest number is reached");
}

/// Two threads that each increment a variable so many times may leave 2 in it.
void least_count(int increments) {
  hocket::atomic<int> count{0};
  run_threads(2, [&](unsigned) {
    for (int n = 0; n < increments; ++n) add(count, 1);
  });
  hocket::check(count.load() > 2, "all increments but two are lost");
}

/// A thread must be held back at its only step while another makes so many.
void after_many(int steps) {
  hocket::atomic<int> shared{0};
  int made = 0;
  run_threads(2, [&](unsigned n) {
    if (n == 0) {
      shared.fetch_add(1);
      hocket::check(made < steps, "the other thread has made all of its steps");
      return;
    }
    for (; made < steps; ++made) shared.fetch_add(1);
  });
}

/// A check, and an act on what was found, among many steps of all threads on objects of their own.
void among_others(unsigned threads, int steps) {
  std::vector<hocket::atomic<int>> own(threads);
  hocket::atomic<int> owners{0};
  hocket::atomic<bool> is_taken{false};
  run_threads(threads, [&](unsigned n) {
    for (int step = 0; step < steps; ++step) own[n].store(step);
    if (n < 2 && !is_taken.load()) {
      is_taken.store(true);
      hocket::check(owners.fetch_add(1) == 0, "two threads own what only one may own");
      for (int step = 0; step < steps; ++step) own[n].store(step);
      owners.fetch_sub(1);
      is_taken.store(false);
    }
  });
}

/// Two threads make so many steps on one variable, and no order of them is bad but that of strict turns.
void in_turns(int count) {
  hocket::atomic<int> shared{0};
  int in_turn = 0;
  run_threads(2, [&](unsigned n) {
    for (int turn = static_cast<int>(n); turn < count; turn += 2) {
      shared.fetch_add(1);
      if (in_turn == turn) ++in_turn;
    }
  });
  hocket::check(in_turn < count, "all steps were made in turns");
}

/// A lock-free stack of nodes which are put back, so that its top can be the same and what is below it not.
void aba_stack() {
  std::array<hocket::atomic<int>, 3> below{1, 2, -1};
  std::array<int, 3> owners{};
  hocket::atomic<int> top{0};
  const auto pop = [&] {
    int node = top.load();
    while (node >= 0 && !top.compare_exchange_strong(node, below[static_cast<std::size_t>(node)].load())) {
    }
    if (node >= 0) hocket::check(++owners[static_cast<std::size_t>(node)] == 1, "a node is popped twice");
    return node;
  };
  const auto push = [&](int node) {
    --owners[static_cast<std::size_t>(node)];
    int before = top.load();
    do {
      below[static_cast<std::size_t>(node)].store(before);
    } while (!top.compare_exchange_strong(before, node));
  };
  run_threads(2, [&](unsigned n) {
    const int node = pop();
    pop();
    if (n == 0 && node >= 0) push(node);
  });
}

/// A stack whose nodes are reserved by an exchange of what is below them: it takes three threads that are
/// switched many times until two of them have the same node.
void reserving_stack(unsigned threads) {
  struct Node {
    hocket::atomic<int> below;
    hocket::atomic<int> owners{0};
  };
  constexpr int kNodes = 3;
  std::array<Node, kNodes> nodes;
  for (int n = 0; n < kNodes; ++n)
    nodes[static_cast<std::size_t>(n)].below.store(n + 1 < kNodes ? n + 1 : -1);
  hocket::atomic<int> top{0};
  hocket::atomic<int> left{kNodes};
  const auto pop = [&]() -> int {
    for (int attempt = 0; attempt < 3 && left.load() > 1; ++attempt) {
      int node = top.load();
      const int below = nodes[static_cast<std::size_t>(node)].below.exchange(-1);
      if (below >= 0) {
        if (top.compare_exchange_strong(node, below)) {
          left.fetch_sub(1);
          return node;
        }
        nodes[static_cast<std::size_t>(node)].below.exchange(below);
      }
    }
    return -1;
  };
  const auto push = [&](int node) {
    int before = top.load();
    do {
      nodes[static_cast<std::size_t>(node)].below.store(before);
    } while (!top.compare_exchange_strong(before, node));
    left.fetch_add(1);
  };
  run_threads(threads, [&](unsigned) {
    for (int round = 0; round < 2; ++round) {
      const int node = pop();
      if (node < 0) continue;
      hocket::atomic<int>& owners = nodes[static_cast<std::size_t>(node)].owners;
      hocket::check(owners.fetch_add(1) == 0, "two threads have the same node");
      owners.fetch_sub(1);
      push(node);
    }
  });
}

}  // namespace

std::vector<SmallBug> small_bugs() {
  return {
      {"account", [] { account(); }},
      {"lazy", [] { lazy(); }},
      {"lost notification", [] { lost_notification(); }},
      {"looks once, 4 consumers", [] { looks_once(4); }},
      {"wrong lock, 2 threads", [] { wrong_lock(1); }},
      {"wrong lock, 8 threads", [] { wrong_lock(7); }},
      {"reorder, 3 writers", [] { reorder(3); }},
      {"reorder, 5 writers", [] { reorder(5); }},
      {"reorder, 20 writers", [] { reorder(20); }},
      {"two stages, 1 writer", [] { two_stages(1); }},
      {"two stages, 10 writers", [] { two_stages(10); }},
      {"2 philosophers", [] { philosophers(2); }},
      {"5 philosophers", [] { philosophers(5); }},
      {"8 philosophers", [] { philosophers(8); }},
      {"token ring, 3 threads", [] { token_ring(3); }},
      {"token ring, 5 threads", [] { token_ring(5); }},
      {"among others, 2 threads", [] { among_others(2, 20); }},
      {"among others, 6 threads", [] { among_others(6, 20); }},
      {"after 100 steps", [] { after_many(100); }},
      {"least count, 3 increments", [] { least_count(3); }},
      {"least count, 10 increments", [] { least_count(10); }},
      {"ABA stack", [] { aba_stack(); }},
      {"reserving stack", [] { reserving_stack(3); }},
      {"6 steps in turns", [] { in_turns(6); }},
      {"12 steps in turns", [] { in_turns(12); }},
      {"15 steps in turns", [] { in_turns(15); }},
      {"Fibonacci, 2 rounds", [] { fibonacci(2); }},
      {"Fibonacci, 3 rounds", [] { fibonacci(3); }},
      {"Fibonacci, 4 rounds", [] { fibonacci(4); }},
      {"Fibonacci, 5 rounds", [] { fibonacci(5); }},
  };
}

}  // namespace tables
