// A test program in which bodies end the process, in many ways, between tests that do not.
#include <hocket/gtest.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef CRASHES_INSTRUMENTED
#include <atomic>
using std::atomic;
using std::thread;
#else
using hocket::atomic;
using hocket::thread;
#endif

namespace {

/// Two executions; calls `end` in the second one, on the second thread.
void end_after_two_steps(void (*end)()) {
  atomic<int> last{0};
  thread first([&] { last.store(1); });
  thread second([&] {
    if (last.exchange(2) == 0) end();
  });
  first.join();
  second.join();
}

/// Counts executions where a new process finds the count: in a file.
void count_execution(const char* file) {
  const int counts = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (write(counts, "x", 1) != 1) std::perror(file);
  close(counts);
}

void write_to_nowhere() {
  static volatile std::uintptr_t nowhere = 8;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

int overflow_the_stack(int depth) {
  volatile char frame[512] = {};
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : overflow_the_stack(depth + 1) + frame[0];
}

void throw_an_error() {
  throw std::runtime_error("nobody catches this");
}
void throw_out_of_noexcept() noexcept {
  throw_an_error();
}

/// Memory and locks of libc are in a state in which nothing else can be done.
void abort_in_malloc() {
#ifndef __SANITIZE_ADDRESS__  // which has a malloc of its own, and ends the process itself
  void** volatile chunk = static_cast<void**>(std::malloc(2000));
  void* volatile fence = std::malloc(2000);
  std::free(chunk);
  void** corrupted = chunk;
  asm volatile("" : "+r"(corrupted));
  corrupted[1] = &corrupted;
  fence = std::malloc(2000);
  std::free(fence);
#endif
  std::abort();
}

void change_the_process() {
  if (chdir("/") != 0) std::perror("/");
  signal(SIGUSR2, SIG_IGN);
  sigset_t most;  // of a thread that blocks SIGSEGV, too, the system does not even tell its process
  sigfillset(&most);
  sigdelset(&most, SIGSEGV);
  sigprocmask(SIG_BLOCK, &most, nullptr);
  open("/dev/null", O_RDONLY);
  write_to_nowhere();
}

class AFixture : public ::testing::Test {
 protected:
  void SetUp() override { std::puts("set up"); }
  void TearDown() override { std::puts("torn down"); }
};

}  // namespace

HOCKET_TEST(A, Passes) {
  count_execution("A.Passes.executions");
  end_after_two_steps([] {});
}
HOCKET_TEST(A, Fails) {
  end_after_two_steps([] { EXPECT_EQ(1, 2); });
}
HOCKET_TEST(A, IsSkipped) {
  GTEST_SKIP() << "not today";
}
HOCKET_TEST(B, GetsSegv) {
  end_after_two_steps(write_to_nowhere);
}
TEST(B, SearchesNothing) {
  std::puts("it searches nothing");
}
HOCKET_TEST(B, Aborts) {
  end_after_two_steps([] { std::abort(); });
}
HOCKET_TEST(B, Overflows) {
  end_after_two_steps([] { overflow_the_stack(1); });
}
HOCKET_TEST(B, Throws) {
  end_after_two_steps(throw_out_of_noexcept);
}
HOCKET_TEST(B, ChangesTheProcess) {
  end_after_two_steps(change_the_process);
}
TEST(C, FindsTheProcessAsItWas) {
  struct sigaction action {};
  sigaction(SIGUSR2, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGTERM));
  EXPECT_EQ(access("the_folder", F_OK), 0);
  const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const char* const before = std::getenv("CRASHES_LOWEST_FILE");
  EXPECT_EQ(lowest, before != nullptr ? std::atoi(before) : lowest);
  close(lowest);
}
TEST_F(AFixture, MayExit) {
  hocket::testing::explore([] { end_after_two_steps([] { std::exit(0); }); });
}
HOCKET_TEST(D, ExitsAtOnce) {
  end_after_two_steps([] { _exit(0); });
}
HOCKET_TEST(D, CrashesBeforeTheFirstStep) {
  write_to_nowhere();
}
HOCKET_TEST(D, CrashesInTheFirstSchedule) {
  atomic<int> n{0};
  n.store(1);
  thread other([&] {
    n.store(2);
    write_to_nowhere();
  });
  other.join();
}
HOCKET_TEST_WITH(D, Loops, {.watchdog = std::chrono::milliseconds(200)}) {
  end_after_two_steps([] {
    for (;;) __asm__ volatile("");  // Clang's hooks tell of a volatile variable
  });
}
HOCKET_TEST(D, AbortsInMalloc) {
  end_after_two_steps(abort_in_malloc);
}
TEST(ZDeathTest, MayDie) {
  EXPECT_EXIT(std::_Exit(3), ::testing::ExitedWithCode(3), "");
}
HOCKET_TEST(Z, Passes) {
  end_after_two_steps([] {});
}
HOCKET_TEST(Z, Fails) {
  end_after_two_steps([] { hocket::check(false, "the last test"); });
}

HOCKET_TEST(DISABLED_L, TakesLong) {
  atomic<int> last{0};
  const auto many = [&] {
    for (int n = 0; n < 100; ++n) last.store(n);
  };
  thread first(many);
  thread second(many);
  thread third(many);
  first.join();
  second.join();
  third.join();
}
HOCKET_TEST(DISABLED_K, IsKilled) {
  end_after_two_steps([] { raise(SIGKILL); });
}
HOCKET_TEST(DISABLED_K, LimitsFiles) {
  end_after_two_steps([] {
    const rlimit few_bytes{10, 10};
    setrlimit(RLIMIT_FSIZE, &few_bytes);
    write_to_nowhere();
  });
}
HOCKET_TEST(DISABLED_K, RefusesCallsOfTheSystem) {
  end_after_two_steps([] {
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    write_to_nowhere();
  });
}
#ifdef __x86_64__
HOCKET_TEST(DISABLED_K, ChecksAlignment) {
  end_after_two_steps([] {
    asm volatile("pushfq; orq $0x40000, (%%rsp); popfq" ::: "memory", "cc");
    write_to_nowhere();
  });
}
#endif

int main(int argc, char** argv) {
  std::thread([] {}).join();  // from now on malloc locks
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
