// Bodies that are written for Hocket's types and for those of the standard library under control.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include <hocket/hocket.hpp>

#include "tests/support/bodies.hpp"

namespace hocket::test {

/// Three threads hold a mutex, one after another.
template <class Mutex, class Thread>
void hold_a_mutex_alone() {
  Mutex m;
  int inside = 0;
  const auto section = [&] {
    const std::lock_guard guard(m);
    check(++inside == 1);
    --inside;
  };
  in_parallel_as<Thread>(section, section, section);
}

/// Whether a mutex is got by `try_lock(mutex)`, which gives it back, while another thread holds it for a
/// while: 1 or 0.
template <class Mutex, class Thread, class Try>
unsigned try_beside_a_holder(const Try& try_lock) {
  Mutex m;
  bool is_locked = false;
  in_parallel_as<Thread>([&] { const std::lock_guard guard(m); }, [&] { is_locked = try_lock(m); });
  return is_locked ? 1U : 0U;
}

/// How many of two readers are in a section together, from which a writer keeps them out.
template <class SharedMutex, class Atomic, class Thread>
unsigned most_readers_beside_a_writer() {
  SharedMutex m;
  Atomic readers{0};
  Atomic most{0};
  bool is_written = false;
  const auto read = [&] {
    const std::shared_lock lock(m);
    const unsigned now = readers.fetch_add(1) + 1;
    if (now > most.load()) most.store(now);
    check(!is_written, "a reader beside a writer");
    readers.fetch_sub(1);
  };
  in_parallel_as<Thread>(read, read, [&] {
    const std::unique_lock lock(m);
    is_written = true;
    check(readers.load() == 0, "a writer beside a reader");
    is_written = false;
  });
  return most.load();
}

/// What a wait for a while may end with, beside one who sets what is waited for, and notifies, with the
/// mutex.
enum class WaitEnds : unsigned { not_begun, told = 2, late_before = 3, late_although_ready = 4 };

template <class Mutex, class Condition, class Thread>
WaitEnds wait_for_a_while() {
  Mutex m;
  Condition condition;
  bool ready = false;
  unsigned outcome = 0;
  Thread waiter([&] {
    std::unique_lock lock(m);
    if (ready) return;
    const bool gives_up = condition.wait_for(lock, std::chrono::milliseconds(1)) == std::cv_status::timeout;
    outcome = 1 + (gives_up ? 2 : 0) + (ready ? 1 : 0);
  });
  {
    const std::lock_guard lock(m);
    ready = true;
    condition.notify_one();
  }
  waiter.join();
  return static_cast<WaitEnds>(outcome);
}

/// Two threads hold a recursive mutex, take it again, and try to, and are alone until they have given it back
/// as often.
template <class RecursiveMutex, class Thread>
void hold_a_recursive_mutex_until_the_last_unlock() {
  RecursiveMutex m;
  int inside = 0;
  const auto twice = [&] {
    const std::lock_guard outer(m);
    ++inside;
    {
      const std::lock_guard inner(m);
      check(inside == 1);
    }
    check(m.try_lock());
    m.unlock();
    check(inside == 1);
    --inside;
  };
  in_parallel_as<Thread>(twice, twice);
}

/// Waits for ever for a semaphore that nobody has used, beside one of the same name that was used.
template <class Semaphore, class Thread>
void wait_for_a_semaphore_with_a_namesake() {
  Semaphore used{1};
  Semaphore untouched{0};
  name(used, "permits");
  name(untouched, "permits");
  Thread user([&] {
    used.acquire();
    used.release();
  });
  user.join();
  untouched.acquire();
}

}  // namespace hocket::test
