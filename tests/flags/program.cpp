// What a user's test program is: a few searches with hocket::gtest_main.
#include <hocket/gtest.hpp>
#include <hocket/model_gtest.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <poll.h>
#include <unistd.h>

HOCKET_TEST(Flags, Quick) {
  hocket::thread other([] {});
  other.join();
}

HOCKET_TEST_WITH(Flags, Endless, {.strategy = "random", .max_executions = 1'000'000'000'000}) {
  hocket::thread other([] {});
  other.join();
}

HOCKET_TEST(Flags, Last) {
  hocket::thread other([] {});
  other.join();
}

TEST(Flags, SearchesNothing) {
  std::puts("it searches nothing");
}

/// Fails, or crashes, where the second thread comes first.
HOCKET_TEST(Flags, DiesIfAsked) {
  hocket::atomic<int> last{0};
  hocket::thread a([&] { last.store(1, hocket::memory_order_release); });
  hocket::thread b([&] { last.store(2, hocket::memory_order_release); });
  a.join();
  b.join();
  if (last.load() == 2) return;
  if (std::getenv("FLAGS_CRASH") != nullptr) std::abort();
  if (std::getenv("FLAGS_WAIT") != nullptr) poll(nullptr, 0, -1);
  hocket::check(std::getenv("FLAGS_FAIL") == nullptr, "the second came first");
}

/// Reads and writes without a lock if asked to, in a directory of its own.
HOCKET_TEST(Flags, RacesElsewhere) {
  if (std::getenv("FLAGS_RACE") == nullptr) return;
  if (chdir("/") != 0) std::perror("/");
  hocket::var<int> total{0};
  hocket::thread other([&] { total = 1; });
  total = 2;
  other.join();
}
/// As Flags.RacesElsewhere has left it.
HOCKET_TEST(Flags, RacesThere) {
  if (std::getenv("FLAGS_RACE") == nullptr) return;
  hocket::var<int> total{0};
  hocket::thread other([&] { total = 1; });
  total = 2;
  other.join();
}

/// Two processes that count to three each, and fail together at six if asked to.
struct Counters {
  struct State {
    std::uint8_t first = 0, second = 0;
    bool operator==(const State&) const = default;
  };
  static State initial() { return {}; }
  static void successors(const State& state, hocket::model::Emit<State> emit) {
    const auto next = [](std::uint8_t count) { return static_cast<std::uint8_t>(count + 1); };
    if (state.first < 3) emit(0, "count", {next(state.first), state.second});
    if (state.second < 3) emit(1, "count", {state.first, next(state.second)});
  }
  static bool holds(const State& state) {
    return std::getenv("FLAGS_FAIL") == nullptr || state.first + state.second < 6;
  }
};

HOCKET_MODEL_TEST_WITH(Flags, ChecksAModel, {.strategy = "icb"}) {
  return Counters{};
}

/// If asked, fails where the threads take turns after each step, which takes four preemptions.
HOCKET_TEST(Flags, TakesTurns) {
  hocket::atomic<int> number{0};
  bool has_seen_all = false;
  hocket::thread other([&] { has_seen_all = number == 0 && number == 1 && number == 2; });
  for (int n = 1; n <= 3; ++n) number = n;
  other.join();
  if (std::getenv("FLAGS_TURNS") != nullptr) hocket::check(!has_seen_all, "it has seen all");
}
