// A test program whose failures are to be saved while something is wrong with the system, and which is to
// replay what strangers send.
#include <hocket/gtest.hpp>
#ifndef FAULTS_INSTRUMENTED
#include <hocket/model_gtest.hpp>
#endif

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <linux/seccomp.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../scheduler/process/supervised_area.hpp"

namespace {

#ifdef FAULTS_INSTRUMENTED
using std::atomic;
using std::thread;
#else
using hocket::atomic;
using hocket::thread;
#endif

/// Starts a thread before main(), as some libraries do, if the environment asks for it.
[[gnu::constructor]] void start_early_thread() {
  if (std::getenv("EARLY_THREAD") != nullptr) std::thread(pause).detach();
}

/// Loses an update with one preemption.
void lose_an_update(int rounds, int threads) {
  atomic<int> count{0};
  std::vector<thread> all;
  for (int n = 0; n < threads; ++n) {
    all.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) count.store(count.load() + 1);
    });
  }
  for (thread& thread : all) thread.join();
  hocket::check(count.load() == rounds * threads, "an update was lost");
}

/// Calls `end` in the second execution, on the second thread.
template <class End>
void end_after_two_steps(End end) {
  atomic<int> last{0};
  thread first([&] { last.store(1); });
  thread second([&] {
    if (last.exchange(2) == 0) end();
  });
  first.join();
  second.join();
}

void crash_in_the_second_execution() {
  end_after_two_steps([] { std::raise(SIGSEGV); });
}

void write_to_nowhere() {
  static volatile std::uintptr_t nowhere = 8;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

/// Returns to an address that is none.
__attribute__((noinline, no_stack_protector)) void smash_the_stack() {
  constexpr std::size_t kPastTheReturnAddress = 16;
  // From above the variables here: without optimisation one of them would be the pointer.
  auto* const frame = static_cast<volatile std::uintptr_t*>(__builtin_frame_address(0));
  for (std::size_t n = 0; n < kPastTheReturnAddress; ++n) frame[n] = 1;
}

int overflow_the_stack(int depth) {
  volatile char frame[512] = {};
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : overflow_the_stack(depth + 1) + frame[0];
}

void write_beyond_a_block(std::size_t size) {
  constexpr std::size_t kFarTooMuch = 8192;
  std::free(std::malloc(kFarTooMuch));  // so much of the heap is there
  auto* const block = static_cast<volatile char*>(std::malloc(size));
  for (std::size_t n = 0; n < kFarTooMuch; ++n) block[n] = 'x';
  std::abort();
}

void throw_an_error() {
  throw std::runtime_error("nobody catches this");
}

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

void leave_a_process() {
  char name[] = "sleep";
  char time[] = "600";
  char* const words[] = {name, time, nullptr};
  pid_t child = 0;
  posix_spawn(&child, "/bin/sleep", nullptr, nullptr, words, environ);
  if (std::FILE* const file = std::fopen("child", "w"); file != nullptr) {
    std::fprintf(file, "%d", static_cast<int>(child));
    std::fclose(file);
  }
}

void loop_for_ever() {
  for (volatile bool goes_on = true; goes_on;) {
  }
}

void block_all_signals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
}

void ask_to_begin_again_for_ever() {
  auto& shared = *reinterpret_cast<hocket::supervised_area::Header*>(hocket::supervised_area::area());
  shared.begins_anew = hocket::supervised_area::BeginsAnew::if_it_dies_following;
}

void write_over_the_shared_text() {
  std::memset(hocket::supervised_area::area() + hocket::supervised_area::kTexts, 'x', 64);
}

void check_alignment() {
#ifdef __x86_64__
  asm volatile("pushfq; orq $0x40000, (%%rsp); popfq" ::: "memory", "cc");
#endif
}

struct Ending {
  const char* name;
  void (*end)();
};

const Ending kEndings[] = {
    {"segv", write_to_nowhere},
    {"abort", [] { std::abort(); }},
    {"fpe", [] { std::raise(SIGFPE); }},
    {"ill", [] { std::raise(SIGILL); }},
    {"bus", [] { std::raise(SIGBUS); }},
    {"overflow", [] { overflow_the_stack(1); }},
    {"terminate", []() noexcept { throw_an_error(); }},
    {"library exit", [] { std::exit(0); }},
    {"exit at once", [] { _exit(0); }},
    {"exit", [] { syscall(SYS_exit_group, 0); }},
    {"exec", [] { execl("/bin/true", "true", nullptr); }},
    {"kill", [] { kill(getpid(), SIGKILL); }},
    {"kill late", [] { sleep(11), kill(getpid(), SIGKILL); }},
    {"interrupt", [] { kill(getppid(), SIGINT), kill(getpid(), SIGKILL); }},
    {"pipe", [] { syscall(SYS_kill, getpid(), SIGPIPE); }},
    {"trap", [] { syscall(SYS_kill, getpid(), SIGTRAP); }},
    {"sys", [] { syscall(SYS_kill, getpid(), SIGSYS); }},
    {"loop", loop_for_ever},
    {"time", [] { limit(RLIMIT_CPU, 1), loop_for_ever(); }},
    {"blocked", [] { block_all_signals(), write_to_nowhere(); }},
    {"handled", [] { std::signal(SIGSEGV, [](int) { syscall(SYS_exit_group, 0); }), write_to_nowhere(); }},
    {"stack", smash_the_stack},
    {"size", [] { limit(RLIMIT_FSIZE, 10), write_to_nowhere(); }},
    {"files", [] { limit(RLIMIT_NOFILE, 3), write_to_nowhere(); }},
    {"memory", [] { limit(RLIMIT_AS, 1), write_to_nowhere(); }},
    {"closed", [] { close_range(0, ~0U, 0), write_to_nowhere(); }},
    {"seccomp", [] { prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), write_to_nowhere(); }},
    {"alignment", [] { check_alignment(), write_to_nowhere(); }},
    {"child", [] { leave_a_process(), kill(getpid(), SIGKILL); }},
    {"orphan", [] { leave_a_process(), write_to_nowhere(); }},
    {"overwrite", [] { write_over_the_shared_text(), write_to_nowhere(); }},
    {"forge", [] { ask_to_begin_again_for_ever(), kill(getpid(), SIGKILL); }},
};

constexpr const char* kHasDied = "has-died";

/// Ends the process in the way that the environment names: by the name in kEndings, or "heap" and a size.
void end_as_asked() {
  const char* const asked = std::getenv("ENDING");
  const std::string_view how = asked != nullptr ? asked : "";
  if (how == "earlier") {
    std::fclose(std::fopen(kHasDied, "w"));
    kill(getpid(), SIGKILL);
  }
  if (how.starts_with("heap")) write_beyond_a_block(std::stoul(std::string(how.substr(how.find(' ') + 1))));
  for (const Ending& ending : kEndings) {
    if (how == ending.name) ending.end();
  }
}

}  // namespace

HOCKET_TEST(Finds, AFailure) {
  lose_an_update(1, 2);
}
HOCKET_TEST(Finds, ACrash) {
  crash_in_the_second_execution();
}
HOCKET_TEST(Ends, Silently) {
  if (access(kHasDied, F_OK) == 0) kill(getpid(), SIGKILL);
  end_after_two_steps(end_as_asked);
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
  atomic<int> count{0};
  std::vector<thread> all;
  for (int n = 0; n < 6; ++n) {
    all.emplace_back([&] {
      for (int round = 0; round < 20; ++round) count.fetch_add(round);
    });
  }
  for (thread& thread : all) thread.join();
}
#ifndef FAULTS_INSTRUMENTED
/// Counts to three in two ways, and calls `end` on one of them.
struct CountsAndEnds {
  struct State {
    int count = 0;
    int doubled = 0;
    bool operator==(const State&) const = default;
  };
  void (*end)();
  int most = 3;

  static State initial() { return {}; }
  void successors(const State& state, hocket::model::Emit<State> emit) const {
    if (state.count == 2 && state.doubled == 1) end();
    if (state.count < most) emit(0, "count", {state.count + 1, state.doubled});
    if (state.doubled < most) emit(1, "count twice", {state.count, state.doubled + 1});
  }
  static bool may_end(const State& /*state*/) { return true; }
};
HOCKET_MODEL_TEST(Finds, AModelsCrash) {
  return CountsAndEnds{[] { std::raise(SIGSEGV); }};
}
HOCKET_MODEL_TEST(AModel, EndsSilently) {
  return CountsAndEnds{end_as_asked};
}
HOCKET_MODEL_TEST_WITH(AModel, EndsSilentlyInOneOfTwoThreads, {.jobs = 2}) {
  return CountsAndEnds{end_as_asked};
}
CountsAndEnds takes_long() {
  return {[] { end_as_asked(), sleep(1); }, 1000};
}
HOCKET_MODEL_TEST(AModel, TakesLong) {
  return takes_long();
}
HOCKET_MODEL_TEST_WITH(AModel, TakesLongInTwoThreads, {.jobs = 2}) {
  return takes_long();
}
#endif
TEST(AfterASearch, HocketHasNoThread) {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  EXPECT_EQ(std::distance(begin(threads), end(threads)), 1);
}
TEST(IsNone, OfHocket) {
  std::puts("a test of GoogleTest alone has run");
}
