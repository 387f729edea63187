// A soak: executions that end in every possible way, in pieces, until so many have run or the time is over,
// with the memory of the process and the speed after each piece. SOAK_UNMODIFIED: with the types of the
// standard library, in instrumented code, and with --children in child processes. Exit status 1 if the
// process grew after the first piece, or a search ended early.
#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/support/cleanup_bodies.hpp"
#include "tools/fuzz/time_option.hpp"

namespace {

using namespace hocket::test;
using Clock = std::chrono::steady_clock;

struct Command {
  double seconds = 60;
  double executions = 1e9;
  double piece = 1e6;  ///< executions of each body
  std::uint64_t seed = 1;
  bool in_children = false;
};

#ifdef SOAK_UNMODIFIED
using Types = StandardTypes;
#else
using Types = HocketTypes;
#endif

/// Runs so many executions of each body. Returns how many have run in all, or 0 if a search ended early.
std::uint64_t run_piece(const Command& command, std::uint64_t seed) {
  std::uint64_t ran = 0;
  for (const Ending& ending : kEndings<Types>) {
    hocket::Options options;
    options.seed = seed;
    if (command.in_children) options.restore = hocket::Restore::fork;
    const auto count = static_cast<std::uint64_t>(command.piece);
    const hocket::Report report = run_again_and_again(ending, count, options);
    const std::uint64_t of_body = report.executions + report.dropped;
    if (of_body != count) {
      std::printf("%s ended early, after %" PRIu64 " executions.\n", ending.name, of_body);
      return 0;
    }
    ran += of_body;
  }
  return ran;
}

struct Speeds {
  std::vector<double> of_pieces;  ///< executions a second

  [[nodiscard]] double mean(std::size_t from, std::size_t to) const {
    double sum = 0;
    for (std::size_t n = from; n < to; ++n) sum += of_pieces[n];
    return sum / static_cast<double>(to - from);
  }
};

int soak(const Command& command) {
  constexpr std::int64_t kSlack = std::int64_t{1024} * 1024;
  constexpr std::int64_t kSlackOfPiece =
      std::int64_t{16} * 1024;  // searches are remembered for the last line
  const auto begin = Clock::now();
  const auto seconds_since = [](Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  };
  std::printf("%6s %14s %14s %14s %14s\n", "piece", "executions", "a second", "bytes in use", "resident");
  Memory first;
  Memory last;
  Speeds speeds;
  double all = 0;
  std::uint64_t piece = 0;
  do {
    const auto piece_begin = Clock::now();
    const auto ran = static_cast<double>(run_piece(command, command.seed + piece));
    if (ran == 0) return 1;
    all += ran;
    speeds.of_pieces.push_back(ran / seconds_since(piece_begin));
    last = memory_of_this_process();
    if (piece == 0) first = last;
    std::printf("%6" PRIu64 " %14.0f %14.0f %14" PRId64 " %14" PRId64 "\n", piece, all,
        speeds.of_pieces.back(), last.allocated, last.resident);
    std::fflush(stdout);
    ++piece;
  } while (all < command.executions && seconds_since(begin) < command.seconds);
  const std::size_t pieces = speeds.of_pieces.size();
  const std::size_t third = (pieces + 2) / 3;
  std::printf("%.0f executions in %.0f s. Executions a second in the first third: %.0f, in the last: %.0f.\n",
      all, seconds_since(begin), speeds.mean(0, third), speeds.mean(pieces - third, pieces));
  const std::int64_t slack = kSlack + static_cast<std::int64_t>(pieces) * kSlackOfPiece;
  const bool grew = last.allocated - first.allocated > slack || last.resident - first.resident > slack;
  std::puts(pieces == 1 ? "One piece says nothing about growth."
            : grew      ? "The process grew."
                        : "The process did not grow.");
  return grew ? 1 : 0;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): ends with its message
int main(int argc, char** argv) {
  CLI::App app("Runs executions that end in every possible way, and looks at memory and speed.");
  Command command;
  hocket::tools::add_time_option(app, command.seconds);
  app.add_option("--executions", command.executions, "how many at most, for example 1e9")
      ->check(CLI::Range(1.0, 1e15));
  app.add_option("--piece", command.piece, "executions of each body between two looks, for example 1e5")
      ->check(CLI::Range(1.0, 1e12));
  app.add_option("--seed", command.seed, "of the first piece; the others have those that follow");
#ifdef SOAK_UNMODIFIED
  app.add_flag("--children", command.in_children,
      "each execution in a child process, which takes about 200 times as long");
#endif
  CLI11_PARSE(app, argc, argv);
  return soak(command);
}
