// A soak: a million executions of each body that ends in another way, with the memory of the process before
// and after. Exit status 1 if it grew. Usage: hocket_soak [executions]
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "tests/support/cleanup_bodies.hpp"

// NOLINTNEXTLINE(bugprone-exception-escape): ends with its message
int main(int argc, char** argv) {
  using hocket::test::Memory;
  const std::uint64_t executions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  constexpr std::int64_t kSlack =
      std::int64_t{1024} * 1024;  // a million executions that leave a byte each would need more than half
  bool grew = false;
  std::printf("%-16s %12s %10s %14s %14s %14s %14s %8s\n", "body", "executions", "abandoned", "allocated",
      "then", "resident", "then", "seconds");
  for (const hocket::test::Ending& ending : hocket::test::kEndings) {
    hocket::test::run_again_and_again(ending, 10'000);
    const Memory before = hocket::test::memory_of_this_process();
    const hocket::Report report = hocket::test::run_again_and_again(ending, executions);
    const Memory after = hocket::test::memory_of_this_process();
    const std::uint64_t ran = report.executions + report.dropped;
    std::printf("%-16s %12" PRIu64 " %10" PRIu64 " %14" PRId64 " %14" PRId64 " %14" PRId64 " %14" PRId64
                " %8.1f\n",
        ending.name, ran, report.abandoned, before.allocated, after.allocated, before.resident,
        after.resident, report.seconds);
    std::fflush(stdout);
    if (ran != executions || after.allocated - before.allocated > kSlack ||
        after.resident - before.resident > kSlack)
      grew = true;
  }
  std::puts(grew ? "The process grew." : "The process did not grow.");
  return grew ? 1 : 0;
}
