// The watchdog in a body whose clocks are virtual.
#include <atomic>
#include <chrono>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;

TEST(TheWatchdog, LooksAtTheRealClockAndMakesNoStepOfTheBodys) {
  hocket::Options options = exhaustively();
  options.watchdog = 100ms;  // it looks four times as often
  options.time_limit = 400ms;
  const hocket::Report report = hocket::explore(
      "watched",
      [] {
        std::atomic<int> n{0};
        const auto many = [&] {
          for (int i = 0; i < 7; ++i) n.fetch_add(1);
        };
        in_parallel(many, many, many);
      },
      options);
  EXPECT_EQ(report.verdict, hocket::Verdict::stopped) << report;
  EXPECT_EQ(report.executions, report.classes);
}

char many_bytes[1'000'000];

// The first access to an address takes longer than others.
TEST(TheWatchdog, LetsAThreadGoOnThatComesToNewMemory) {
  hocket::Options options = exhaustively();
  options.watchdog = 40ms;
  const auto write = [] {
    for (char& byte : many_bytes) byte = 'a';
  };
  explored([&] { in_parallel(write); }, options);
}

}  // namespace

}  // namespace unmodified
