// All that is done to such a lock is a step on its queue, so there is no other object that such steps touch.
#include "writers_first.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <vector>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/execution/locking.hpp"
#include "../../../runtime/terms/sabotage.hpp"

namespace hocket::unmodified::writers_first {

namespace {

using runtime::Access;
using runtime::execution;
using runtime::is_sabotaged;
using runtime::kForever;
using runtime::Operation;
using runtime::run;
using runtime::Sabotage;
using runtime::SharedMutex;
using runtime::Where;

constexpr runtime::ObjectKind kind_of_queue() {
  runtime::ObjectKind kind{"queue of a lock", [](const runtime::Object&) -> void* { return nullptr; },
      [](runtime::Object&, const void*) {}, [](void*) {},
      [](const runtime::Object& object) -> std::uint64_t { return object.version; }};
  kind.awaited = "the lock";
  return kind;
}
constexpr runtime::ObjectKind kQueueKind = kind_of_queue();

struct Queue : runtime::Object {
  explicit Queue(SharedMutex& its_lock)
      : Object(kQueueKind, runtime::FoundAt{runtime::mix(its_lock.key, 0x5171)}), lock(&its_lock) {}

  SharedMutex* lock;
  unsigned waiting_writers = 0;
  std::vector<unsigned> again;  ///< a thread for each time that it has taken the lock again for reading

  [[nodiscard]] bool can_be_taken(bool is_shared) const {
    if (!is_shared) return lock->state.can_lock();
    const bool overtakes = is_sabotaged(Sabotage::readers_overtake_writers) ||
                           (is_sabotaged(Sabotage::readers_take_locks_again) &&
                               lock->state.readers.contains(run.current->index));
    return lock->state.can_lock_shared() && (waiting_writers == 0 || overtakes);
  }
};

constinit std::deque<Queue>* all_queues = nullptr;

std::deque<Queue>& queues() {
  if (all_queues == nullptr) {
    const runtime::OwnMemory own;
    all_queues = new std::deque<Queue>;
  }
  return *all_queues;
}

Queue& queue_of(SharedMutex& lock) {
  for (Queue& known : queues()) {
    if (known.lock == &lock) return known;
  }
  const runtime::OwnMemory own;
  return queues().emplace_back(lock);
}

bool step(Queue& queue) {
  if (!runtime::step::arrive(queue, Operation::atomic_fetch_add, true, Where{})) return false;
  runtime::step::act(queue, Operation::atomic_fetch_add, Access::write, std::memory_order_relaxed);
  return true;
}

bool has_for_reading(const SharedMutex& lock) {
  return lock.state.readers.contains(run.current->index);
}

/// For the race check: the step is on the queue, but it is the lock that puts threads in an order.
void put_in_order(SharedMutex& lock, runtime::Synchronization what) {
  if (!execution.races.is_looking()) return;
  const runtime::OwnMemory own;
  static_cast<void>(execution.races.races().acted(
      *run.current, lock, what, std::memory_order_seq_cst, run.current->instrumented.caller));
}

/// Part of a step.
void take_now(Queue& queue, bool is_shared) {
  SharedMutex& lock = *queue.lock;
  if (is_shared && has_for_reading(lock)) {
    const runtime::OwnMemory own;
    queue.again.push_back(run.current->index);
    return;
  }
  if (is_shared) {
    lock.state.readers.insert(run.current->index);
  } else {
    lock.state.owner = run.current->index;
  }
  put_in_order(
      lock, is_shared ? runtime::Synchronization::acquire_shared : runtime::Synchronization::acquire);
  runtime::now_held(lock, is_shared);
}

/// Waits until the lock can be taken, or the time is over. False when the execution is being ended.
bool wait_until_free(Queue& queue, bool is_shared, std::int64_t nanoseconds, bool& has_expired) {
  struct Context {
    const Queue& queue;
    bool is_shared;
  } const context{queue, is_shared};
  return runtime::step::atomic_wait(
      queue,
      [](const void* argument) {
        const auto& its = *static_cast<const Context*>(argument);
        return !its.queue.can_be_taken(its.is_shared);
      },
      &context, std::memory_order_relaxed, nanoseconds, has_expired, Where{});
}

}  // namespace

bool is_of_kind(const pthread_rwlock_t* lock) {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

int take(SharedMutex& lock, bool is_shared, std::int64_t nanoseconds, int error) {
  if (nanoseconds != 0 && lock.state.owner == run.current->index) return EDEADLK;
  Queue& queue = queue_of(lock);
  if (!runtime::step::touch(lock, Operation::mutex_lock, Where{}) || !step(queue)) return 0;
  const bool waits = nanoseconds != 0 && !queue.can_be_taken(is_shared);
  if (!waits && !queue.can_be_taken(is_shared)) return error;
  const bool is_timed = nanoseconds != kForever;
  const std::int64_t deadline = run.current->seen_clock + nanoseconds;
  const unsigned counts = waits && !is_shared ? 1 : 0;
  queue.waiting_writers += counts;
  while (!queue.can_be_taken(is_shared)) {
    bool has_expired = false;
    const std::int64_t left =
        is_timed ? std::max<std::int64_t>(deadline - run.current->seen_clock, 0) : nanoseconds;
    if (!wait_until_free(queue, is_shared, left, has_expired) || !step(queue)) return 0;
    if (!has_expired || queue.can_be_taken(is_shared)) continue;
    queue.waiting_writers -= counts;
    if (counts != 0) runtime::step::atomic_notify(queue, true, Where{});  // readers may go on
    return error;
  }
  queue.waiting_writers -= counts;
  take_now(queue, is_shared);
  return 0;
}

int give_back(SharedMutex& lock) {
  Queue& queue = queue_of(lock);
  if (!step(queue)) return 0;
  const auto again = std::find(queue.again.begin(), queue.again.end(), run.current->index);
  if (again != queue.again.end()) {
    queue.again.erase(again);
    return 0;
  }
  const bool is_shared = has_for_reading(lock);
  if (!is_shared && lock.state.owner != run.current->index) {
    static_cast<void>(runtime::misuse::unlocked_by_stranger(lock, lock.state.owner, Where{}));
    return 0;
  }
  put_in_order(
      lock, is_shared ? runtime::Synchronization::release_shared : runtime::Synchronization::release);
  runtime::no_longer_held(lock);
  if (is_shared) {
    lock.state.unlock_shared(run.current->index);
  } else {
    lock.state.owner = runtime::kNobody;
  }
  runtime::step::atomic_notify(queue, true, Where{});
  return 0;
}

void forget() {
  if (all_queues != nullptr) all_queues->clear();
}

}  // namespace hocket::unmodified::writers_first
