// Measures Hocket's own cost on the speed programs, through the public interface with default options,
// against the cost of a bare fiber switch measured in the same run. Not a test: nothing here fails because a
// machine is slow. A count that is wrong does fail.
#include <benchmark/benchmark.h>
#include <spdlog/fmt/fmt.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>
#include <boost/context/detail/fcontext.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "runtime/platform/fiber_switch.hpp"
#include "runtime/platform/stack_memory.hpp"

#include "programs.hpp"

namespace {

namespace platform = hocket::runtime::platform;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Nanoseconds of one jump between two fibers that do nothing else. `there_and_back` makes two.
template <class Jumps>
double nanoseconds_of_a_jump(Jumps there_and_back) {
  constexpr int kJumps = 4'000'000;
  double best = 1e9;
  for (int round = 0; round < 7; ++round) {
    const double begin = cpu_seconds();
    for (int n = 0; n < kJumps; n += 2) there_and_back();
    best = std::min(best, (cpu_seconds() - begin) / kJumps);
  }
  return best * 1e9;
}

double bare_jump_fcontext() {
  using boost::context::detail::jump_fcontext;
  platform::StackMemory stack = platform::map_stack(std::size_t{64} * 1024);
  void* fiber = boost::context::detail::make_fcontext(
      stack.top, stack.size(), [](boost::context::detail::transfer_t transfer) {
        for (void* other = transfer.fctx;;) other = jump_fcontext(other, nullptr).fctx;
      });
  const double nanoseconds = nanoseconds_of_a_jump([&] {
    fiber = jump_fcontext(fiber, nullptr).fctx;
    benchmark::DoNotOptimize(fiber);
  });
  platform::unmap_stack(stack);
  return nanoseconds;
}

double bare_own_jump() {
  static void* here;
  static void* there;
  platform::StackMemory stack = platform::map_stack(std::size_t{64} * 1024);
  there = platform::make_context(stack.top, stack.size(), [] {
    for (;;) platform::jump(there, here);
  });
  const double nanoseconds = nanoseconds_of_a_jump([] { platform::jump(here, there); });
  platform::unmap_stack(stack);
  return nanoseconds;
}

struct Measurement {
  double executions_per_second;
  double ns_per_step;
  double steps_per_execution;
  hocket::Report report;
};

Measurement measure(const bench::Program& program, const std::string& strategy, double seconds,
    std::optional<hocket::MemoryModel> model) {
  hocket::Options options;
  options.memory_model = model;
  options.strategy = strategy;
  options.max_preemptions = program.bound;
  options.try_saved = false;
  options.save_schedules = false;
  std::vector<double> rates;
  Measurement last{};
  // As many searches as fit into the time; the median of them.
  const double begin = cpu_seconds();
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  if (strategy == "random") options.max_executions = 200'000;
  do {
    const double before = cpu_seconds();
    last.report = hocket::explore(program.id, program.body, options);
    const double took = cpu_seconds() - before;
    executions += last.report.executions;
    steps += last.report.steps;
    rates.push_back(static_cast<double>(last.report.executions) / took);
  } while (cpu_seconds() - begin < seconds || rates.size() < 3);
  std::nth_element(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2), rates.end());
  last.executions_per_second = rates[rates.size() / 2];
  last.steps_per_execution = static_cast<double>(steps) / static_cast<double>(executions);
  last.ns_per_step = 1e9 / last.executions_per_second / last.steps_per_execution;
  return last;
}

/// One search of each program and nothing else, for tools/bench/instructions: what is counted is the search.
int run_once(const std::vector<std::string>& only, const std::string& strategy, std::uint64_t executions,
    std::optional<hocket::MemoryModel> model) {
  for (const bench::Program& program : bench::kPrograms) {
    if (!only.empty() && std::find(only.begin(), only.end(), program.id) == only.end()) continue;
    hocket::Options options;
    options.memory_model = model;
    options.strategy = strategy;
    options.max_preemptions = hocket::unbounded;
    options.max_executions = executions;
    options.try_saved = false;
    options.save_schedules = false;
    const hocket::Report report = hocket::explore(program.id, program.body, options);
    fmt::print("{} {} {}\n", program.id, report.executions, report.steps);
  }
  return 0;
}

/// The executions a second of one program and nothing else, for tools/bench/against.
int print_rate(const std::vector<std::string>& only, const std::string& strategy, double seconds,
    std::optional<hocket::MemoryModel> model) {
  for (const bench::Program& program : bench::kPrograms) {
    if (only.size() != 1 || program.id != only.front()) continue;
    fmt::print("{:.0f}\n", measure(program, strategy, seconds, model).executions_per_second);
    return 0;
  }
  fmt::print(stderr, "hocket_bench: --rate measures one program: a, a50, b, c, d, e or r\n");
  return 2;
}

int run(const std::vector<std::string>& only, const std::string& strategies, double seconds,
    std::optional<hocket::MemoryModel> model) {
  const double jump = bare_jump_fcontext();
  fmt::print(
      "one bare jump_fcontext: {:.2f} ns; one jump of Hocket's own: {:.2f} ns\n\n", jump, bare_own_jump());
  fmt::print("{:<5}{:<8}{:>12}{:>9}{:>10}{:>9}{:>9}\n", "", "", "executions", "steps", "k exec/s", "ns/step",
      "jumps");
  int wrong = 0;
  for (const bench::Program& program : bench::kPrograms) {
    if (!only.empty() && std::find(only.begin(), only.end(), program.id) == only.end()) continue;
    for (const std::string strategy : {"random", "icb"}) {
      if (strategies != "both" && strategies != strategy) continue;
      const Measurement m = measure(program, strategy, seconds, model);
      fmt::print("{:<5}{:<8}{:>12}{:>9.1f}{:>10.0f}{:>9.1f}{:>9.2f}\n", program.id, strategy,
          m.report.executions, m.steps_per_execution, m.executions_per_second / 1e3, m.ns_per_step,
          m.ns_per_step / jump);
      if (m.report.failed() ||
          (strategy == "icb" && program.classes != 0 && m.report.classes != program.classes)) {
        fmt::print("  WRONG: {} classes, expected {}\n", m.report.classes, program.classes);
        wrong = 1;
      }
      if (strategy == "icb" && m.report.frontier_peak_items != 0) {
        fmt::print("       at most {} pending, {:.1f} bytes each; {} classes, {:.1f} bytes each\n",
            m.report.frontier_peak_items,
            static_cast<double>(m.report.frontier_peak_bytes) /
                static_cast<double>(m.report.frontier_peak_items),
            m.report.classes,
            static_cast<double>(m.report.class_bytes) / static_cast<double>(m.report.classes));
      }
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("\npeak memory: {:.1f} MB\n", static_cast<double>(usage.ru_maxrss) / 1024);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Hocket's speed programs. \"jumps\" is the time of a step in bare fiber switches."};
  std::vector<std::string> only;
  std::string strategy = "both";
  double seconds = 1;
  std::uint64_t executions = 0;
  app.add_option("program", only, "a, a50, b, c, d, e, r; all by default");
  app.add_option("--strategy", strategy, "random, icb or both")
      ->check(CLI::IsMember({"random", "icb", "both"}));
  app.add_option("--seconds", seconds, "CPU seconds for each line");
  app.add_option("--executions", executions, "run this many executions once, and measure nothing");
  bool is_rate = false;
  app.add_flag("--rate", is_rate, "print the executions a second of one program, and nothing else");
  std::string memory_model;
  app.add_option("--memory-model", memory_model, "sc or c11; as in a search without the option by default")
      ->check(CLI::IsMember({"sc", "c11"}));
  CLI11_PARSE(app, argc, argv);
  std::optional<hocket::MemoryModel> model;
  if (!memory_model.empty())
    model = memory_model == "c11" ? hocket::MemoryModel::c11 : hocket::MemoryModel::sc;
  if (is_rate) return print_rate(only, strategy == "both" ? "icb" : strategy, seconds, model);
  if (executions != 0) return run_once(only, strategy == "both" ? "icb" : strategy, executions, model);
  return run(only, strategy, seconds, model);
} catch (const std::exception& error) {
  std::fprintf(stderr, "hocket_bench: %s\n", error.what());
  return 2;
}
