// One execution: the logical threads, who may go on, and the choice points between their steps.
//
// There is one Execution in a process and it is plain global data, because the path that every controlled
// operation takes must cost a few nanoseconds: compare a position, write one log entry, add one action to the
// class hash. Everything that is not that path is out of line, in execution.cpp (choosing), blocking.cpp
// (waiting), ending.cpp (cleaning up), objects.cpp (life of objects) and trace.cpp (recording).
//
// All functions but run() are called on a logical thread's fiber, between the beginning and the end of run().
// Those that return bool return false when the execution is being ended: the caller then leaves the modelled
// state alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <hocket/runtime/where.hpp>
#include <string>
#include <string_view>
#include <utility>

#include <hocket/runtime/action_hash.hpp>
#include <hocket/runtime/choice.hpp>
#include <hocket/runtime/failure.hpp>
#include <hocket/runtime/object.hpp>
#include <hocket/runtime/objects.hpp>
#include <hocket/runtime/operation.hpp>
#include <hocket/runtime/platform/fiber_switch.hpp>
#include <hocket/runtime/platform/os_thread.hpp>
#include <hocket/runtime/sabotage.hpp>
#include <hocket/runtime/thread.hpp>
#include <hocket/runtime/thread_set.hpp>

namespace hocket::runtime {

class Trace;

/// How an execution came to its end.
enum class Outcome : std::uint8_t {
  completed,  ///< every thread ended
  failed,
  dropped,   ///< by assume()
  diverged,  ///< the chooser asked for something that is no candidate
};

struct ExecutionOptions {
  std::uint32_t max_steps = 20'000;
  std::size_t stack_size = std::size_t{256} * 1024;  ///< bytes, for each thread
  bool spurious_wakeups = false;
  bool spurious_failures = false;
  Trace* trace = nullptr;  ///< where to record names, places and values, or nullptr
};

struct ExecutionResult {
  Outcome outcome = Outcome::completed;
  ClassHash hash;          ///< of the actions made
  ChoiceLog log;           ///< valid until the next execution begins
  unsigned threads = 0;    ///< created, the body's own included
  bool abandoned = false;  ///< a thread's stack could be neither unwound nor run to its end
};

enum class Access : std::uint8_t { read, write };

class Execution {
 public:
  // -- What the hot path reads. First, so that it shares few cache lines.
  std::uintptr_t os_thread = 0;  ///< the OS thread on which an execution runs now, or 0
  Thread* current = nullptr;
  Life life = Life::first_execution;  ///< Object::life of every object in order
  LogEntry* log = nullptr;
  std::uint32_t position = 0;  ///< choice points met so far
  std::uint32_t stop = 0;  ///< the position at which the short way ends; 0: every point takes the long way
  ClassHash hash;
  ThreadSet enabled;
  platform::ExceptionState* exception_state = nullptr;
  bool attentive = false;  ///< actions are of interest to somebody: recording, or a thread that has yielded
  bool ending = false;     ///< the verdict on this execution stands; its threads are being ended
  bool recording = false;
  bool sanitized = false;  ///< AddressSanitizer must hear of fiber switches

  /// Runs `body` once as the first logical thread, and all the threads that it creates, with `chooser`
  /// deciding. Called from outside any execution, and always from the same OS thread during one search.
  ExecutionResult run(const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options);

  /// What went wrong, when the outcome of the last run was Outcome::failed.
  [[nodiscard]] const Failure& failure() const;

  // -- Steps

  /// Stops the current thread before `operation` on `object` and returns when it is its turn. `ready` says
  /// whether the operation could complete now.
  [[gnu::always_inline]] bool arrive(Object& object, Operation operation, bool ready, const Where& where) {
    if (object.life != life) [[unlikely]] {
      if (!first_touch(object, operation, where)) return false;
    }
    if (position < stop && ready) [[likely]] {
      log[position] = {enabled.low_word(), static_cast<std::uint32_t>(hash.low),
          static_cast<std::uint16_t>(thread_code(current->index)), static_cast<std::uint8_t>(current->index),
          LogEntry::narrow, 1};
      ++position;
      return true;
    }
    Thread& next = stop_before(object, operation, ready, where);
    if (&next != current) switch_to(next);
    return resume(object, operation, where);
  }

  /// Adds the action to the class hash. A write moves the object to its next version.
  [[gnu::always_inline]] void act(Object& object, Operation operation, Access access) {
    object.version += access == Access::write ? 1 : 0;
    const bool without_version = is_sabotaged(Sabotage::no_versions) ||
                                 (is_sabotaged(Sabotage::no_versions_of_reads) && access == Access::read);
    const std::uint64_t what = static_cast<std::uint64_t>(without_version ? 0 : object.version) << 9U |
                               static_cast<std::uint64_t>(operation) << 1U |
                               static_cast<std::uint64_t>(access);
    hash.add(current->next_action, object.key + what * 0x9e3779b97f4a7c15U);
    current->next_action += kActionStride;
    if (attentive) [[unlikely]]
      attend(object, access);
  }

  /// Adds an action that touches no object, or the outcome of a choice.
  void act_alone(Operation operation, std::uint64_t outcome);

  /// Gives the OS thread to `next` and returns when the current thread is switched to again.
  [[gnu::always_inline]] void switch_to(Thread& next) {
    Thread& self = *current;
    self.exceptions = *exception_state;
    *exception_state = next.exceptions;
    self.float_control.exchange(next.float_control);
    current = &next;
    if (sanitized) [[unlikely]]
      sanitizer_before_switch(self, next);
    const auto [from_context, from] = platform::jump(next.context, &self);
    static_cast<Thread*>(from)->context = from_context;
    if (sanitized) [[unlikely]]
      sanitizer_after_switch(self, *static_cast<Thread*>(from));
  }

  // -- Effects that let other threads go on or hold them up. Constant time unless a timed wait is pending.

  void now_unavailable(const ThreadSet& waiting) {
    if (waiting.empty()) return;
    enabled -= waiting;
    if (special_waits_ != 0) refresh(waiting);
  }
  void now_available(const ThreadSet& waiting) {
    if (waiting.empty()) return;
    enabled |= waiting;
    if (special_waits_ != 0) refresh(waiting);
  }

  // -- Mutexes, after arrive()

  void lock(Mutex& mutex, Operation operation) {
    mutex.state.lock(current->index);
    act(mutex, operation, Access::write);
    now_unavailable(mutex.state.waiting);
  }
  bool unlock(Mutex& mutex, const Where& where) {
    if (mutex.state.owner != current->index) [[unlikely]]
      return unlocked_by_stranger(mutex, mutex.state.owner, where);
    act(mutex, Operation::mutex_unlock, Access::write);
    if (mutex.state.unlock()) now_available(mutex.state.waiting);
    return true;
  }

  void lock(SharedMutex& mutex, Operation operation) {
    mutex.state.owner = current->index;
    act(mutex, operation, Access::write);
    now_unavailable(mutex.state.waiting);
    now_unavailable(mutex.state.waiting_shared);
  }
  bool unlock(SharedMutex& mutex, const Where& where) {
    if (mutex.state.owner != current->index) [[unlikely]]
      return unlocked_by_stranger(mutex, mutex.state.owner, where);
    act(mutex, Operation::mutex_unlock, Access::write);
    mutex.state.owner = kNobody;
    now_available(mutex.state.waiting);
    now_available(mutex.state.waiting_shared);
    return true;
  }
  void lock_shared(SharedMutex& mutex, Operation operation) {
    mutex.state.readers.insert(current->index);
    act(mutex, operation, Access::write);
    now_unavailable(mutex.state.waiting);
  }
  bool unlock_shared(SharedMutex& mutex, const Where& where) {
    if (!mutex.state.readers.contains(current->index)) [[unlikely]] {
      return unlocked_by_stranger(mutex, mutex.state.owner, where);
    }
    act(mutex, Operation::mutex_unlock_shared, Access::write);
    mutex.state.readers.erase(current->index);
    if (!mutex.state.is_shared()) now_available(mutex.state.waiting);
    return true;
  }

  // -- Semaphores, after arrive()

  void acquire(Semaphore& semaphore, Operation operation) {
    --semaphore.state.count;
    act(semaphore, operation, Access::write);
    if (semaphore.state.count == 0) now_unavailable(semaphore.state.waiting);
  }
  void release(Semaphore& semaphore, std::ptrdiff_t count) {
    semaphore.state.count += count;
    act(semaphore, Operation::semaphore_release, Access::write);
    if (semaphore.state.count != 0) now_available(semaphore.state.waiting);
  }

  /// Fails with "locked twice" or "unlocked by a stranger"; returns false when the execution goes on being
  /// ended.
  bool locked_twice(Object& mutex, const Where& where);
  bool unlocked_by_stranger(Object& mutex, std::uint16_t owner, const Where& where);

  // -- Waiting (blocking.cpp)

  /// How long a timed operation waits, in virtual nanoseconds; kForever: it is not timed.
  static constexpr std::int64_t kForever = -1;

  /// As arrive(), for an operation that may expire. `expired` tells how it came back.
  bool arrive_timed(Object& object, Operation operation, bool ready, std::int64_t nanoseconds, bool& expired,
      const Where& where);

  /// Both halves of a wait. `mutex` may be null: condition_variable_any unlocks by itself. Sets `expired`.
  bool condition_wait(ConditionVariable& condition, Mutex* mutex, std::int64_t nanoseconds, bool& expired,
      const std::function<void()>* unlock, const Where& where);
  bool condition_notify(ConditionVariable& condition, bool all, const Where& where);

  /// Waits while `is_unchanged()` holds for the cell; std::atomic::wait.
  bool atomic_wait(Object& cell, bool (*is_unchanged)(const void*), const void* context, const Where& where);
  bool atomic_notify(Object& cell, bool all, const Where& where);

  bool yield(Operation operation, std::int64_t nanoseconds, const Where& where);
  std::int64_t clock_now(const Where& where);
  /// The clock without a step, to compute how long a wait may last.
  [[nodiscard]] std::int64_t virtual_now() const { return now_; }

  // -- Threads

  /// A new thread of the current one; the caller fills in its task, then calls start. Returns nullptr when
  /// the execution is being ended.
  Thread* create_thread(const Where& where);
  /// Runs the new thread up to its first operation.
  void start(Thread& thread);
  /// Waits until `thread` has ended.
  void join(Thread& thread, const Where& where);
  /// While the execution is being ended: ends `thread` before the current one goes on, which is about to
  /// destroy what it may use.
  void end_first(Thread& thread);
  /// Whether `thread` and `serial` (of the execution that created it) still mean something.
  [[nodiscard]] bool is_current_execution(Life serial) const { return serial == life; }

  // -- Choices and verdicts (return, if at all, while the execution is being ended)

  /// The outcome of `hocket::choose(count)`.
  std::uint32_t choose(std::uint32_t count, const Where& where);
  /// Whether a weak compare-exchange that could succeed fails for no reason.
  bool fails_spuriously(const Where& where);

  /// The execution has failed; ends the calling thread.
  void fail(FailureKind kind, std::string message, const Where& where);
  /// The execution has failed, but the thread runs on, as after EXPECT_EQ. Only the first failure counts.
  void note_failure(FailureKind kind, std::string message, const Where& where);
  /// The execution does not count; ends the calling thread.
  void drop();

  /// While `depth` > 0 the current thread is preempted only where it blocks.
  void forbid_preemption();
  void allow_preemption();

  // -- Objects (objects.cpp)

  void construct(Object& object, const Where& where);
  /// Before an access that is no step: whether the object is in order.
  bool touch(Object& object, Operation operation, const Where& where) {
    return object.life == life || first_touch(object, operation, where);
  }
  /// The end of an object whose destruction is no step.
  void forget(Object& object);
  /// The step that ends the life of `object`.
  void destroy(Object& object, const Where& where);
  /// Gives `object` or the current thread the name that schedules and reports print.
  void name(const Object& object, std::string_view name);
  void name(const Thread& thread, std::string_view name);

  /// Forgets the outside objects of the last search; at the beginning of a search.
  void forget_outside_objects();
  /// Records a value for the current step: `text` as in "→ 3". Only while recording.
  void note_value(std::string_view text);
  /// Records an access to a var. Only while recording.
  void note_access(const Object& object, Access access, std::string_view text, const Where& where);

  /// A short name of the thread or object for messages: full when recording, general otherwise.
  [[nodiscard]] std::string describe(const Thread& thread) const;
  [[nodiscard]] std::string describe(const Object& object) const;

  // -- For strategies that look at pending operations, for reports and for the crash handler

  [[nodiscard]] unsigned thread_count() const { return threads_; }
  [[nodiscard]] const Thread& thread(unsigned index) const { return *thread_slots_[index]; }
  [[nodiscard]] const Candidate* candidates() const;
  [[nodiscard]] unsigned abandoned_in_all() const { return abandoned_in_all_; }

  /// Called by std::terminate on a fiber: records the failure unless one is known, and leaves the stack for
  /// ever.
  [[noreturn]] void terminated();

 private:
  friend class Trace;
  struct Cut {};  ///< thrown to unwind a fiber

  static constexpr std::uint64_t kActionStride = 0xd1342543de82ef95U;

  // execution.cpp
  [[nodiscard]] Thread& stop_before(Object& object, Operation operation, bool ready, const Where& where);
  [[nodiscard]] Thread& after_stop(Thread& self);
  [[nodiscard]] Thread& choose_next();
  [[nodiscard]] Code choose_among_all(LogEntry& entry);
  [[nodiscard]] std::uint32_t choose_value(
      Operation operation, std::uint32_t count, std::uint16_t price, const Where& where);
  [[nodiscard]] unsigned least_named(const ThreadSet& set) const;
  [[nodiscard]] bool is_futile(const Thread& thread) const;
  void plan_stop() {
    if (irregularities_ != 0) [[unlikely]] {
      stop = 0;
      return;
    }
    const std::uint32_t consult_at = chooser_->consult_at > position ? chooser_->consult_at : position;
    stop = consult_at < options_.max_steps ? consult_at : options_.max_steps;
  }
  void set_going(Thread& next, Mode mode) {
    leave_waiting(next);
    next.state = Thread::State::running;
    next.mode = mode;
    enabled.insert(next.index);
  }
  Thread& slot(unsigned index);
  [[noreturn]] static void fiber_main(boost::context::detail::transfer_t transfer);
  void run_task(Thread& self);
  [[nodiscard]] Thread& finish_thread(Thread& self);
  void prepare_stack(Thread& thread);
  bool resume(Object& object, Operation operation, const Where& where) {
    if (ending || current->pending.object != &object) [[unlikely]]
      return resume_badly(operation, where);
    return true;
  }
  bool resume_badly(Operation operation, const Where& where);
  void attend(Object& object, Access access);
  void sanitizer_before_switch(Thread& self, const Thread& next);
  void sanitizer_after_switch(Thread& self, Thread& from);

  // blocking.cpp
  [[nodiscard]] bool can_complete(const Thread& thread) const;
  [[nodiscard]] bool may_expire(const Thread& thread) const;
  [[nodiscard]] bool may_wake_spuriously(const Thread& thread) const;
  [[nodiscard]] static ThreadSet* waiting_set(const Pending& pending);
  void refresh(const ThreadSet& threads);
  void leave_waiting(Thread& thread) {
    if (thread.is_in_a_set) take_out_of_sets(thread);
  }
  void take_out_of_sets(Thread& thread);
  [[nodiscard]] std::uint32_t choose_waiter(
      const ThreadSet& waiters, Operation operation, const Where& where);
  void wake(Thread& thread);
  void deadlock();
  [[nodiscard]] std::string describe_holder(const Object& object) const;
  void advance_clock(std::int64_t to);

  // ending.cpp
  void begin_ending(Outcome outcome);
  /// On a fiber while ending: unwinds the stack if that is possible here; otherwise returns and the thread
  /// runs on.
  void end_here();
  [[nodiscard]] Thread& next_to_end();
  [[noreturn]] void abandon(Thread& self);

  // objects.cpp
  bool first_touch(Object& object, Operation operation, const Where& where);
  void restore_outside_objects();
  void detach_from_threads(const Object& object);

  // -- choosing
  Chooser* chooser_ = nullptr;
  ExecutionOptions options_;
  unsigned last_ = 0;           ///< the thread that made the last step
  bool last_yielded_ = false;   ///< and that step was a yield
  bool names_in_order_ = true;  ///< indices of threads are in the order of their stable names
  unsigned threads_ = 0;
  unsigned live_ = 0;
  /// Reasons why choosing takes the general way: recording, more than 64 threads, and each thread that may
  /// expire, is at a yield or forbids preemption.
  unsigned irregularities_ = 0;
  unsigned special_waits_ = 0;  ///< threads stopped where they may expire or wake up spuriously
  ThreadSet at_yield_;          ///< stopped before a yield or sleep
  ThreadSet expirable_;
  ThreadSet wakable_;  ///< might wake up spuriously
  std::uint32_t candidates_used_ = 0;
  std::int64_t now_ = 0;  ///< virtual nanoseconds
  Outcome outcome_ = Outcome::completed;
  std::uint32_t ending_operations_ = 0;
  std::uint32_t end_position_ = 0;
  ClassHash end_hash_;
  unsigned abandoned_in_all_ = 0;
  bool abandoned_ = false;
  bool running_ = false;
  Thread* thread_slots_[kMaxThreads] = {};
  struct Machinery;  ///< what is not plain data; made by the first run, never freed
  Machinery* machinery_ = nullptr;
  Thread* driver_ = nullptr;

  [[nodiscard]] Machinery& machinery();
};

extern constinit Execution execution;

inline Object::Object(const ObjectKind& the_kind, const Where& where)
    : kind(&the_kind), version(0), outsider(0) {
  execution.construct(*this, where);
}

/// Whether the calling code runs under control: on the fiber of a logical thread.
[[gnu::always_inline]] inline bool is_controlled() {
  return platform::os_thread_id() == execution.os_thread;
}

/// Called for an operation of code that is not under control. Ends the process with a clear message if a
/// search runs on another OS thread: its objects must not be touched from here.
void outside_operation();

/// The OS thread on which a search runs, or 0. Set by the search.
extern constinit std::uintptr_t searching_os_thread;

/// The real standard error of the process. Set by a search that puts aside what the body prints.
extern constinit volatile int real_stderr;

}  // namespace hocket::runtime
