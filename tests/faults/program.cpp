// A test program whose failures are to be saved while something is wrong with the system, and which is to
// replay what strangers send.
#include <hocket/gtest.hpp>

#include <csignal>
#include <cstdio>
#include <vector>

#include <unistd.h>

namespace {

/// Loses an update with one preemption.
void lose_an_update(int rounds, int threads) {
  hocket::atomic<int> count{0};
  std::vector<hocket::thread> all;
  for (int n = 0; n < threads; ++n) {
    all.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) count.store(count.load() + 1);
    });
  }
  for (hocket::thread& thread : all) thread.join();
  hocket::check(count.load() == rounds * threads, "an update was lost");
}

void crash_in_the_second_execution() {
  hocket::atomic<int> last{0};
  hocket::thread first([&] { last.store(1); });
  hocket::thread second([&] {
    if (last.exchange(2) == 0) std::raise(SIGSEGV);
  });
  first.join();
  second.join();
}

}  // namespace

HOCKET_TEST(Finds, AFailure) {
  lose_an_update(1, 2);
}
HOCKET_TEST(Finds, ACrash) {
  crash_in_the_second_execution();
}
HOCKET_TEST(GoesElsewhere, AndFails) {
  if (chdir("/") != 0) std::perror("/");
  lose_an_update(1, 2);
}
HOCKET_TEST(GoesElsewhere, AndCrashes) {
  if (chdir("/") != 0) std::perror("/");
  crash_in_the_second_execution();
}
HOCKET_TEST(Searches, Long) {
  lose_an_update(6, 4);
}
HOCKET_TEST(Passes, Long) {
  hocket::atomic<int> count{0};
  std::vector<hocket::thread> all;
  for (int n = 0; n < 6; ++n) {
    all.emplace_back([&] {
      for (int round = 0; round < 20; ++round) count.fetch_add(round);
    });
  }
  for (hocket::thread& thread : all) thread.join();
}
TEST(IsNone, OfHocket) {
  std::puts("a test of GoogleTest alone has run");
}
