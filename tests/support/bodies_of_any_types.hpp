// Bodies that are written for Hocket's types and for those of the standard library under control.
#pragma once

#include <mutex>

#include <hocket/hocket.hpp>

#include "tests/support/bodies.hpp"

namespace hocket::test {

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
