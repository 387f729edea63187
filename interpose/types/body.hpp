// The functions that a test body calls: check, assume, choose, name, await, no_preemption,
// atomic_block.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "../../runtime/execution/atomic_blocks.hpp"
#include "../../runtime/execution/recording.hpp"
#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"
#include "thread.hpp"

namespace hocket {

/// If `condition` is false, the execution fails with `message` and ends there. Outside any body a failed
/// check prints the message and aborts.
inline void check(bool condition, std::string_view message = "check failed",
    runtime::Where where = runtime::Where::current()) {
  if (condition) [[likely]]
    return;
  if (!runtime::is_controlled()) {
    std::fprintf(stderr, "hocket: check failed outside a body, at %s:%u: %.*s\n", where.file_name(),
        where.line(), static_cast<int>(message.size()), message.data());
    std::abort();
  }
  runtime::step::fail(runtime::FailureKind::check, std::string(message), where);
}

/// If `condition` is false, drops the execution: it is not counted, and what could follow it is not explored.
/// Does nothing outside any body.
inline void assume(bool condition) {
  if (condition || !runtime::is_controlled()) return;
  runtime::step::drop();
}

/// Returns a value from 0 to `count` - 1; the search tries each of them. `count` is at most 4096. Outside any
/// body the function returns 0.
inline std::uint32_t choose(std::uint32_t count, runtime::Where where = runtime::Where::current()) {
  return runtime::is_controlled() ? runtime::step::choose(count, where) : 0;
}

/// Sets the name under which schedules and reports show `object`, a hocket:: object.
template <class Named>
requires requires(const Named& object) {
  object.hocket_object();
}
void name(const Named& object, std::string_view name) {
  runtime::recording::name(object.hocket_object(), name);
}
/// In instrumented code, does the same for an object of any other type: see docs/unmodified.md.
template <class Object>
void name(const Object& object, std::string_view name) {
  runtime::recording::name_memory(std::addressof(object), name);
}
inline void name(const thread& thread, std::string_view name) {
  if (thread.hocket_thread() != nullptr) runtime::recording::name(*thread.hocket_thread(), name);
}
/// Names the calling thread.
inline void name_this_thread(std::string_view name) {
  if (runtime::is_controlled()) runtime::recording::name(*runtime::run.current, name);
}

/// Blocks until `predicate()` returns true. The predicate is evaluated again whenever another thread has
/// changed an object that it read, so waiting does not cost rounds of spinning. The operations of the
/// predicate are steps like any other. It may lock mutexes. It may be evaluated any number of times, so it
/// should not change anything that other threads read. It must read hocket:: objects, because changes of
/// other data are not noticed. Waiting does not let time pass; to wait for a time, sleep. Outside any body
/// the function is a loop that yields.
template <class Predicate>
requires std::predicate<Predicate&>
void await(Predicate predicate, runtime::Where where = runtime::Where::current()) {
  if (!runtime::is_controlled()) {
    while (!predicate()) std::this_thread::yield();
    return;
  }
  struct Await {
    Await() { runtime::step::begin_await(); }
    ~Await() { runtime::step::end_await(); }
    Await(const Await&) = delete;
    Await& operator=(const Await&) = delete;
  } await;
  while (!predicate() && runtime::step::await_change(where)) {
  }
}

/// While an object of this class exists, the scheduler switches away from its thread only where the thread
/// blocks.
class no_preemption {
 public:
  no_preemption() {
    if (runtime::is_controlled()) runtime::step::forbid_preemption();
  }
  ~no_preemption() {
    if (runtime::is_controlled()) runtime::step::allow_preemption();
  }
  no_preemption(const no_preemption&) = delete;
  no_preemption& operator=(const no_preemption&) = delete;
};

/// Marks the code for which an object of this class exists as a block that is to be atomic: an execution
/// fails if no order of whole blocks, and of the operations outside of them, orders conflicting operations in
/// the same way. Operations conflict if they are on one object, a lock included, and one of them changes it.
/// Blocks within a block are parts of it.
class atomic_block {
 public:
  explicit atomic_block(runtime::Where where = runtime::Where::current()) {
    if (runtime::is_controlled()) runtime::atomic_blocks::enter(where);
  }
  ~atomic_block() {
    if (runtime::is_controlled()) runtime::atomic_blocks::leave();
  }
  atomic_block(const atomic_block&) = delete;
  atomic_block& operator=(const atomic_block&) = delete;
};

}  // namespace hocket
