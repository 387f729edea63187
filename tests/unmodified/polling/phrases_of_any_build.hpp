// The phrases of phrases.hpp, to be included by one source for each way of compiling them. HOCKET_PHRASES is
// the name of their table.
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/unmodified/polling/phrases.hpp"

namespace unmodified::polling {

namespace {

/// A lock as the guards of the standard library take it.
struct Lockable {
  Lock& of;
  void lock() { of.lock(); }
  bool try_lock() { return of.try_lock(); }
  void unlock() { of.unlock(false); }
  void lock_shared() { of.lock_shared(); }
  bool try_lock_shared() { return of.try_lock_shared(); }
  void unlock_shared() { of.unlock(true); }
};

std::atomic<int>& atomic(Things& things, const Use& use) {
  return things.shared.atomics[use.object];
}
Lockable lock(Things& things, const Use& use) {
  return {things.shared.locks[use.object]};
}

int load(Things& things, const Use& use) {
  return atomic(things, use).load();
}
int load_both(Things& things, const Use& /*use*/) {
  const std::array<int, kAtomics> both = things.shared.load_both();
  return both[0] | both[1] << 8;
}
int store(Things& things, const Use& use) {
  atomic(things, use) = use.value;
  return 0;
}
int add(Things& things, const Use& use) {
  return atomic(things, use)++;
}
int write_under_lock(Things& things, const Use& use) {
  Lockable mutex = lock(things, use);
  const std::lock_guard guard(mutex);
  things.shared.data[use.object] = use.value;
  return 0;
}
int raise(Things& things, const Use& use) {
  if (use.object == 0) things.promise.set_value();
  if (use.object == 1) things.stop.request_stop();
  if (use.object == 2) things.owner.reset();
  return 0;
}

int poll(Things& things, const Use& use) {
  while (atomic(things, use) != use.value) {
  }
  return use.value;
}
int poll_and_yield(Things& things, const Use& use) {
  while (atomic(things, use).load(std::memory_order_acquire) != use.value) std::this_thread::yield();
  return use.value;
}

struct Gauge {
  const std::atomic<int>& level;
  int wanted;

  [[gnu::noinline]] int read() const { return level.load(); }
  [[gnu::noinline]] bool is_there(int factor) const {
    const int found = read() * factor;
    return found == wanted * factor;
  }
};
int poll_through_functions(Things& things, const Use& use) {
  const Gauge gauge{atomic(things, use), use.value};
  const std::function<bool(int)> is_there = [&](int factor) { return gauge.is_there(factor); };
  while (!is_there(3)) {
  }
  return use.value;
}
int poll_two(Things& things, const Use& use) {
  for (;;) {
    for (unsigned n = 0; n < kAtomics; ++n) {
      if (things.shared.atomics[(use.object + n) % kAtomics].load() == use.value) return use.value;
    }
  }
}
int poll_a_half(Things& things, const Use& use) {
  const auto* const half = reinterpret_cast<const int*>(&atomic(things, use));
  while (__atomic_load_n(half, __ATOMIC_SEQ_CST) != use.value) {
  }
  return use.value;
}
int poll_into_member(Things& things, const Use& use) {
  int& member = things.shared.members[use.thread];
  while (member != use.value) member = atomic(things, use);
  return 0;
}
int poll_by_exchange(Things& things, const Use& use) {
  int expected = 0;
  while (!atomic(things, use).compare_exchange_strong(expected, use.value)) expected = 0;
  return 1;
}
int poll_a_few_times(Things& things, const Use& use) {
  int found = 0;
  for (int n = 0; n < kMostCounted; ++n) {
    found = atomic(things, use);
    if (found == use.value) break;
  }
  return found;
}
int poll_under_lock(Things& things, const Use& use) {
  Lockable mutex = lock(things, use);
  for (;;) {
    const std::lock_guard guard(mutex);
    if (things.shared.data[use.object] == use.value) return use.value;
  }
}
int poll_under_shared_lock(Things& things, const Use& use) {
  Lockable mutex = lock(things, use);
  int found = 0;
  do {
    std::shared_lock guard(mutex);
    found = things.shared.data[use.object];
  } while (found != use.value);
  return found;
}
int poll_under_two_locks(Things& things, const Use& use) {
  Lockable inner = lock(things, use);
  Lockable outer{things.shared.locks[1 - use.object]};
  for (;;) {
    const std::lock_guard guard(outer);
    int found = 0;
    if (things.shared.locks[use.object].can_be_shared()) {
      const std::shared_lock nested(inner);
      found = things.shared.data[use.object];
    } else {
      const std::lock_guard nested(inner);
      found = things.shared.data[use.object];
    }
    if (found == use.value) return found;
  }
}
int poll_by_try(Things& things, const Use& use) {
  Lockable mutex = lock(things, use);
  std::unique_lock guard(mutex, std::defer_lock);
  while (!guard.try_lock()) {
  }
  things.shared.data[use.object] = use.value;
  return 1;
}
int poll_shared_then_try(Things& things, const Use& use) {
  Lockable mutex = lock(things, use);
  for (;;) {
    {
      const std::shared_lock guard(mutex);
      if (things.shared.data[use.object] == use.value) return use.value;
    }
    const std::unique_lock guard(mutex, std::try_to_lock);
    if (guard) things.shared.data[use.object] = use.value;
  }
}

[[gnu::noinline]] bool is_raised(const Things& things, std::uint8_t flag) {
  if (flag == 0) return things.future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (flag == 1) return things.token.stop_requested();
  return things.watched.expired();
}
int poll_flag(Things& things, const Use& use) {
  while (!is_raised(things, use.object)) {
  }
  return 1;
}
int poll_flag_and_yield(Things& things, const Use& use) {
  while (!is_raised(things, use.object)) std::this_thread::yield();
  return 1;
}

int poll_by_equal_exchange(Things& things, const Use& use) {
  for (int zero = 0; atomic(things, use).compare_exchange_strong(zero, 0);) {
  }
  return 0;
}
int poll_clock_rarely(Things& things, const Use& use) {
  int found = 0;
  do {
    for (int n = 0; n < kRarely; ++n) {
      found = atomic(things, use);
      if (found == use.value) return found;
    }
  } while (Clock::now() - things.shared.begin < kDeadlines[0]);
  return found;
}

std::atomic<int>& other_atomic(Things& things, const Use& use) {
  return things.shared.atomics[1 - use.object];
}
int retry_claim(Things& things, const Use& use) {
  for (;;) {
    atomic(things, use) = 1;
    if (other_atomic(things, use) == 0) break;
    atomic(things, use) = 0;
  }
  atomic(things, use) = 0;
  return 0;
}
int retry_blink(Things& things, const Use& use) {
  do {
    atomic(things, use) = 1;
    atomic(things, use) = 2;
  } while (other_atomic(things, use) == 0);
  return 0;
}
int retry_by_try(Things& things, const Use& use) {
  Lockable mutex = lock(things, use);
  for (;;) {
    atomic(things, use) = use.value;
    const std::unique_lock guard(mutex, std::try_to_lock);
    if (guard) return 1;
    atomic(things, use) = 0;
  }
}
int retry_under_lock(Things& things, const Use& use) {
  do {
    for (const int value : {1, 2}) {
      Lockable mutex = lock(things, use);
      const std::lock_guard guard(mutex);
      things.shared.data[use.object] = value;
    }
  } while (other_atomic(things, use) == 0);
  return 0;
}

}  // namespace

const std::array<Phrase, kPhrases> HOCKET_PHRASES{load, load_both, store, add, write_under_lock, raise, poll,
    poll_and_yield, poll_through_functions, poll_two, poll_a_half, poll_into_member, poll_by_exchange,
    poll_a_few_times, poll_under_lock, poll_under_shared_lock, poll_under_two_locks, poll_by_try,
    poll_shared_then_try, poll_flag, poll_flag_and_yield, poll_by_equal_exchange, poll_clock_rarely,
    retry_claim, retry_blink, retry_by_try, retry_under_lock};

}  // namespace unmodified::polling
