// Random programs of tests/unmodified/polling/polling_program.hpp as bodies, on threads of the standard
// library, and what searches of them have to find.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <mutex>
#include <semaphore>
#include <set>
#include <shared_mutex>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <semaphore.h>

#include "tests/unmodified/polling/polling_brute_force.hpp"
#include "tests/unmodified/polling/polling_program.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::polling {

using Clock = std::chrono::steady_clock;

/// A lock of any kind.
class Lock {
 public:
  explicit Lock(LockKind kind) : kind_(kind) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { pthread_rwlock_destroy(&rwlock_); }

  void lock() {
    switch (kind_) {
      case LockKind::mutex:
        return mutex_.lock();
      case LockKind::recursive_mutex:
        return recursive_.lock();
      case LockKind::shared_mutex:
        return shared_.lock();
      case LockKind::rwlock:
        pthread_rwlock_wrlock(&rwlock_);
    }
  }
  bool try_lock() {
    switch (kind_) {
      case LockKind::mutex:
        return mutex_.try_lock();
      case LockKind::recursive_mutex:
        return recursive_.try_lock();
      case LockKind::shared_mutex:
        return shared_.try_lock();
      case LockKind::rwlock:
        break;
    }
    return pthread_rwlock_trywrlock(&rwlock_) == 0;
  }
  void lock_shared() {
    kind_ == LockKind::rwlock ? static_cast<void>(pthread_rwlock_rdlock(&rwlock_)) : shared_.lock_shared();
  }
  bool try_lock_shared() {
    return kind_ == LockKind::rwlock ? pthread_rwlock_tryrdlock(&rwlock_) == 0 : shared_.try_lock_shared();
  }
  void unlock(bool is_shared) {
    switch (kind_) {
      case LockKind::mutex:
        return mutex_.unlock();
      case LockKind::recursive_mutex:
        return recursive_.unlock();
      case LockKind::shared_mutex:
        return is_shared ? shared_.unlock_shared() : shared_.unlock();
      case LockKind::rwlock:
        pthread_rwlock_unlock(&rwlock_);
    }
  }
  [[nodiscard]] bool can_be_shared() const { return polling::can_be_shared(kind_); }
  std::mutex& mutex() { return mutex_; }

 private:
  LockKind kind_;
  std::mutex mutex_;
  std::recursive_mutex recursive_;
  std::shared_mutex shared_;
  pthread_rwlock_t rwlock_ = PTHREAD_RWLOCK_INITIALIZER;
};

/// Both atomics of a program, as the word that they are in.
using BothAtomics [[gnu::may_alias]] = std::uint64_t;

class Shared {
 public:
  explicit Shared(const Polling& program)
      : locks{Lock(program.locks[0]), Lock(program.locks[1])},
        latch(program.latch),
        standard_barrier(program.barriers[0]),
        standard_semaphore(program.semaphores[1]) {
    pthread_barrier_init(&posix_barrier, nullptr, program.barriers[1]);
    sem_init(&posix_semaphore, 0, program.semaphores[0]);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { pthread_barrier_destroy(&posix_barrier); }

  void arrive_and_wait(unsigned barrier) {
    if (barrier == 0) {
      standard_barrier.arrive_and_wait();
    } else {
      pthread_barrier_wait(&posix_barrier);
    }
  }

  void acquire(unsigned semaphore) {
    semaphore == 0 ? static_cast<void>(sem_wait(&posix_semaphore)) : standard_semaphore.acquire();
  }
  bool try_acquire(unsigned semaphore) {
    return semaphore == 0 ? sem_trywait(&posix_semaphore) == 0 : standard_semaphore.try_acquire();
  }
  void release(unsigned semaphore) {
    semaphore == 0 ? static_cast<void>(sem_post(&posix_semaphore)) : standard_semaphore.release();
  }

  std::array<int, kAtomics> load_both() {
    return std::bit_cast<std::array<int, kAtomics>>(
        __atomic_load_n(reinterpret_cast<BothAtomics*>(&atomics), __ATOMIC_SEQ_CST));
  }
  void store_both(const std::array<int, kAtomics>& values) {
    __atomic_store_n(
        reinterpret_cast<BothAtomics*>(&atomics), std::bit_cast<std::uint64_t>(values), __ATOMIC_SEQ_CST);
  }

  const Clock::time_point begin = Clock::now();
  alignas(BothAtomics) std::array<std::atomic<int>, kAtomics> atomics{};
  std::array<int, kThreads> members{};
  std::array<Lock, kMutexes> locks;
  std::array<int, kMutexes> data{};
  std::latch latch;
  std::barrier<> standard_barrier;
  pthread_barrier_t posix_barrier;
  sem_t posix_semaphore;
  std::counting_semaphore<> standard_semaphore;
};

enum class Hold : std::uint8_t { none, shared, alone };

inline std::array<std::uint8_t, kRegisters> run(
    const std::vector<Command>& code, Shared& shared, int& member) {
  std::array<int, kRegisters> registers{};
  std::array<Hold, kMutexes> holds{};
  int counter = 0;
  for (std::size_t at = 0; at < code.size();) {
    const Command& c = code[at];
    int& r = c.where == kMember ? member : registers[c.where];
    bool jumps = false;
    switch (c.what) {
      case Do::load:
        r = shared.atomics[c.object].load();
        break;
      case Do::store:
        shared.atomics[c.object].store(c.value);
        break;
      case Do::add:
        r = shared.atomics[c.object].fetch_add(c.value);
        break;
      case Do::exchange:
        r = shared.atomics[c.object].exchange(c.value);
        break;
      case Do::compare_exchange: {
        int expected = c.expected;
        r = shared.atomics[c.object].compare_exchange_strong(expected, c.value) ? 1 : 0;
        break;
      }
      case Do::lock:
        if (holds[c.object] != Hold::none) break;
        shared.locks[c.object].lock();
        holds[c.object] = Hold::alone;
        break;
      case Do::try_lock:
        if (holds[c.object] == Hold::none && shared.locks[c.object].try_lock()) holds[c.object] = Hold::alone;
        r = holds[c.object] != Hold::none ? 1 : 0;
        break;
      case Do::lock_shared:
        if (holds[c.object] != Hold::none) break;
        shared.locks[c.object].lock_shared();
        holds[c.object] = Hold::shared;
        break;
      case Do::try_lock_shared:
        if (holds[c.object] == Hold::none && shared.locks[c.object].try_lock_shared())
          holds[c.object] = Hold::shared;
        r = holds[c.object] != Hold::none ? 1 : 0;
        break;
      case Do::unlock:
        if (holds[c.object] != Hold::none) shared.locks[c.object].unlock(holds[c.object] == Hold::shared);
        holds[c.object] = Hold::none;
        break;
      case Do::load_both:
        registers = shared.load_both();
        break;
      case Do::store_both:
        shared.store_both({c.value, c.expected});
        break;
      case Do::yield:
        std::this_thread::yield();
        break;
      case Do::look_at_clock:
        r = Clock::now() - shared.begin >= kDeadlines[c.value] ? 1 : 0;
        break;
      case Do::wait:
        shared.atomics[c.object].wait(c.value);
        break;
      case Do::notify_one:
        shared.atomics[c.object].notify_one();
        break;
      case Do::notify_all:
        shared.atomics[c.object].notify_all();
        break;
      case Do::count_down:
        shared.latch.count_down();
        break;
      case Do::wait_for_latch:
        shared.latch.wait();
        break;
      case Do::try_latch:
        r = shared.latch.try_wait() ? 1 : 0;
        break;
      case Do::arrive_and_wait:
        shared.arrive_and_wait(c.object);
        break;
      case Do::acquire:
        shared.acquire(c.object);
        break;
      case Do::try_acquire:
        r = shared.try_acquire(c.object) ? 1 : 0;
        break;
      case Do::release:
        shared.release(c.object);
        break;
      case Do::destroy:
        sem_destroy(&shared.posix_semaphore);
        break;
      case Do::raise:
      case Do::look_at_flag:
        break;  // of programs of phrases only
      case Do::read:
        if (holds[c.object] != Hold::none) r = shared.data[c.object];
        break;
      case Do::write:
        if (holds[c.object] == Hold::alone) shared.data[c.object] = c.value;
        break;
      case Do::lock_both:
        std::lock(shared.locks[c.object].mutex(), shared.locks[1 - c.object].mutex());
        holds = {Hold::alone, Hold::alone};
        jumps = true;
        break;
      case Do::count:
        if (counter < kMostCounted) ++counter;
        break;
      case Do::clear:
        registers = {};
        break;
      case Do::jump:
        jumps = true;
        break;
      case Do::jump_if:
        jumps = r == c.expected;
        break;
      case Do::jump_unless:
        jumps = r != c.expected;
        break;
      case Do::jump_if_counted:
        jumps = counter >= c.expected;
        break;
    }
    at = jumps ? c.target : at + 1;
  }
  std::array<std::uint8_t, kRegisters> result{};
  for (unsigned n = 0; n < kRegisters; ++n) result[n] = static_cast<std::uint8_t>(registers[n]);
  return result;
}

/// Adds what is left in what the threads share.
inline void finish(Shared& shared, Outcome& outcome) {
  for (unsigned n = 0; n < kAtomics; ++n) outcome[n] = static_cast<std::uint8_t>(shared.atomics[n].load());
  for (unsigned n = 0; n < kMutexes; ++n) outcome[kAtomics + n] = static_cast<std::uint8_t>(shared.data[n]);
}

inline Outcome run(const Polling& program) {
  Shared shared(program);
  Outcome outcome{};
  std::array<std::thread, kThreads> threads;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    threads[t] = std::thread([&, t] {
      const std::array<std::uint8_t, kRegisters> registers =
          run(program.threads[t], shared, shared.members[t]);
      std::copy(registers.begin(), registers.end(), outcome.begin() + kAtomics + kMutexes + t * kRegisters);
    });
  }
  for (std::size_t t = 0; t < program.threads.size(); ++t) threads[t].join();
  finish(shared, outcome);
  return outcome;
}

struct Search {
  const char* strategy;
  unsigned bound;
};
inline constexpr Search kSearches[] = {{"icb", 0}, {"icb", 1}, {"icb", 2}, {"cb-por", 0}, {"cb-por", 1},
    {"cb-por", 2}, {"icb-por", 1}, {"icb-por", 2}, {"hb-cache", 1}, {"cb-por-basic", 2},
    {"cb-por", hocket::unbounded}, {"dfs-sleep", hocket::unbounded}, {"dpor", hocket::unbounded},
    {"dfs", hocket::unbounded}, {"icb", hocket::unbounded}, {"hb-cache", hocket::unbounded},
    {"icb-por", hocket::unbounded}};

/// Those of programs with loops that retry. Reductions give up where a loop starves others.
inline constexpr Search kSearchesOfRetries[] = {{"icb", 0}, {"icb", 1}, {"icb", 2}, {"auto", 1}, {"auto", 2},
    {"hb-cache", 1}, {"icb-por", 1}, {"cb-por", 1}, {"dpor", hocket::unbounded}, {"dfs", hocket::unbounded},
    {"mix", hocket::unbounded}, {"random", hocket::unbounded}, {"pct", hocket::unbounded},
    {"pos", hocket::unbounded}, {"urw", hocket::unbounded}, {"sticky", hocket::unbounded}};

/// Whether the execution that failed was still running at the limit of steps, perhaps in a cycle of all
/// threads. A thread that polls for ever while nobody else can go on is found long before.
inline bool goes_on_to_the_limit(const hocket::FoundFailure& failure) {
  return failure.kind == hocket::FailureKind::step_limit ||
         (failure.kind == hocket::FailureKind::livelock &&
             failure.message.find(" until the limit of ") != std::string::npos);
}

/// What is wrong with what the search has found, if anything.
/// `outcomes` are those that it has seen; `is_complete` says whether it has come to its end.
inline std::string contradiction(const Search& search, const hocket::Report& report,
    const std::set<std::uint64_t>& outcomes, const Polling& program, const Answer& answer, bool is_complete) {
  // Where nobody else can go on, time passes here before a silent round, there before any look at the clock.
  const unsigned slack = program.has(Do::look_at_clock) ? 1 : 0;
  // What would forbid a failure is tried with more preemptions.
  const bool keeps_to_bound = search.bound != hocket::unbounded && report.failures.empty();
  for (const std::uint64_t outcome : outcomes) {
    const auto least = answer.least.find(outcome);
    if (least == answer.least.end()) return "an outcome that the brute force has not";
    if (keeps_to_bound && least->second > search.bound + slack)
      return "an outcome that costs " + std::to_string(least->second);
  }
  // Atomics inside of the library may overlap, too.
  const bool says_that_atomics_overlap = report.note.rfind("atomics of several sizes", 0) == 0;
  // A loop may come by the clock many times while others keep it from being a wait. What is found is compared
  // all the same.
  const bool says_that_time_passed = report.note.rfind("a loop that looks at the clock", 0) == 0;
  if (!report.note.empty() && !says_that_atomics_overlap && !says_that_time_passed &&
      !program.has(Do::lock_both) && !program.retries)
    return "an unexpected note";
  bool is_stuck = false;
  bool is_misused = false;
  for (const hocket::FoundFailure& failure : report.failures) {
    if (goes_on_to_the_limit(failure) && !program.retries) {
      // Without a bound a thread may be preempted in its section again and again, so that the tries of
      // another one fail for ever; and if that one holds another lock meanwhile, so may the looks at the
      // clock, whose rounds are no silent ones then. That execution has no end, although no thread waits. It
      // has a preemption in every round, and no round has a hundred steps, of the 2 000 until the limit.
      constexpr unsigned kAgainAndAgain = 20;
      if (failure.bound < kAgainAndAgain) return "a wait that was not found to be one";
      continue;
    }
    const bool is_misuse = failure.kind == hocket::FailureKind::use_after_destruction ||
                           failure.kind == hocket::FailureKind::misuse;
    (is_misuse ? is_misused : is_stuck) = true;
  }
  if (is_misused && !answer.misuse) return "a use of a destroyed semaphore that the brute force has not";
  if (is_misused && *answer.misuse > search.bound) return "a use of a destroyed semaphore below its price";
  if (is_stuck && !answer.may_get_stuck) return "it seems to get stuck";
  if (!is_complete) return {};
  if (!is_misused && answer.misuse && *answer.misuse <= search.bound)
    return "a use of a destroyed semaphore is missing";
  std::size_t missing = 0;
  for (const auto& [outcome, price] : answer.outcomes)
    missing += price + slack <= search.bound && !outcomes.contains(outcome) ? 1 : 0;
  if (missing != 0) {
    return std::to_string(missing) + " of " + std::to_string(answer.outcomes.size()) +
           " outcomes are missing";
  }
  if (answer.may_get_stuck && answer.stuck + slack <= search.bound && !is_stuck)
    return "it gets stuck, which is not seen";
  return {};
}

struct Compared {
  unsigned searches = 0;
  unsigned complete = 0;      ///< those that have come to their ends
  std::string contradiction;  ///< between one of the searches and the brute force; empty: there is none
};

/// Has all searches explore the program, up to the first that contradicts the brute force's answer. `run`
/// runs it once and returns a hash of the outcome.
template <class Run>
Compared compare(const Polling& program, const Answer& answer, Run&& run) {
  Compared result;
  const std::span<const Search> searches =
      program.retries ? std::span<const Search>(kSearchesOfRetries) : kSearches;
  for (const Search& search : searches) {
    hocket::Options options = with(search.strategy, search.bound);
    options.keep_going =
        !program.retries || !answer.may_get_stuck;  // each execution that fails runs to the limit
    options.max_executions = program.retries && search.bound == hocket::unbounded ? 100 : 1'000;
    options.max_steps = program.retries ? 500 : 2'000;  // what takes longer goes on for ever
    Collected found;
    const hocket::Report report = hocket::explore(
        "polling", [&] { found.add(run()); }, options);
    // A search that has found many failures is stopped, too.
    const bool is_complete = report.stopped_by.empty() && report.verdict != hocket::Verdict::passed_sample &&
                             (options.keep_going || report.failures.empty());
    ++result.searches;
    result.complete += is_complete ? 1 : 0;
    const std::string wrong = contradiction(search, report, found.all(), program, answer, is_complete);
    if (wrong.empty()) continue;
    std::ostringstream text;
    text << wrong << ": " << search.strategy << ", bound " << search.bound << '\n'
         << program.text() << report;
    if (!report.note.empty()) text << report.note << '\n';
    if (!report.failures.empty()) text << report.failures.front().message << '\n';
    result.contradiction = text.str();
    break;
  }
  return result;
}
inline Compared compare(const Polling& program, const Answer& answer) {
  return compare(program, answer, [&] { return hash(run(program)); });
}

}  // namespace unmodified::polling
