// What a test body says to Hocket: check, assume, choose, name, no_preemption.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/where.hpp"
#include "thread.hpp"

namespace hocket {

/// Fails the execution with `message` when `condition` is false, and ends it there. Outside any body a failed
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
  runtime::execution.fail(runtime::FailureKind::check, std::string(message), where);
}

/// Drops the execution when `condition` is false: it does not count and nothing that it would do later is
/// explored. Outside any body nothing happens.
inline void assume(bool condition) {
  if (condition || !runtime::is_controlled()) return;
  runtime::execution.drop();
}

/// A value from 0 to `count` - 1; the search tries each. `count` is at most 4096. Outside any body: 0.
inline std::uint32_t choose(std::uint32_t count, runtime::Where where = runtime::Where::current()) {
  return runtime::is_controlled() ? runtime::execution.choose(count, where) : 0;
}

/// The name under which schedules and reports show `object`, a hocket:: object.
template <class Face>
requires requires(const Face& face) {
  face.hocket_object();
}
void name(const Face& object, std::string_view name) {
  runtime::execution.name(object.hocket_object(), name);
}
/// As well of an object of another type, in code that is instrumented: see docs/unmodified.md.
template <class Object>
void name(const Object& object, std::string_view name) {
  runtime::execution.name_memory(std::addressof(object), name);
}
inline void name(const thread& thread, std::string_view name) {
  if (thread.hocket_thread() != nullptr) runtime::execution.name(*thread.hocket_thread(), name);
}
/// Names the calling thread.
inline void name_this_thread(std::string_view name) {
  if (runtime::is_controlled()) runtime::execution.name(*runtime::execution.current, name);
}

/// Blocks until `predicate()` holds. It is evaluated again whenever another thread has changed something that
/// it looked at, so that waiting costs no rounds of spinning. Its operations are steps as anywhere else. It
/// may lock, but how often it is evaluated is not said, so it should change nothing that others look at. It
/// must look at hocket:: objects: nothing tells of other changes; no time passes for it, so sleep to wait for
/// a time. Outside any body it is a loop with a yield.
template <class Predicate>
requires std::predicate<Predicate&>
void await(Predicate predicate, runtime::Where where = runtime::Where::current()) {
  if (!runtime::is_controlled()) {
    while (!predicate()) std::this_thread::yield();
    return;
  }
  struct Await {
    Await() { runtime::execution.begin_await(); }
    ~Await() { runtime::execution.end_await(); }
    Await(const Await&) = delete;
    Await& operator=(const Await&) = delete;
  } await;
  while (!predicate() && runtime::execution.await_change(where)) {
  }
}

/// While one lives, its thread is switched away from only where it blocks.
class no_preemption {
 public:
  no_preemption() {
    if (runtime::is_controlled()) runtime::execution.forbid_preemption();
  }
  ~no_preemption() {
    if (runtime::is_controlled()) runtime::execution.allow_preemption();
  }
  no_preemption(const no_preemption&) = delete;
  no_preemption& operator=(const no_preemption&) = delete;
};

}  // namespace hocket
