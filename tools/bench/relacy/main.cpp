// The speed programs of ../programs.hpp written for Relacy, as its users write them. tools/bench/against runs
// them in turns with Hocket's.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <ostream>
#include <string>

#include <relacy/relacy.hpp>  // last, because it defines `delete` and other words as macros

namespace {

using rl::mo_seq_cst;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <int times>
struct TwoAdders : rl::test_suite<TwoAdders<times>, 2> {
  rl::atomic<int> x;
  void before() { x($).store(0, mo_seq_cst); }
  void thread(unsigned /*index*/) {
    for (int n = 0; n < times; ++n) x($).fetch_add(1, mo_seq_cst);
  }
};

struct ThreeLockers : rl::test_suite<ThreeLockers, 3> {
  rl::mutex mutex;
  rl::var<int> n;
  void before() { n($) = 0; }
  void thread(unsigned /*index*/) {
    for (int i = 0; i < 3; ++i) {
      mutex.lock($);
      n($) = n($) + 1;
      mutex.unlock($);
    }
  }
};

struct TheDeque : rl::test_suite<TheDeque, 2> {
  rl::atomic<int> head;
  rl::atomic<int> tail;
  std::array<rl::atomic<int>, 4> items;
  rl::mutex mutex;
  std::array<int, 4> taken{};

  void before() {
    head($).store(0, mo_seq_cst);
    tail($).store(0, mo_seq_cst);
    for (rl::atomic<int>& item : items) item($).store(0, mo_seq_cst);
    taken = {};
  }
  void push(int value) {
    const int t = tail($).load(mo_seq_cst);
    items[static_cast<std::size_t>(t)]($).store(value, mo_seq_cst);
    tail($).store(t + 1, mo_seq_cst);
  }
  int pop() {
    int t = tail($).load(mo_seq_cst) - 1;
    if (t < 0) return 0;
    tail($).store(t, mo_seq_cst);
    if (head($).load(mo_seq_cst) > t) {
      tail($).store(t + 1, mo_seq_cst);
      mutex.lock($);
      t = tail($).load(mo_seq_cst) - 1;
      tail($).store(t, mo_seq_cst);
      if (head($).load(mo_seq_cst) > t) {
        tail($).store(t + 1, mo_seq_cst);
        mutex.unlock($);
        return 0;
      }
      mutex.unlock($);
    }
    return items[static_cast<std::size_t>(t)]($).load(mo_seq_cst);
  }
  int steal() {
    mutex.lock($);
    const int h = head($).load(mo_seq_cst);
    head($).store(h + 1, mo_seq_cst);
    int item = 0;
    if (h + 1 > tail($).load(mo_seq_cst)) {
      head($).store(h, mo_seq_cst);
    } else {
      item = items[static_cast<std::size_t>(h)]($).load(mo_seq_cst);
    }
    mutex.unlock($);
    return item;
  }
  void take(int item) {
    if (item != 0) RL_ASSERT(++taken[static_cast<std::size_t>(item)] == 1);
  }
  void thread(unsigned index) {
    if (index == 0) {
      push(1);
      push(2);
      take(pop());
      push(3);
      for (int n = 0; n < 3; ++n) take(pop());
    } else {
      take(steal());
      take(steal());
    }
  }
};

struct FourPhilosophers : rl::test_suite<FourPhilosophers, 4> {
  std::array<rl::mutex, 4> forks;
  void thread(unsigned seat) {
    const unsigned other = (seat + 1) % 4;
    rl::mutex& first = forks[seat < other ? seat : other];
    rl::mutex& second = forks[seat < other ? other : seat];
    first.lock($);
    second.lock($);
    second.unlock($);
    first.unlock($);
  }
};

struct BoundedQueue : rl::test_suite<BoundedQueue, 4> {
  rl::mutex mutex;
  rl::condition_variable_any not_full;
  rl::condition_variable_any not_empty;
  rl::var<int> size;
  void before() { size($) = 0; }
  void thread(unsigned index) {
    const bool produces = index < 2;
    for (int n = 0; n < 2; ++n) {
      mutex.lock($);
      if (produces) {
        while (size($) == 2) not_full.wait(mutex, $);
        size($) = size($) + 1;
        not_empty.notify_one($);
      } else {
        while (size($) == 0) not_empty.wait(mutex, $);
        size($) = size($) - 1;
        not_full.notify_one($);
      }
      mutex.unlock($);
    }
  }
};

struct Ring : rl::test_suite<Ring, 2> {
  static constexpr int kTimes = 5;
  rl::atomic<unsigned> head;
  rl::atomic<unsigned> tail;
  std::array<rl::atomic<int>, 2> slots;
  void before() {
    head($).store(0, rl::mo_relaxed);
    tail($).store(0, rl::mo_relaxed);
    for (rl::atomic<int>& slot : slots) slot($).store(0, rl::mo_relaxed);
  }
  void thread(unsigned index) {
    unsigned done = 0;
    for (int n = 0; n < kTimes; ++n) {
      if (index == 0) {
        if (done - head($).load(rl::mo_acquire) == slots.size()) continue;
        slots[done % slots.size()]($).store(n, rl::mo_relaxed);
        tail($).store(++done, rl::mo_release);
      } else {
        if (tail($).load(rl::mo_acquire) == done) continue;
        slots[done % slots.size()]($).load(rl::mo_relaxed);
        head($).store(++done, rl::mo_release);
      }
    }
  }
};

/// Runs searches until `seconds` of CPU time are over. Returns executions a second.
template <class Test>
double measure(bool is_random, unsigned bound, double seconds) {
  constexpr unsigned kMost = 200'000;
  std::ostream nowhere(nullptr);
  double executions = 0;
  const double begin = cpu_seconds();
  double now = begin;
  do {
    rl::test_params params;
    params.output_stream = params.progress_stream = &nowhere;
    params.iteration_count = kMost;
    params.search_type = is_random    ? rl::random_scheduler_type
                         : bound == 0 ? rl::fair_full_search_scheduler_type
                                      : rl::fair_context_bound_scheduler_type;
    params.context_bound = bound;
    if (!rl::simulate<Test>(params)) {
      std::fprintf(stderr, "hocket_bench_relacy: a speed program failed\n");
      std::exit(1);
    }
    executions += static_cast<double>(params.stop_iteration);
    now = cpu_seconds();
  } while (now - begin < seconds);
  return executions / (now - begin);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: hocket_bench_relacy PROGRAM random|icb SECONDS\n");
    return 2;
  }
  const std::string program = argv[1];
  const bool is_random = std::string(argv[2]) == "random";
  const double seconds = std::strtod(argv[3], nullptr);
  const auto with = [&]<class Test>(unsigned bound) { return measure<Test>(is_random, bound, seconds); };
  double rate = 0;
  if (program == "a")
    rate = with.operator()<TwoAdders<5>>(0);
  else if (program == "a50")
    rate = with.operator()<TwoAdders<50>>(3);
  else if (program == "b")
    rate = with.operator()<ThreeLockers>(6);
  else if (program == "c")
    rate = with.operator()<TheDeque>(6);
  else if (program == "d")
    rate = with.operator()<FourPhilosophers>(5);
  else if (program == "e")
    rate = with.operator()<BoundedQueue>(3);
  else if (program == "r")
    rate = with.operator()<Ring>(3);
  else {
    std::fprintf(
        stderr, "hocket_bench_relacy: there is no program %s; there are a, a50, b, c, d, e, r\n", argv[1]);
    return 2;
  }
  std::printf("%.0f\n", rate);
}
