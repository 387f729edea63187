// The tests that such a library has, with doctest: parameters, results, exceptions, sleeps, tasks that add
// tasks.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "thread_pool.hpp"

namespace {

using namespace std::chrono_literals;
using suites::ThreadPool;

TEST_CASE("results of multiplications") {
  ThreadPool pool(2);
  std::vector<std::future<int>> results;
  const auto multiply = [](int a, int b) { return a * b; };
  for (int n = 0; n < 3; ++n) results.push_back(pool.enqueue(multiply, n, n));
  for (int n = 0; n < 3; ++n) CHECK(results[static_cast<std::size_t>(n)].get() == n * n);
}

TEST_CASE("input parameters are passed properly") {
  ThreadPool pool(1);
  const auto joined = [](int number, double fraction, const std::string& text) {
    return text + std::to_string(number) + (fraction > 0.5 ? "+" : "-");
  };
  CHECK(pool.enqueue(joined, 4, 0.75, std::string("n")).get() == "n4+");
  int seen = 0;
  pool.enqueue([](int& to) { to = 5; }, std::ref(seen)).wait();
  CHECK(seen == 5);
}

TEST_CASE("work completes upon destruction") {
  std::atomic<int> counter{0};
  constexpr int kTasks = 20;
  {
    ThreadPool pool(4);
    for (int n = 0; n < kTasks; ++n) {
      pool.enqueue_detach([&counter, n] {
        std::this_thread::sleep_for(std::chrono::milliseconds((n + 1) * 10));
        counter.fetch_add(1);
      });
    }
  }
  CHECK(counter.load() == kTasks);
}

TEST_CASE("an exception reaches the one who asked") {
  ThreadPool pool(2);
  auto future = pool.enqueue([]() -> int { throw std::logic_error("out of order"); });
  CHECK_THROWS_AS(future.get(), std::logic_error);
  SUBCASE("and the pool goes on") {
    CHECK(pool.enqueue([] { return 1; }).get() == 1);
  }
  SUBCASE("or is forgotten") {
    pool.enqueue_detach([] { throw std::logic_error("nobody asked"); });
  }
}

TEST_CASE("a task adds tasks") {
  std::atomic<int> counter{0};
  ThreadPool pool(2);
  pool.enqueue_detach([&] {
    ++counter;
    pool.enqueue_detach([&] { ++counter; });
  });
  pool.wait_for_tasks();
  CHECK(counter == 2);
}

TEST_CASE("waiting for tasks") {
  std::atomic<int> counter{0};
  ThreadPool pool(2);
  SUBCASE("when there are none") {}
  SUBCASE("when there are some, again and again") {
    for (int round = 1; round <= 2; ++round) {
      pool.enqueue_detach([&] { ++counter; });
      pool.wait_for_tasks();
      CHECK(counter == round);
    }
  }
}

TEST_CASE("tasks that did not begin can be cleared") {
  std::atomic<int> counter{0};
  std::size_t cleared = 0;
  constexpr std::size_t kTasks = 4;
  {
    ThreadPool pool(1);
    for (std::size_t n = 0; n < kTasks; ++n) {
      pool.enqueue_detach([&] {
        std::this_thread::sleep_for(10ms);
        ++counter;
      });
    }
    cleared = pool.clear_tasks();
  }
  CHECK(static_cast<std::size_t>(counter) == kTasks - cleared);
}

TEST_CASE("each thread can be used") {
  std::mutex mutex;
  std::vector<std::thread::id> ids;
  ThreadPool pool(3);
  for (std::size_t n = 0; n < pool.size(); ++n) {
    pool.enqueue_detach([&] {
      std::this_thread::sleep_for(100ms);
      const std::lock_guard lock(mutex);
      ids.push_back(std::this_thread::get_id());
    });
  }
  pool.wait_for_tasks();
  std::sort(ids.begin(), ids.end());
  const auto end = std::unique(ids.begin(), ids.end());
  CHECK(end - ids.begin() >= 1);
}

TEST_CASE("a pool of the size of the machine is ready at once") {
  ThreadPool pool;
  std::vector<int> numbers(50);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::atomic<int> sum{0};
  for (const int number : numbers) pool.enqueue_detach([&sum, number] { sum += number; });
  pool.wait_for_tasks();
  CHECK(sum == 50 * 49 / 2);
}

}  // namespace
