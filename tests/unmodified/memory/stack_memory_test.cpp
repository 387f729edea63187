// Local variables that threads use after the function has returned whose they are, and programs that lend
// theirs as they may.
#include <gtest/gtest.h>

#include <alloca.h>
#include <pthread.h>
#include <semaphore.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <csetjmp>
#include <cstring>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include <hocket/hocket.hpp>

#include "tests/support/expected_failure.hpp"
#include "tests/support/row_name.hpp"
#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::test::Right;
using hocket::test::Wrong;

/// All that claim to be complete.
constexpr const char* kStrategies[] = {"icb", "dfs", "idfs", "best-first", "dpor", "dfs-sleep", "hb-cache",
    "icb-por", "cb-por", "cb-por-basic", "delay"};

/// What functions below have among their local variables. What comes first in it lies deep in the frame,
/// where the calls that follow the return do not come.
template <class T>
struct Deep {
  T first{};
  std::array<char, 512> room;
};

sem_t may_go;

/// A thread that uses a local variable of this function when main lets it, after the return.
template <class T, void (*use)(T&)>
[[gnu::noinline]] std::thread lend_for_later() {
  Deep<T> local;
  return std::thread([&local] {
    sem_wait(&may_go);
    use(local.first);
  });
}
template <class T, void (*use)(T&)>
void use_after_return() {
  sem_init(&may_go, 0, 0);
  std::thread user = lend_for_later<T, use>();
  sem_post(&may_go);
  user.join();
}

/// One that uses it at once, but nothing orders the return after that.
template <class T, void (*use)(T&)>
[[gnu::noinline]] std::thread lend_for_now() {
  Deep<T> local;
  return std::thread([&local] { use(local.first); });
}
template <class T, void (*use)(T&)>
void use_beside_return() {
  std::thread user = lend_for_now<T, use>();
  user.join();
}

void write_int(int& n) {
  n = 1;
}
// Volatile, or Clang reads it where this is called.
[[gnu::noinline]] void read_int(int& n) {
  static_cast<void>(*static_cast<const volatile int*>(&n));
}
void copy_text(std::array<char, 16>& text) {
  std::strcpy(text.data(), "text");
}
void store(std::atomic<int>& n) {
  n.store(1);
}
void lock(std::mutex& mutex) {
  const std::lock_guard guard(mutex);
}
void notify(std::condition_variable& condition) {
  condition.notify_one();
}
void post(sem_t& semaphore) {
  sem_init(&semaphore, 0, 0);
  sem_post(&semaphore);
}

/// The classic one: who was waited for notifies when it has released the mutex.
void notify_behind_the_mutex() {
  struct Done {
    std::condition_variable changed;
    std::mutex mutex;
    bool is_true = false;
  };
  const auto wait_for_thread = []() __attribute__((noinline)) {
    Deep<Done> local;
    Done& done = local.first;
    std::thread user([&done] {
      {
        const std::lock_guard guard(done.mutex);
        done.is_true = true;
      }
      done.changed.notify_one();
    });
    std::unique_lock guard(done.mutex);
    done.changed.wait(guard, [&] { return done.is_true; });
    return user;
  };
  std::thread user = wait_for_thread();
  user.join();
}

void return_while_another_thread_holds_the_mutex() {
  static sem_t is_held;
  const auto lend = []() __attribute__((noinline)) {
    Deep<std::mutex> local;
    std::thread holder([&local] {
      const std::lock_guard guard(local.first);
      sem_post(&is_held);
      sem_wait(&may_go);
    });
    sem_wait(&is_held);
    return holder;
  };
  sem_init(&may_go, 0, 0);
  sem_init(&is_held, 0, 0);
  std::thread holder = lend();
  sem_post(&may_go);
  holder.join();
}

[[gnu::noinline]] int* address_of_a_local() {
  Deep<int> local;
  int* volatile address = &local.first;
  return address;
}

void use_of_a_stack_whose_thread_has_ended() {
  static int* left;
  std::thread leaver([] {
    int local = 1;
    int* volatile address = &local;
    left = address;
  });
  leaver.join();
  check(*left == 1);
}

const Wrong kWrong[] = {
    {"WrittenPlainly", &use_after_return<int, write_int>, FailureKind::use_after_return,
        "thread 1 writes local variable @ of main, whose function has returned; main is at "
        "stack_memory_test.cpp:@ now"},
    {"ReadPlainly", &use_after_return<int, read_int>, FailureKind::use_after_return,
        "thread 1 reads local variable @ of main, whose function has returned; main is at "
        "stack_memory_test.cpp:@ now"},
    {"WrittenByAFunctionOfTheLibrary", &use_after_return<std::array<char, 16>, copy_text>,
        FailureKind::use_after_return,
        "thread 1 writes local variable @ of main, whose function has returned; main is at "
        "stack_memory_test.cpp:@ now"},
    {"StoredToAsAnAtomic", &use_after_return<std::atomic<int>, store>, FailureKind::use_after_return,
        "thread 1 atomically accesses local variable @ of main, whose function has returned; main is at "
        "stack_memory_test.cpp:@ now"},
    {"LockedAsAMutex", &use_after_return<std::mutex, lock>, FailureKind::use_after_return,
        "thread 1 uses local variable @ of main as a mutex, whose function has returned; main is at "
        "stack_memory_test.cpp:@ now"},
    {"WrittenBesideTheReturn", &use_beside_return<int, write_int>, FailureKind::data_race,
        "data race: main has returned from the function that owns local variable @ of main at "
        "stack_memory_test.cpp:@, not ordered after the write by thread 1 at stack_memory_test.cpp:@ (before "
        "the first step)\nmain holds no mutex; thread 1 held no mutex\nDo not let the function return before "
        "thread 1 has finished with local variable @ of main, or put what both use on the heap. While a "
        "program has data races, a pass promises nothing."},
    {"ReadBesideTheReturn", &use_beside_return<int, read_int>, FailureKind::data_race,
        "data race: main has returned from the function that owns local variable @ of main at "
        "stack_memory_test.cpp:@, not ordered after the read by thread 1 at stack_memory_test.cpp:@ (before "
        "the first step)\nmain holds no mutex; thread 1 held no mutex\nDo not let the function return before "
        "thread 1 has finished with local variable @ of main, or put what both use on the heap. While a "
        "program has data races, a pass promises nothing."},
    {"AboutToBeLocked", &use_beside_return<std::mutex, lock>, FailureKind::use_after_return,
        "main has returned from the function that owns mutex 1 at stack_memory_test.cpp:@ while thread 1 is "
        "about to perform mutex.lock on it at stack_memory_test.cpp:@"},
    {"AboutToBeNotified", &use_beside_return<std::condition_variable, notify>,
        FailureKind::use_after_destruction,
        "main destroys condition variable 1 at stack_memory_test.cpp:@ while thread 1 is about to perform "
        "condition.notify_one on it at stack_memory_test.cpp:@"},
    {"AboutToBePosted", &use_beside_return<sem_t, post>, FailureKind::use_after_return,
        "main has returned from the function that owns semaphore 1 at stack_memory_test.cpp:@ while thread 1 "
        "is about to perform semaphore.release on it at stack_memory_test.cpp:@"},
    {"HeldAsAMutex", &return_while_another_thread_holds_the_mutex, FailureKind::use_after_return,
        "main has returned from the function that owns mutex 1 while it is locked, by thread 1 at "
        "stack_memory_test.cpp:@"},
    {"UsedByItsOwnThread",
        [] {
          int* volatile address = address_of_a_local();
          *address = 1;
        },
        FailureKind::use_after_return, "main writes local variable @ of main, whose function has returned"},
    {"OfAThreadThatHasEnded", &use_of_a_stack_whose_thread_has_ended, FailureKind::use_after_return,
        "main reads local variable @ of thread 1, which lay on the stack of thread 1, which has ended"},
};

class ALocalVariableThatIsGone : public testing::TestWithParam<Wrong> {};

TEST_P(ALocalVariableThatIsGone, IsReported) {
  hocket::test::expect_to_fail(GetParam());
}

// Whichever order of those that make no difference a strategy takes.
TEST_P(ALocalVariableThatIsGone, IsReportedUnderEveryStrategy) {
  for (const char* const strategy : kStrategies) {
    const FoundFailure failure = failure_of(GetParam().body, with(strategy));
    EXPECT_EQ(to_string(failure.kind), to_string(GetParam().kind)) << strategy << ": " << failure.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Stacks, ALocalVariableThatIsGone, testing::ValuesIn(kWrong), hocket::test::RowName());

TEST(ANotificationBehindTheMutex, IsReportedUnderEveryStrategy) {
  for (const char* const strategy : kStrategies) {
    const Report report = hocket::explore(
        "unmodified", &notify_behind_the_mutex, exhaustively({.strategy = strategy, .keep_going = true}));
    EXPECT_EQ(report.verdict, Verdict::failed) << strategy << ": " << report;
    EXPECT_EQ(report.classes, 0U) << strategy << ": there is no right order\n" << report;
  }
}

// What a thread does on the stack of another one is not ordered by an atomic that is relaxed.
TEST(ALocalVariableThatIsGone, IsReportedWhereOnlyRelaxedOperationsTellOfItsLastUse) {
  expect_failure(FailureKind::data_race, 0, "main has returned from the function that owns atomic 1", [] {
    const auto lend = []() __attribute__((noinline)) {
      Deep<std::atomic<int>> local;
      std::thread user([&local] { local.first.store(1, std::memory_order_relaxed); });
      while (local.first.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
      return user;
    };
    std::thread user = lend();
    user.join();
  });
}

TEST(ALocalVariableThatIsGone, IsReportedWhereAnotherFunctionHasTakenItsPlace) {
  static int* lent;
  const auto lend = []() __attribute__((noinline)) {
    Deep<int> local;
    lent = &local.first;
    in_parallel([] { *lent = 1; });
  };
  const auto wait = []() __attribute__((noinline)) {
    std::array<char, 4096> others;
    sem_post(&may_go);
    char* volatile address = others.data();
    std::memset(address, 2, others.size());
    static sem_t never;
    sem_init(&never, 0, 0);
    const timespec soon = from_now(CLOCK_REALTIME, 1);
    sem_timedwait(&never, &soon);
  };
  expect_failure(FailureKind::data_race, 0, "data race: thread 2 writes local variable", [&] {
    sem_init(&may_go, 0, 0);
    lend();
    std::thread user([] {
      sem_wait(&may_go);
      *lent = 3;
    });
    wait();
    user.join();
  });
}

// Nothing can race any more, but the mutex is held for ever.
TEST(ALocalVariableThatIsGone, IsReportedWhereAThreadThatWasJoinedStillHoldsIt) {
  const auto lend = []() __attribute__((noinline)) {
    Deep<std::mutex> local;
    std::thread([&local] { local.first.lock(); }).join();
  };
  const FoundFailure failure = failure_of(
      [&] { lend(); }, exhaustively({.detect = Detectors().without(hocket::runtime::Detector::held_locks)}));
  EXPECT_EQ(to_string(failure.kind), "use after return") << failure.message;
  EXPECT_NE(failure.message.find("main has returned from the function that owns mutex 1 while it is locked"),
      std::string::npos)
      << failure.message;
}

TEST(ALocalVariableThatIsGone, IsReportedWherePlainAccessesAreSteps) {
  const FoundFailure failure = failure_of(&use_beside_return<int, write_int>,
      exhaustively({.strategy = "cb-por",
          .plain_steps = true,
          .detect = Detectors().without(hocket::runtime::Detector::races)}));
  EXPECT_EQ(to_string(failure.kind), "use after return") << failure.message;
}

// ---------------------------------------------------------------------------------------------------------------------
// Right

/// Runs `use(local)` in a thread, and returns when `wait` has.
template <class T, class Use, class Wait>
[[gnu::noinline]] std::thread lend_until(const Use& use, const Wait& wait) {
  Deep<T> local;
  std::thread user([&local, use] { use(local.first); });
  wait(local.first);
  return user;
}

template <int kDepth>
[[gnu::noinline]] int sum_in_threads(int n) {
  int below = 0;
  int mine = 0;
  std::thread other([&] { mine = n; });
  if constexpr (kDepth > 0) below = sum_in_threads<kDepth - 1>(n + 1);
  other.join();
  return below + mine;
}

/// With a stack of its own making, on which main runs while another thread uses what it has lent.
struct OwnStack {
  static inline ucontext_t main;
  static inline ucontext_t other;
  static inline sem_t is_used;
  static inline int* lent = nullptr;

  static void run() {
    int here = 0;
    int there = *lent;
    std::thread user([&] {
      here = 1;
      ++*lent;
      sem_post(&is_used);
    });
    sem_wait(&is_used);
    there += here;
    check(*lent == there);
    user.join();
    swapcontext(&other, &main);
  }
};

void use_a_stack_of_its_own_making() {
  static std::array<char, std::size_t{256} * 1024> stack;
  int local = 1;
  OwnStack::lent = &local;
  sem_init(&OwnStack::is_used, 0, 0);
  getcontext(&OwnStack::other);
  OwnStack::other.uc_stack.ss_sp = stack.data();
  OwnStack::other.uc_stack.ss_size = stack.size();
  makecontext(&OwnStack::other, &OwnStack::run, 0);
  swapcontext(&OwnStack::main, &OwnStack::other);
  check(local == 2);
}

[[gnu::noinline]] void throw_when_joined() {
  Deep<int> local;
  in_parallel([&] { local.first = 1; });
  throw std::runtime_error("joined");
}

std::jmp_buf far_up;
[[gnu::noinline]] void jump_when_joined() {
  Deep<int> local;
  in_parallel([&] { local.first = 1; });
  std::longjmp(far_up, 1);
}

[[gnu::noinline]] void lend_by_hocket_types() {
  Deep<int> local;
  hocket::mutex mutex;
  hocket::condition_variable changed;
  hocket::thread user([&] {
    const std::lock_guard guard(mutex);
    local.first = 1;
    changed.notify_one();
  });
  std::unique_lock guard(mutex);
  changed.wait(guard, [&] { return local.first == 1; });
  guard.unlock();
  user.join();
}

const Right kRight[] = {
    {"UntilTheThreadIsJoined",
        [] {
          const auto lend = []() __attribute__((noinline)) {
            Deep<int> local;
            in_parallel([&] { local.first = 1; });
            check(local.first == 1);
          };
          lend();
          lend();
        }},
    {"UntilAMutexIsReleased",
        [] {
          struct Done {
            std::mutex mutex;
            std::condition_variable changed;
            bool is_true = false;
          };
          std::thread user = lend_until<Done>(
              [](Done& done) {
                const std::lock_guard guard(done.mutex);
                done.is_true = true;
                done.changed.notify_one();
              },
              [](Done& done) {
                std::unique_lock guard(done.mutex);
                done.changed.wait(guard, [&] { return done.is_true; });
              });
          user.join();
        }},
    {"UntilAnAtomicIsSet",
        [] {
          std::thread user = lend_until<std::atomic<int>>([](std::atomic<int>& done) { done.store(1); },
              [](const std::atomic<int>& done) {
                while (done.load() == 0) std::this_thread::yield();
              });
          user.join();
        }},
    {"UntilASemaphoreIsReleased",
        [] {
          struct Done {
            std::binary_semaphore semaphore{0};
          };
          std::thread user = lend_until<Done>(
              [](Done& done) { done.semaphore.release(); }, [](Done& done) { done.semaphore.acquire(); });
          user.join();
        }},
    {"UntilALatchIsOpen",
        [] {
          struct Done {
            std::latch latch{1};
          };
          std::thread user = lend_until<Done>(
              [](Done& done) { done.latch.count_down(); }, [](Done& done) { done.latch.wait(); });
          user.join();
        }},
    {"UntilAFutureIsReady",
        [] {
          const auto lend = []() __attribute__((noinline)) {
            int local = 1;
            std::promise<int> promise;
            std::future<int> future = promise.get_future();
            std::thread user([](const int& lent, std::promise<int> mine) { mine.set_value(lent + 1); },
                std::cref(local), std::move(promise));
            check(future.get() == 2);
            return user;
          };
          lend().join();
        }},
    {"UntilItsCallbackIsDone",
        [] {
          std::stop_source source;
          const auto lend = [&]() __attribute__((noinline)) {
            std::atomic<bool> is_called{false};
            const std::stop_callback callback(source.get_token(), [&] { is_called = true; });
          };
          std::thread stopper([&] { source.request_stop(); });
          lend();
          stopper.join();
        }},
    {"InFunctionsThatCallEachOther", [] { check(sum_in_threads<2>(1) == 6); }},
    {"OfAThreadToItsOwn",
        [] {
          std::thread first([] {
            int local = 0;
            std::thread second([&] { local = 1; });
            second.join();
            check(local == 1);
          });
          first.join();
        }},
    {"WhoseFunctionLeavesByAnException",
        [] {
          for (int n = 0; n < 2; ++n) {
            try {
              throw_when_joined();
            } catch (const std::runtime_error&) {
            }
          }
        }},
    {"WhoseFunctionLeavesByAJump",
        [] {
          if (setjmp(far_up) == 0) jump_when_joined();
          Deep<int> other;
          in_parallel([&] { other.first = 1; });
        }},
    {"TakenByAlloca",
        [] {
          for (int n = 0; n < 2; ++n) {
            int* const room = static_cast<int*>(alloca(64 * sizeof(int)));
            in_parallel([&] { room[0] = 1; });
            check(room[0] == 1);
          }
        }},
    {"BesideAStackOfTheProgramsOwn", &use_a_stack_of_its_own_making},
    {"ByHocketsTypes",
        [] {
          std::mutex mutex;
          const std::lock_guard guard(mutex);
          lend_by_hocket_types();
          lend_by_hocket_types();
        }},
    {"ToACallOnce",
        [] {
          std::once_flag once;
          int done = 0;
          const auto make = [&] { std::call_once(once, [&] { ++done; }); };
          in_parallel(make, make);
          check(done == 1);
        }},
    {"ToAnAsynchronousCall",
        [] {
          const auto lend = []() __attribute__((noinline)) {
            Deep<int> local;
            std::async(std::launch::async, [&] { local.first = 1; }).get();
            check(local.first == 1);
          };
          lend();
          lend();
        }},
    {"WhichNobodyTouchesBeforeTheReturn",
        [] {
          const auto lend = []() __attribute__((noinline)) {
            Deep<int> local;
            return std::thread([&local] { static_cast<void>(&local); });
          };
          std::thread user = lend();
          user.join();
        }},
};

class ALocalVariableThatIsLent : public testing::TestWithParam<Right> {};

TEST_P(ALocalVariableThatIsLent, IsNoFailure) {
  explored(within(1), GetParam().body);
}

INSTANTIATE_TEST_SUITE_P(
    Stacks, ALocalVariableThatIsLent, testing::ValuesIn(kRight), hocket::test::RowName());

}  // namespace

}  // namespace unmodified
