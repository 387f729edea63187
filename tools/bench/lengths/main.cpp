// Measures how the time of one execution grows with its length, for each thing that an execution may consist
// of. What a step costs should not depend on how many there are: a line whose numbers grow is a defect.
#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

namespace {

#ifdef BENCH_UNMODIFIED  // compiled with hocket_instrument
namespace types = std;
using Clock = std::chrono::steady_clock;
#else
namespace types = hocket;
using Clock = hocket::steady_clock;
#endif

using namespace std::chrono_literals;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// What a body does about `times` times.
struct Shape {
  std::string_view name;
  std::function<void(int times)> body;
};

/// Two threads that do the same.
void in_two_threads(const std::function<void()>& work) {
  types::thread a(work);
  types::thread b(work);
  a.join();
  b.join();
}

std::vector<Shape> shapes() {
  return {
      {"plain steps",
          [](int times) {
            types::atomic<int> x{0};
            for (int n = 0; n < times; ++n) x.fetch_add(1);
          }},
      {"steps of two threads",
          [](int times) {
            types::atomic<int> x{0};
            in_two_threads([&] {
              for (int n = 0; n < times / 2; ++n) x.fetch_add(1);
            });
          }},
      {"sections under a mutex",
          [](int times) {
            types::mutex mutex;
            in_two_threads([&] {
              for (int n = 0; n < times / 4; ++n) std::lock_guard lock(mutex);
            });
          }},
      {"yields",
          [](int times) {
            in_two_threads([&] {
              for (int n = 0; n < times / 2; ++n) types::this_thread::yield();
            });
          }},
      {"polls with a yield",
          [](int times) {
            types::atomic<int> x{0};
            in_two_threads([&] {
              for (int n = 0; n < times / 4; ++n) {
                if (x.load() == 1) break;
                types::this_thread::yield();
              }
            });
          }},
      {"polls with a sleep, beside a wait with a time",
          [](int times) {
            types::atomic<bool> go{false};
            types::mutex mutex;
            types::condition_variable never;
            types::thread poll([&] {
              for (int n = 0; n < times / 2 && !go.load(); ++n) types::this_thread::sleep_for(1ms);
            });
            std::unique_lock lock(mutex);
            never.wait_for(lock, 5ms);
            poll.join();
          }},
      {"sleeps",
          [](int times) {
            in_two_threads([&] {
              for (int n = 0; n < times / 2; ++n) types::this_thread::sleep_for(1ms);
            });
          }},
      {"reads of the clock",
          [](int times) {
            in_two_threads([&] {
              for (int n = 0; n < times / 2; ++n) static_cast<void>(Clock::now());
            });
          }},
      {"waits that expire",
          [](int times) {
            in_two_threads([&] {
              types::mutex mutex;
              types::condition_variable never;
              std::unique_lock lock(mutex);
              for (int n = 0; n < times / 6; ++n) never.wait_for(lock, 1ms);
            });
          }},
      {"steps beside a wait with a time",
          [](int times) {
            types::atomic<int> x{0};
            types::mutex mutex;
            types::condition_variable never;
            types::thread waits([&] {
              std::unique_lock lock(mutex);
              never.wait_for(lock, 1ms);
            });
            for (int n = 0; n < times; ++n) x.fetch_add(1);
            waits.join();
          }},
      {"steps beside a yield after many reads",
          [](int times) {
            types::atomic<int> x{0};
            const auto read = [&] {
              types::this_thread::yield();
              for (int n = 0; n < times / 4; ++n) static_cast<void>(x.load());
              types::this_thread::yield();
            };
            types::atomic<int> y{0};
            types::thread reads(read);
            read();
            for (int n = 0; n < times / 2; ++n) y.fetch_add(1);
            reads.join();
          }},
      {"objects beside a yield after many reads",
          [](int times) {
            types::atomic<int> x{0};
            const auto read = [&] {
              types::this_thread::yield();
              for (int n = 0; n < times / 4; ++n) static_cast<void>(x.load());
              types::this_thread::yield();
            };
            types::thread reads(read);
            read();
            for (int n = 0; n < times / 4; ++n) {
              types::atomic<int> y{0};
              y.store(1);
            }
            reads.join();
          }},
      {"objects",
          [](int times) {
            for (int n = 0; n < times / 2; ++n) {
              types::atomic<int> x{0};
              x.store(1);
            }
          }},
      {"blocks of memory",
          [](int times) {
            types::atomic<int> x{0};
            std::vector<std::unique_ptr<int>> all;
            for (int n = 0; n < times; ++n) {
              all.push_back(std::make_unique<int>(x.fetch_add(1)));
            }
          }},
      {"choices",
          [](int times) {
            for (int n = 0; n < times; ++n) hocket::choose(2);
          }},
      {"threads, one after the other",
          [](int times) {
            types::atomic<int> x{0};
            constexpr int kThreads = 100;
            for (int n = 0; n < kThreads; ++n) {
              types::thread thread([&] {
                for (int m = 0; m < times / kThreads; ++m) x.fetch_add(1);
              });
              thread.join();
            }
          }},
  };
}

/// What an execution is asked to do beside running.
struct Way {
  std::string_view name;
  bool fails = false;
  hocket::Options options;
};

std::vector<Way> ways() {
  hocket::Options usual;
  usual.strategy = "icb";
  usual.max_executions = 1;
  usual.max_steps = 1'048'575;
  usual.try_saved = false;
  usual.save_schedules = false;
  usual.watchdog = 0s;
  std::vector<Way> all{{"icb", false, usual}};
  const auto add = [&](std::string_view name, auto set, bool fails = false) {
    all.push_back({name, fails, usual});
    set(all.back().options);
  };
  for (const char* const strategy : {"auto", "dfs", "random", "icb-por", "cb-por", "dpor"}) {
    add(strategy, [&](hocket::Options& options) { options.strategy = strategy; });
  }
  add("fair", [](hocket::Options& options) { options.fair = true; });
  add(
      "recorded", [](hocket::Options&) {}, true);
  add("leaks", [](hocket::Options& options) {
    options.detect = options.detect.with(hocket::Detector::leaked_memory);
  });
#ifdef BENCH_UNMODIFIED
  add("plain steps", [](hocket::Options& options) { options.plain_steps = true; });
#endif
  return all;
}

/// Nanoseconds of a step in an execution of about `times` steps.
double nanoseconds_of_a_step(const Shape& shape, const Way& way, int times) {
  const auto body = [&] {
    shape.body(times);
    if (way.fails) hocket::check(false, "as it is meant to");
  };
  const double begin = cpu_seconds();
  const hocket::Report report = hocket::explore("length", body, way.options);
  return (cpu_seconds() - begin) / static_cast<double>(std::max<std::uint64_t>(report.steps, 1)) * 1e9;
}

bool is_wanted(const std::vector<std::string>& wanted, std::string_view name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Nanoseconds of a step in executions of different lengths."};
  std::vector<std::string> only;
  std::vector<std::string> in;
  int longest = 1'000'000;
  app.add_option("--only", only, "what the execution consists of; everything by default");
  app.add_option("--in", in, "how it is run; in every way by default");
  app.add_option("--longest", longest, "steps of the longest execution");
  CLI11_PARSE(app, argc, argv);
  for (const Way& way : ways()) {
    if (!is_wanted(in, way.name)) continue;
    fmt::print("{}\n", way.name);
    for (const Shape& shape : shapes()) {
      if (!is_wanted(only, shape.name)) continue;
      fmt::print("  {:<48}", shape.name);
      for (int times = 1'000; times <= longest; times *= 10) {
        constexpr double kTooSlow = 30'000;
        const double nanoseconds = nanoseconds_of_a_step(shape, way, times);
        fmt::print("{:>10.0f}", nanoseconds);
        std::fflush(stdout);
        if (nanoseconds > kTooSlow) break;
      }
      fmt::print("\n");
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "hocket_bench_lengths: %s\n", error.what());
  return 2;
}
