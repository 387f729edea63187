#include "ticker.hpp"

#include "system_call.hpp"

#ifdef HOCKET_HAS_SYSTEM_CALLS

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <new>

#include <asm/prctl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os_thread.hpp"

namespace hocket::runtime::platform {

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t kStack = std::size_t{64} * 1024;
constexpr std::size_t kThreadData = 4096;

/// The thread exists from the first state on until it has changed the second into the third.
enum class State : std::uint32_t { ticks, is_to_end, ends };

/// It lies in memory of its own, which a child process has a copy of, together with the thread's stack.
struct Shared {
  std::atomic<State> state = State::ends;
  std::atomic<std::uint32_t> thread = 0;  ///< the system clears it when the thread has ended, and wakes
  std::atomic<std::uint64_t> turn = 0;
  std::atomic<std::int64_t> period = 0;
  std::atomic<bool> waits_long = false;  ///< the thread does not look at the state for longer than kSlice
  std::atomic<void (*)(std::uint64_t)> tick = nullptr;
  pid_t process = 0;
  std::uintptr_t begun_by = 0;  ///< the thread control block

  /// In place of a thread control block. Compilers read from it when they look for overrun stacks.
  alignas(64) std::array<std::uintptr_t, kThreadData / sizeof(std::uintptr_t)> thread_data{};
};
static_assert(sizeof(State) == sizeof(std::uint32_t) && decltype(Shared::state)::is_always_lock_free);

constinit Shared* shared = nullptr;

timespec timespec_of(std::int64_t time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

bool make_shared_memory() {
  if (shared != nullptr) return true;
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kSize = (sizeof(Shared) + kStack + kPage - 1) / kPage * kPage;
  void* const memory =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  shared = ::new (memory) Shared;
  return true;
}

/// How long the thread sleeps at once in the first period of a turn. To wake it takes longer than a short
/// search, so such a one leaves it asleep, and the next one finds it there.
constexpr std::int64_t kSlice = 20'000'000;

/// Lets the thread sleep for `time`, unless somebody wakes it. Returns whether nobody has.
bool sleep_undisturbed(Shared& s, std::int64_t time) {
  const timespec how_long = timespec_of(time);
  s.waits_long = time > kSlice;
  return system_call(SYS_futex, as_argument(&s.state), FUTEX_WAIT_PRIVATE, static_cast<long>(State::ticks),
             as_argument(&how_long)) == -ETIMEDOUT;
}

/// What the thread does.
int run(void* /*nothing*/) {
  Shared& s = *shared;
  std::uint64_t turn = 0;
  std::int64_t slept = 0;  ///< of the period
  for (bool is_first_period = true;;) {
    if (s.turn != turn) {
      turn = s.turn;
      slept = 0;
      is_first_period = true;
    }
    const std::int64_t left = std::max<std::int64_t>(s.period - slept, 0);  // it may have become shorter
    const std::int64_t time = is_first_period ? std::min(left, kSlice) : left;
    const bool is_undisturbed = sleep_undisturbed(s, time);
    State state = State::is_to_end;
    if (s.state.compare_exchange_strong(state, State::ends)) return 0;
    slept = is_undisturbed ? slept + time : 0;
    if (slept < s.period || s.turn != turn) continue;
    s.tick.load()(turn);
    slept = 0;
    is_first_period = false;
  }
}

void await_end_of_thread(Shared& s) {
  while (const std::uint32_t last = s.thread)
    system_call(SYS_futex, as_argument(&s.thread), FUTEX_WAIT, last, as_argument<timespec>(nullptr));
}

/// Starts the thread. The last one has ended, or is about to.
bool start_thread(Shared& s) {
  await_end_of_thread(s);
  s.thread_data[0] = s.thread_data[2] = reinterpret_cast<std::uintptr_t>(s.thread_data.data());
  s.state = State::ticks;
  const std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&all), as_argument(&before), sizeof all);
  constexpr int kFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                         CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  std::byte* const top = reinterpret_cast<std::byte*>(&s + 1) + kStack;
  const int id = clone(&run, top, kFlags, nullptr, &s.thread, s.thread_data.data(), &s.thread);
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&before), 0, sizeof before);
  if (id < 0) s.state = State::ends;
  return id >= 0;
}

}  // namespace

bool Ticker::begin(nanoseconds period, void (*tick)(std::uint64_t turn)) {
  if (!make_shared_memory()) return false;
  Shared& s = *shared;
  if (const pid_t process = getpid(); s.process != process) {
    s.process = process;
    s.state = State::ends;
    s.thread = 0;
  }
  s.begun_by = os_thread_id();
  s.period = period.count();
  s.tick = tick;
  ++s.turn;
  // The thread of the last search may not have come to its end yet. To wait for that would take long on a
  // busy machine.
  State state = State::is_to_end;
  return s.state.compare_exchange_strong(state, State::ticks) || start_thread(s);
}

void Ticker::end() {
  Shared& s = *shared;
  s.state = State::is_to_end;
  if (s.waits_long) system_call(SYS_futex, as_argument(&s.state), FUTEX_WAKE_PRIVATE, 1);
}

void Ticker::leave() {
  if (threads() == 0 || shared->state == State::ticks) return;
  system_call(SYS_futex, as_argument(&shared->state), FUTEX_WAKE_PRIVATE, 1);
  await_end_of_thread(*shared);
}

void Ticker::hasten(nanoseconds period) {
  if (shared == nullptr || shared->process != getpid()) return;
  if (shared->period > period.count()) shared->period = period.count();
  system_call(SYS_futex, as_argument(&shared->state), FUTEX_WAKE_PRIVATE, 1);
}

namespace {

nanoseconds time_of(long clock) {
  timespec time{};
  if (system_call(SYS_clock_gettime, clock, as_argument(&time)) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

}  // namespace

nanoseconds Ticker::now() {
  return time_of(CLOCK_MONOTONIC);
}

nanoseconds Ticker::used_time(int thread) {
  return time_of(~static_cast<long>(thread) * 8 + 6);  // the number by which the system calls its clock
}

unsigned Ticker::threads() {
  return shared != nullptr && shared->process == getpid() && shared->thread != 0 ? 1 : 0;
}

void Ticker::sleep(nanoseconds time) {
  const timespec how_long = timespec_of(time.count());
  system_call(SYS_nanosleep, as_argument(&how_long));
}

void Ticker::borrow_thread_local_data() {
  system_call(SYS_arch_prctl, ARCH_SET_FS, static_cast<long>(shared->begun_by));
}

}  // namespace hocket::runtime::platform

#else

namespace hocket::runtime::platform {

bool Ticker::begin(std::chrono::nanoseconds, void (*)(std::uint64_t)) {
  return false;
}
void Ticker::end() {}
void Ticker::leave() {}
void Ticker::hasten(std::chrono::nanoseconds) {}
std::chrono::nanoseconds Ticker::now() {
  return {};
}
std::chrono::nanoseconds Ticker::used_time(int) {
  return {};
}
unsigned Ticker::threads() {
  return 0;
}
void Ticker::sleep(std::chrono::nanoseconds) {}
void Ticker::borrow_thread_local_data() {}

}  // namespace hocket::runtime::platform

#endif
