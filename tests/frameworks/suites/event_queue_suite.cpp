// The tests that such a library has, with Catch2: sections, sleeps, and threads by the dozen.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "event_queue.hpp"

namespace {

using namespace std::chrono_literals;
using suites::CallbackList;
using suites::EventDispatcher;
using suites::EventQueue;

TEST_CASE("CallbackList, no params") {
  CallbackList<> list;
  int a = 1;
  list.append([&a] { a = 2; });
  list();
  REQUIRE(a == 2);
}

TEST_CASE("CallbackList, remove inside callback") {
  CallbackList<> list;
  int calls = 0;
  CallbackList<>::Handle second;
  list.append([&] { list.remove(second); });
  second = list.append([&] { ++calls; });
  list();
  REQUIRE(calls == 0);
  REQUIRE_FALSE(list.remove(second));
}

TEST_CASE("CallbackList, multi threading, append") {
  constexpr std::size_t kThreads = 64;
  CallbackList<> list;
  std::vector<std::size_t> order(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t n = 0; n < kThreads; ++n)
    threads.emplace_back([&, n] { list.append([&order, n] { order[n] = n; }); });
  for (std::thread& thread : threads) thread.join();
  list();
  std::vector<std::size_t> expected(kThreads);
  std::iota(expected.begin(), expected.end(), 0U);
  REQUIRE(order == expected);
}

TEST_CASE("CallbackList, multi threading, remove and call") {
  CallbackList<> list;
  std::atomic<int> calls{0};
  std::array<CallbackList<>::Handle, 2> handles;
  for (CallbackList<>::Handle& handle : handles) handle = list.append([&] { ++calls; });
  std::thread remover([&] { list.remove(handles[0]); });
  list();
  remover.join();
  REQUIRE(calls >= 1);
  REQUIRE(calls <= 2);
}

TEST_CASE("EventDispatcher, add listeners while dispatching") {
  EventDispatcher<int, std::string> dispatcher;
  std::atomic<int> calls{0};
  dispatcher.append_listener(3, [&](const std::string& text) {
    if (text == "first") ++calls;
  });
  std::thread other([&] { dispatcher.append_listener(5, [&](const std::string& /*text*/) { ++calls; }); });
  dispatcher.dispatch(3, "first");
  other.join();
  dispatcher.dispatch(5, "second");
  REQUIRE(calls == 2);
}

TEST_CASE("EventQueue, wait/process, one thread") {
  EventQueue<int> queue;
  const std::vector<int> stop_and_data{-1, 1, 3};
  std::atomic<int> sum{0};
  bool should_stop = false;
  queue.append_listener(-1, [&] { should_stop = true; });
  for (const int event : {1, 3}) queue.append_listener(event, [&, event] { sum += event; });
  std::thread thread([&] {
    while (!should_stop) {
      queue.wait();
      queue.process();
    }
  });
  SECTION("the others first") {
    queue.enqueue(1);
    std::this_thread::sleep_for(100ms);
    REQUIRE(sum == 1);
    queue.enqueue(3);
    queue.enqueue(-1);
    thread.join();
    REQUIRE(sum == 4);
  }
  SECTION("the end first") {
    queue.enqueue(-1);
    thread.join();
    REQUIRE(sum == 0);
  }
}

TEST_CASE("EventQueue, waitFor times out") {
  EventQueue<int> queue;
  REQUIRE_FALSE(queue.wait_for(10ms));
  std::thread thread([&] {
    std::this_thread::sleep_for(20ms);
    queue.enqueue(2);
  });
  while (!queue.wait_for(5ms)) continue;
  REQUIRE(queue.process());
  thread.join();
}

TEST_CASE("EventQueue, many threads enqueue") {
  EventQueue<int> queue;
  constexpr int kThreads = 16;
  constexpr int kEventsPerThread = 4;
  std::vector<int> shuffled(kThreads * kEventsPerThread);
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(std::random_device()()));
  std::vector<int> seen(shuffled.size());
  for (const int event : shuffled)
    queue.append_listener(event, [&, event] { ++seen[static_cast<std::size_t>(event)]; });
  std::vector<std::thread> threads;
  for (int n = 0; n < kThreads; ++n) {
    threads.emplace_back([&, n] {
      for (int k = 0; k < kEventsPerThread; ++k)
        queue.enqueue(shuffled[static_cast<std::size_t>(n * kEventsPerThread + k)]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  queue.process();
  REQUIRE(std::count(seen.begin(), seen.end(), 1) == kThreads * kEventsPerThread);
}

}  // namespace
