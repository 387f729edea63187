// A body that crashes the process: its schedule is on disk before the process dies, and a replay completes
// the file.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <ostream>
#include <thread>
#include <vector>

#include <sys/mman.h>

#include "runtime/platform/sanitizer_fiber.hpp"
#include "scheduler/schedules/schedule_file.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

/// Some sanitizers turn a signal into an exit.
bool sanitized() {
  return runtime::platform::address_sanitizer_is_linked();
}

void expect_death(const std::function<void()>& work) {
  const ChildEnd end = in_supervised_child([&] {
    std::thread([] {}).join();  // from now on malloc locks
    work();
  });
  EXPECT_TRUE(end.exited_with(1)) << "the process lived on: " << end.output;
}

void write_to_protected_page() {
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(page) = 1;
}
void read_beyond_the_end_of_a_file() {
  std::FILE* file = std::tmpfile();
  void* page = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
  static_cast<void>(*static_cast<volatile char*>(page));
}
__attribute__((no_sanitize("undefined"))) void divide_by_zero() {
#if defined(__x86_64__)
  volatile int zero = 0;
  volatile int thousand = 1000;  // a quotient of 1 would be computed without dividing
  volatile int result = thousand / zero;
  static_cast<void>(result);
#else
  std::raise(SIGFPE);  // not every processor traps
#endif
}
void do_an_illegal_instruction() {
#if defined(__x86_64__)
  asm volatile("ud2");
#else
  std::raise(SIGILL);
#endif
}
/// glibc finds its lists corrupted and aborts, holding its lock.
void abort_in_malloc() {
  if (sanitized()) std::abort();  // it has its own malloc
  // Takes what can be had without the lock, so that a handler that allocates memory waits for ever.
  constexpr std::size_t kLargestInLists = 1040;
  constexpr int kMostInAList = 7;
  for (std::size_t size = 8; size <= kLargestInLists; size += 16) {
    for (int n = 0; n < kMostInAList; ++n) {
      void* volatile taken = std::malloc(size);
      static_cast<void>(taken);
    }
  }
  constexpr std::size_t kLarge = 2000;
  void** volatile chunk = static_cast<void**>(std::malloc(kLarge));
  void* volatile fence = std::malloc(kLarge);
  std::free(chunk);
  void** corrupted = chunk;
  asm volatile("" : "+r"(corrupted));
  corrupted[1] = &corrupted;
  fence = std::malloc(kLarge);
  static_cast<void>(fence);
}
int overflow_the_stack(int depth) {
  volatile char frame[512] = {};
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : overflow_the_stack(depth + 1) + frame[0];
}

struct Crash {
  const char* name;
  void (*crash)();
  int signal;
  FailureKind kind;
  const char* message;
};

void PrintTo(const Crash& crash, std::ostream* out) {
  *out << crash.name;
}

// clang-format off
const std::vector<Crash> kCrashes{
    {"ProtectedPage",      write_to_protected_page,             SIGSEGV, FailureKind::signal, "the process got SIGSEGV"},
    {"EndOfFile",          read_beyond_the_end_of_a_file,       SIGBUS,  FailureKind::signal, "the process got SIGBUS"},
    {"DivisionByZero",     divide_by_zero,                      SIGFPE,  FailureKind::signal, "the process got SIGFPE"},
    {"IllegalInstruction", do_an_illegal_instruction,           SIGILL,  FailureKind::signal, "the process got SIGILL"},
    {"Abort",              [] { std::abort(); },                SIGABRT, FailureKind::signal, "the process got SIGABRT"},
    {"AbortInsideMalloc",  abort_in_malloc,                     SIGABRT, FailureKind::signal, "the process got SIGABRT"},
    {"StackOverflow",      [] { overflow_the_stack(1); },       SIGSEGV, FailureKind::stack_overflow, "stack overflow: a logical thread used more than its 256 KiB"},
};
// clang-format on

class ACrash : public ::testing::TestWithParam<Crash> {};

TEST_P(ACrash, LeavesAScheduleThatAReplayCompletes) {
  const Crash& crash = GetParam();
  const Folder folder;
  const auto body = [&] {
    atomic<int> x{0};
    in_parallel([&] { x.store(1); },
        [&] {
          name_this_thread("crasher");
          if (x.load() == 1 && x.load() == 1) crash.crash();
        });
  };
  Options options = quietly();
  options.save_schedules = true;
  options.schedule_dir = folder.path();

  expect_death([&] { explore("crash", body, options); });
  const std::filesystem::path file = folder.path() / "crash.schedule.json";
  ASSERT_TRUE(std::filesystem::exists(file));
  const auto files_in_folder = [&] {
    return std::distance(
        std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
  };
  EXPECT_EQ(files_in_folder(), 1);

  const Schedule written = read_schedule(file);
  EXPECT_FALSE(written.complete);
  EXPECT_EQ(written.test, "crash");
  EXPECT_EQ(written.signal, crash.signal);
  EXPECT_EQ(to_string(written.kind), to_string(crash.kind));
  EXPECT_EQ(written.message, crash.message);

  Options again = options;
  again.replay = file;
  expect_death([&] { explore("crash", body, again); });
  EXPECT_EQ(files_in_folder(), 1);
  const Schedule completed = read_schedule(file);
  EXPECT_TRUE(completed.complete);
  EXPECT_EQ(completed.signal, crash.signal);
  EXPECT_EQ(to_string(completed.kind), to_string(crash.kind));
  ASSERT_EQ(completed.choices.size(), written.choices.size());
  for (std::size_t n = 0; n < written.choices.size(); ++n)
    EXPECT_EQ(completed.choices[n].code, written.choices[n].code);
  EXPECT_EQ(completed.choices.back().operation, runtime::Operation::atomic_load);
  ASSERT_EQ(completed.threads.size(), 3U);
  EXPECT_EQ(completed.threads[2].label, "crasher");

  // The completed file is replayed like any other, with every step checked.
  expect_death([&] { explore("crash", body, again); });
}

INSTANTIATE_TEST_SUITE_P(Signals, ACrash, ::testing::ValuesIn(kCrashes), RowName());

TEST(ACrash, SaysAfterHowManyExecutionsItCameUp) {
  const Folder folder;
  const auto body_that_ends_in = [](void (*end)()) {
    return [end] {
      atomic<int> x{0};
      in_parallel([&] { x.store(1); },
          [&] {
            if (x.load() == 0 && x.load() == 1) end();
          });
    };
  };
  Options options = quietly();
  const Report failed = explore("crash", body_that_ends_in([] { check(false); }), options);
  ASSERT_EQ(failed.verdict, Verdict::failed);
  ASSERT_GT(failed.failures[0].executions, 1U);

  options.save_schedules = true;
  options.schedule_dir = folder.path();
  expect_death([&] { explore("crash", body_that_ends_in([] { std::abort(); }), options); });
  const Schedule written = read_schedule(folder.path() / "crash.schedule.json");
  EXPECT_EQ(written.executions, failed.failures[0].executions);
}

TEST(ACrashDeathTest, TellsThePersonWhichThreadsStackWasTooSmall) {
  Options options = quietly();
  options.stack_size = std::size_t{64} * 1024;
  EXPECT_DEATH(explore(
                   "overflow", [] { overflow_the_stack(1); }, options),
      "stack overflow in a logical thread.*It is here, called from the lines below:\n  "
      "crash_test.cpp:[0-9]+");
}

TEST(ACrashDeathTest, TellsThePersonWhereItIs) {
  EXPECT_DEATH(explore(
                   "crash", [] { in_parallel([] { write_to_protected_page(); }); }, quietly()),
      "thread 1 got SIGSEGV in an execution.*It is here, called from the lines below:\n  "
      "crash_test.cpp:[0-9]+");
}

TEST(ALargerStack, IsGivenWhenAskedFor) {
  struct Deep {
    static int sum(int depth) {
      volatile char frame[1024] = {};
      frame[0] = 1;
      return depth == 0 ? 0 : sum(depth - 1) + frame[0];
    }
  };
  Options options = quietly();
  options.stack_size = std::size_t{8} << 20U;
  const Report report = explore(
      "deep", [] { check(Deep::sum(2000) == 2000); }, options);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
}

}  // namespace

}  // namespace hocket::test
