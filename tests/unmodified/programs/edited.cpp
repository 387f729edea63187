// Random programs of which many fail. The file is compiled twice, once with lines added at each place that is
// marked, in another folder, optimised, and linked under another name: what one program has saved, the other
// must find again.
// Usage: edited FIRST_SEED COUNT, in the folder for schedules
// Prints for each program its number and how it ends.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

namespace {

struct Node {
  std::atomic<int> uses{0};
  int value = 0;
  std::mutex mutex;
};

struct Shared {
  std::array<std::mutex, 2> mutexes;
  std::array<std::atomic<int>, 2> atomics{};
  std::array<int, 2> plain{};
  std::condition_variable changed;
  std::atomic<Node*> node{nullptr};
  std::unique_ptr<Node> owned = std::make_unique<Node>();
};

// @lines
enum class Does : unsigned char {
  count,
  store,
  compare,
  lock_both,
  write,
  publish,
  use,
  drop,
  wait,
  notify,
  nest
};
struct Call {
  Does does;
  std::size_t which;
};
using Threads = std::vector<std::vector<Call>>;

void make(const Call& call, Shared& shared) {
  std::atomic<int>& atomic = shared.atomics.at(call.which);
  std::mutex& mutex = shared.mutexes.at(call.which);
  std::mutex& other = shared.mutexes.at(1 - call.which);
  switch (call.does) {
    case Does::count:
      // @lines
      atomic.store(atomic.load() + 1);
      break;
    case Does::store:
      atomic = 0;
      // @lines
      break;
    case Does::compare: {
      int expected = 1;
      atomic.compare_exchange_strong(expected, 3);
      break;
    }
    case Does::lock_both: {
      const std::lock_guard one(mutex);
      // @lines
      const std::lock_guard two(other);
      ++shared.plain.at(call.which);
      break;
    }
    case Does::write: {
      const std::lock_guard lock(shared.mutexes[0]);
      // @lines
      ++shared.plain.at(call.which);
      break;
    }
    case Does::publish:
      delete shared.node.exchange(new Node, std::memory_order_acq_rel);
      break;
    case Does::use: {
      // @lines
      Node* const node = shared.node.load(std::memory_order_acquire);
      if (node == nullptr) break;
      ++node->uses;
      const std::lock_guard lock(node->mutex);
      // @lines
      ++node->value;
      break;
    }
    case Does::drop:
      delete shared.node.exchange(nullptr);
      // @lines
      break;
    case Does::wait: {
      std::unique_lock lock(mutex);
      // @lines
      if (atomic == 0) shared.changed.wait(lock);
      break;
    }
    case Does::notify:
      shared.changed.notify_one();
      break;
    case Does::nest: {
      // @lines
      std::thread inner([&shared, &call] { ++shared.owned->value, shared.atomics.at(call.which) = 2; });
      inner.join();
      break;
    }
  }
}

Threads random_threads(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  Threads threads(2 + below(2));
  for (std::vector<Call>& calls : threads) {
    constexpr std::size_t kKinds = static_cast<std::size_t>(Does::nest) + 1;
    for (std::size_t left = 1 + below(3); left != 0; --left)
      calls.push_back({static_cast<Does>(below(kKinds)), below(2)});
  }
  return threads;
}

// @lines
hocket::Report run(std::uint32_t seed) {
  std::mt19937 random(seed);
  const Threads threads = random_threads(random);
  const int least = static_cast<int>(random() % 2);
  hocket::Options options{.schedule_dir = "."};
  options.detect = random() % 3 == 0 ? options.detect.without(hocket::Detector::races) : options.detect;
  return hocket::explore(
      "program " + std::to_string(seed),
      [&] {
        // @lines
        Shared shared;
        std::vector<std::thread> running;
        for (const std::vector<Call>& calls : threads) {
          running.emplace_back([&] {
            for (const Call& call : calls) make(call, shared);
          });
        }
        for (std::thread& thread : running) thread.join();
        delete shared.node.load();
        // @lines
        hocket::check(shared.atomics[0] != 1 || shared.atomics[1] > least, "the counts fit");
      },
      options);
}

}  // namespace

int main(int, char** arguments) {
  const auto first = static_cast<std::uint32_t>(std::strtoul(arguments[1], nullptr, 10));
  const auto count = static_cast<std::uint32_t>(std::strtoul(arguments[2], nullptr, 10));
  for (std::uint32_t seed = first; seed != first + count; ++seed) {
    const hocket::Report report = run(seed);
    std::cout << "program " << seed << ": ";
    if (report.failures.empty()) {
      std::cout << (report.failed() ? "failed without a failure" : "passed") << std::endl;
    } else {
      std::cout << static_cast<int>(report.failures.front().kind)
                << (report.failures.front().from_saved ? " still" : " found") << std::endl;
    }
  }
  return 0;
}
