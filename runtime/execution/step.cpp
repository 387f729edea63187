// What each function hands on to the part of Execution that does it.
#include "step.hpp"

#include <cassert>
#include <utility>

#include "../weak_memory/atomic_request.hpp"
#include "execution.hpp"

namespace hocket::runtime::step {

constinit NotedOrders noted_orders;

void construct(Object& object, Where where) {
  execution.objects.construct(object, where);
}
bool first_touch(Object& object, Operation operation, Where where) {
  assert(is_on_body() && object.life != run.life);
  return execution.objects.first_touch(object, operation, where);
}

bool arrive_timed(Object& object, Operation operation, std::int64_t nanoseconds, Where where) {
  assert(is_on_body());
  return execution.blocking.arrive_timed(object, operation, nanoseconds, where);
}
void refresh_special(const ThreadSet& waiting) {
  execution.enabled_threads.refresh_special(waiting);
}

void act_alone(Operation operation, std::uint64_t outcome) {
  Actions::act_alone(operation, outcome);
}
void note_order_newly(const Object* object, std::uint64_t asked, Where where, std::uint64_t key) {
  assert(is_on_body());
  execution.actions.note_order(object, asked, where, key);
}
void fence(std::memory_order order, Where where) {
  execution.actions.fence(order, where);
}

std::uint32_t choose(std::uint32_t count, Where where) {
  assert(is_on_body());
  return execution.scheduling.choose(count, where);
}
bool fails_spuriously(Where where) {
  assert(is_on_body());
  return execution.scheduling.fails_spuriously(where);
}
void forbid_preemption() {
  assert(is_on_body());
  execution.scheduling.forbid_preemption();
}
void allow_preemption() {
  assert(is_on_body());
  execution.scheduling.allow_preemption();
}

Store* choose_store(AtomicRequest& request) {
  assert(is_on_body() && run.keeps_stores && (request.reads || request.writes));
  return execution.stores.choose_store(request);
}
bool fails_at_chosen_store(Where where) {
  assert(is_on_body());
  return execution.stores.fails_at_chosen_store(where);
}
bool act_on_store(const AtomicRequest& request, Store& chosen, bool writes, const void* desired) {
  assert(is_on_body() && run.keeps_stores && (!writes || desired != nullptr));
  return execution.stores.act_on_store(request, chosen, writes, desired);
}

bool condition_wait(ConditionVariable& condition, Mutex* mutex, std::int64_t nanoseconds, bool& expired,
    const std::function<void()>* unlock, Where where) {
  assert(is_on_body());
  return execution.blocking.condition_wait(condition, mutex, nanoseconds, expired, unlock, where);
}
void condition_notify(ConditionVariable& condition, bool all, Where where) {
  assert(is_on_body());
  execution.blocking.condition_notify(condition, all, where);
}
bool atomic_wait(Object& cell, bool (*is_unchanged)(const void*), const void* context,
    std::memory_order order, std::int64_t nanoseconds, bool& expired, Where where) {
  assert(is_on_body());
  return execution.blocking.atomic_wait(cell, is_unchanged, context, order, nanoseconds, expired, where);
}
[[gnu::noinline]] bool atomic_wait(AtomicRequest request) {
  assert(is_on_body());
  request.code = __builtin_return_address(0);
  return execution.blocking.atomic_wait(request);
}
void atomic_notify(Object& cell, bool all, Where where) {
  assert(is_on_body());
  execution.blocking.atomic_notify(cell, all, where);
}
std::int64_t clock_now(Where where) {
  assert(is_on_body());
  return execution.blocking.clock_now(where);
}
bool yield(Operation operation, std::int64_t nanoseconds, Where where) {
  assert(is_on_body() && (operation == Operation::thread_yield || operation == Operation::thread_sleep));
  return execution.blocking.yield(operation, nanoseconds, where);
}
void begin_await() {
  assert(is_on_body());
  execution.awaiting.begin_await();
}
bool await_change(Where where) {
  assert(is_on_body());
  return execution.awaiting.await_change(where);
}
void end_await() {
  assert(is_on_body());
  execution.awaiting.end_await();
}

Thread* create_thread(Where where) {
  assert(is_on_body());
  return execution.lives.create_thread(where);
}
void start(Thread& thread) {
  assert(is_on_body() && thread.creator == run.current);
  execution.lives.start(thread);
}
void join(Thread& thread, Where where) {
  assert(is_on_body() && &thread != run.current);
  execution.lives.join(thread, where);
}
void detach(Thread& thread, Where where) {
  assert(is_on_body());
  execution.lives.detach(thread, where);
}

void fail(FailureKind kind, const std::string& message, Where where) {
  assert(is_on_body());
  execution.verdict.fail(kind, message, where);
}
void fail_in_destructor(FailureKind kind, const std::string& message, Where where) {
  assert(is_on_body());
  execution.verdict.fail_in_destructor(kind, message, where);
}
void drop() {
  assert(is_on_body());
  execution.verdict.drop();
}
void end_first(Thread& thread) {
  assert(is_on_body() && run.ending);
  execution.verdict.end_first(thread);
}

}  // namespace hocket::runtime::step
