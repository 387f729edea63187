// A test program whose failures are to be saved while something is wrong with the system, and which is to
// replay what strangers send.
#include <hocket/gtest.hpp>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

/// Starts a thread before main(), as some libraries do, if the environment asks for it.
[[gnu::constructor]] void start_early_thread() {
  if (std::getenv("EARLY_THREAD") != nullptr) std::thread(pause).detach();
}

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

/// Calls `end` in the second execution, on the second thread.
template <class End>
void end_after_two_steps(End end) {
  hocket::atomic<int> last{0};
  hocket::thread first([&] { last.store(1); });
  hocket::thread second([&] {
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

constexpr const char* kHasDied = "has-died";

/// Ends the process in the way that the environment names, so that nothing in it can tell.
void end_silently() {
  const std::string_view how = std::getenv("ENDING");
  if (how == "earlier") std::fclose(std::fopen(kHasDied, "w"));
  if (how == "interrupt") kill(getppid(), SIGINT);
  if (how == "kill" || how == "earlier" || how == "interrupt") std::raise(SIGKILL);
  if (how == "forge") {
    auto& shared = *reinterpret_cast<hocket::supervised_area::Header*>(hocket::supervised_area::area());
    shared.begins_anew = hocket::supervised_area::BeginsAnew::if_it_dies_following;
    std::raise(SIGKILL);
  }
  if (how == "exit") syscall(SYS_exit_group, 0);
  if (how == "exec") execl("/bin/true", "true", nullptr);
  if (how == "pipe") std::raise(SIGPIPE);
  if (how == "trap") std::raise(SIGTRAP);
  if (how == "sys") std::raise(SIGSYS);
  if (how == "time") {
    const rlimit one_second{1, 1};
    setrlimit(RLIMIT_CPU, &one_second);
  }
  if (how == "time" || how == "loop") {
    for (volatile bool goes_on = true; goes_on;) {
    }
  }
  if (how == "blocked") {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    write_to_nowhere();
  }
  if (how == "handled") {
    std::signal(SIGSEGV, [](int) { syscall(SYS_exit_group, 0); });
    write_to_nowhere();
  }
  if (how.starts_with("heap")) {
    constexpr std::size_t kFarTooMuch = 8192;
    std::free(std::malloc(kFarTooMuch));  // so much of the heap is there
    const std::size_t size = std::stoul(std::string(how.substr(how.find(' ') + 1)));
    auto* const block = static_cast<volatile char*>(std::malloc(size));
    for (std::size_t n = 0; n < kFarTooMuch; ++n) block[n] = 'x';
    std::abort();
  }
  if (how == "stack") smash_the_stack();
  if (how == "size") {
    const rlimit few_bytes{10, 10};
    setrlimit(RLIMIT_FSIZE, &few_bytes);
    write_to_nowhere();
  }
  if (how == "seccomp") {
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    write_to_nowhere();
  }
  if (how == "child" || how == "orphan") {
    char name[] = "sleep";
    char time[] = "600";
    char* const words[] = {name, time, nullptr};
    pid_t child = 0;
    posix_spawn(&child, "/bin/sleep", nullptr, nullptr, words, environ);
    if (std::FILE* const file = std::fopen("child", "w"); file != nullptr) {
      std::fprintf(file, "%d", static_cast<int>(child));
      std::fclose(file);
    }
    if (how == "child") std::raise(SIGKILL);
    write_to_nowhere();
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
  if (access(kHasDied, F_OK) == 0) std::raise(SIGKILL);
  end_after_two_steps(end_silently);
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
