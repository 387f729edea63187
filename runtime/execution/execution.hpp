// One execution: the logical threads, who may go on, and the choice points between their steps.
//
// There is one Execution in a process and it is plain global data (execution_state.hpp), because the path
// that every controlled operation takes must cost a few nanoseconds: compare a position, write one log entry,
// add one action to the class hash. Everything that is not that path is out of line:
//  - execution_view.hpp: what can be seen of it from outside;
//  - execution.cpp: how an execution begins, what its actions mean to those who listen; ending.cpp: how one
//  ends that cannot go on;
//  - scheduling.cpp: which thread goes on; blocking.cpp: waiting; awaiting.cpp: for a predicate; threads.cpp:
//  the life of threads; objects.cpp: that of objects;
//  - race_checks.cpp: plain data and what orders it; deadlock_report.cpp: deadlocks and the step limit.
// What goes by the public interface has its own headers: locking.hpp (mutexes and semaphores), misuse.hpp,
// end_checks.hpp, allocations.hpp. trace.hpp has the recorded execution.
//
// All functions but run() are called on a logical thread's fiber, between the beginning and the end of run().
// Those that return bool return false when the execution is being ended: the caller then leaves the modelled
// state alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../objects/object.hpp"
#include "../objects/objects.hpp"
#include "../objects/synchronization.hpp"
#include "../objects/var.hpp"
#include "../platform/fiber_switch.hpp"
#include "../platform/os_thread.hpp"
#include "../platform/thread_control_block.hpp"
#include "../races/races.hpp"
#include "../races/weaker_orders.hpp"
#include "../terms/action_hash.hpp"
#include "../terms/choice.hpp"
#include "../terms/failure.hpp"
#include "../terms/inlined.hpp"
#include "../terms/operation.hpp"
#include "../terms/thread_set.hpp"
#include "../terms/where.hpp"
#include "../threads/thread.hpp"
#include "execution_options.hpp"
#include "execution_result.hpp"
#include "execution_view.hpp"

namespace hocket::runtime {

/// A step takes one of three paths, all with the same outcome. Fast path (arrive): the strategy need not be
/// consulted here and the current thread is enabled, so it keeps running. Common path (choose_next): the
/// candidates are the enabled threads. Slow path (choose_on_slow_path): nothing is assumed.
class Execution : public ExecutionView {
 public:
  /// Runs `body` once as the first logical thread, and all the threads that it creates, with `chooser`
  /// deciding. Called from outside any execution, and always from the same OS thread during one search.
  ExecutionResult run(const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options);

  // -- Steps

  /// Stops the current thread before `operation` on `object` and returns when it is its turn. `ready` says
  /// whether the operation could complete now.
  [[nodiscard]] HOCKET_INLINED bool arrive(Object& object, Operation operation, bool ready, Where where) {
    if (object.life != life) [[unlikely]] {
      if (!first_touch(object, operation, where)) return false;
    }
    if (position < stop && ready) [[likely]] {
      log_staying();
      return true;
    }
    return stop_and_resume(object, operation, ready, where);
  }

  /// As arrive(), for an operation that may have to wait. `waiting` is the object's set of threads that do.
  HOCKET_INLINED bool arrive_to_wait(
      Object& object, Operation operation, bool ready, ThreadSet& waiting, Where where) {
    if (object.life != life) [[unlikely]] {
      if (!first_touch(object, operation, where)) return false;
    }
    if (position < stop && ready) [[likely]] {
      log_staying();
      return true;
    }
    wait_in(waiting, *current);
    return stop_and_resume(object, operation, ready, where);
  }

  /// Adds the action to the class hash. A write moves the object to its next version. `order` matters for
  /// data races only.
  HOCKET_INLINED void act(Object& object, Operation operation, Access access,
      std::memory_order order = std::memory_order_seq_cst) {
    object.version += access == Access::write ? 1 : 0;
    hash.add(current->next_action, action_word(object.key, object.version, operation, access));
    current->next_action += kActionStride;
    if (attention != Attention::none) [[unlikely]] {
      if (attention == Attention::to_order) [[likely]] {
        const Synchronization what = synchronization_of(object, operation, access);
        const Race* const race = races_->acted(*current, object, what, order, current->caller);
        if (race != nullptr) [[unlikely]]
          fail_by_race(*race);
      } else {
        attend_to_all(object, operation, access, order);
      }
    }
  }

  /// The current thread does an operation that a call asked for at `where`; where that is no place, the
  /// runtime works for Thread::caller. `on_failure` is `order` but for compare-exchanges; `object`: nullptr
  /// for a fence. Operations that are weaker than seq_cst are noted: see WeakerOrders.
  HOCKET_INLINED void note_order(const Object* object, Operation operation, std::memory_order order,
      std::memory_order on_failure, Where where) {
    if (order == std::memory_order_seq_cst && on_failure == std::memory_order_seq_cst) [[likely]]
      return;
    const std::uint64_t asked = AskedOrder::packed(operation, order, on_failure);
    const void* const code = where.line() != 0 ? where.file_name() : current->caller;
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
    const std::uint64_t key =
        (reinterpret_cast<std::uintptr_t>(code) * kFactor) ^ ((asked + where.line()) * kFactor);
    if (noted_orders[key >> (64 - kBitsOfPlace)] != key) [[unlikely]]
      note_order_newly(object, asked, where, key);
  }

  /// What the compare-exchange compares with that the current thread is about to stop before.
  void expect(std::uint64_t fingerprint, bool weak) {
    current->expected = fingerprint;
    current->may_fail_spuriously = weak && options_.spurious_failures;
  }

  /// Adds an action that touches no object, or the outcome of a choice.
  void act_alone(Operation operation, std::uint64_t outcome);

  /// Gives the OS thread to `next`, which may be the current thread, and returns when the current thread is
  /// switched to again.
  HOCKET_INLINED void switch_to(Thread& next) {
    Thread& self = *current;
    if (switches_with_care) [[unlikely]] {
      if (sanitized) {
        if (&next == &self) return;
        sanitizer_before_switch(self, next);
      }
      if (host != nullptr && platform::kHasThreadControlBlocks) {
        os_thread = next.control_block;
        platform::set_thread_control_block(next.control_block);  // the exceptions in flight are in there
      } else {
        exchange_exceptions(self, next);
      }
    } else {
      exchange_exceptions(self, next);
    }
    self.float_control.exchange(next.float_control);
    current = &next;
    platform::jump(self.context, next.context);
    if (sanitized) [[unlikely]]
      sanitizer_after_switch(self);
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

  // -- Waiting (blocking.cpp)

  /// How long a timed operation waits, in virtual nanoseconds; kForever: it is not timed.
  static constexpr std::int64_t kForever = -1;

  /// As arrive(), for an operation that takes what `object` has and may expire. Thread::mode tells how it
  /// came back.
  [[nodiscard]] bool arrive_timed(Object& object, Operation operation, std::int64_t nanoseconds, Where where);

  /// A wait from its beginning to its end. `mutex` may be null: condition_variable_any unlocks by itself.
  /// Sets `expired`.
  bool condition_wait(ConditionVariable& condition, Mutex* mutex, std::int64_t nanoseconds, bool& expired,
      const std::function<void()>* unlock, Where where);
  bool condition_notify(ConditionVariable& condition, bool all, Where where);

  /// Waits while `is_unchanged()` holds for the cell; std::atomic::wait. Sets `expired`.
  bool atomic_wait(Object& cell, bool (*is_unchanged)(const void*), const void* context,
      std::memory_order order, std::int64_t nanoseconds, bool& expired, Where where);
  bool atomic_notify(Object& cell, bool all, Where where);

  /// hocket::await: what the current thread touches from here on counts for await_change().
  void begin_await();
  /// The predicate does not hold. Lets the thread's next operation, with which the predicate is evaluated
  /// again, wait until something that the predicate has touched is changed by another thread.
  [[nodiscard]] bool await_change(Where where);
  void end_await();
  /// The next operation of the current thread, which polls, waits until something that Thread::awaited names
  /// is in another state. If the clock is among that, the wait may also be over after so many nanoseconds;
  /// 0: no time passes by it. If the wait before was over by time, this one is.
  void wait_for_other_states(std::int64_t nanoseconds);
  [[nodiscard]] bool is_clock(const Object& object) const;

  bool yield(Operation operation, std::int64_t nanoseconds, Where where);
  std::int64_t clock_now(Where where);

  // -- Threads

  /// A new thread of the current one; the caller fills in its task, then calls start. Returns nullptr when
  /// the execution is being ended.
  Thread* create_thread(Where where);
  /// Runs the new thread up to its first operation.
  HOCKET_INLINED void start(Thread& thread) {
    thread.starter = current;
    thread.state = Thread::State::running;
    enabled.insert(thread.index);
    leave_fast_path();
    switch_to(thread);
    if (ending) [[unlikely]]
      end_here();
  }
  /// Waits until `thread` has ended.
  HOCKET_INLINED void join(Thread& thread, Where where) {
    ++handles_closed_;
    thread.handle = Thread::Handle::joined;
    if (thread.state != Thread::State::ended && !ending) {
      switch_to(stop_to_join(thread, where));
      current->joins = nullptr;
    } else if (attention != Attention::none) [[unlikely]] {
      joined_at_once(thread);
    }
    if (ending) [[unlikely]]
      join_while_ending(thread);
  }
  /// Nobody will wait for `thread`.
  void detach(Thread& thread, Where where);
  /// While the execution is being ended: ends `thread` before the current one goes on, which is about to
  /// destroy what it may use.
  void end_first(Thread& thread);

  // -- Choices and verdicts (return, if at all, while the execution is being ended)

  /// The outcome of `hocket::choose(count)`.
  std::uint32_t choose(std::uint32_t count, Where where);
  /// Whether a weak compare-exchange that could succeed fails for no reason.
  bool fails_spuriously(Where where);

  /// The execution has failed; ends the calling thread.
  void fail(FailureKind kind, const std::string& message, Where where);
  /// The execution has failed, but the thread runs on, as after EXPECT_EQ. Only the first failure counts.
  /// `signature` tells it from others; 0: its kind and place do.
  void note_failure(FailureKind kind, const std::string& message, Where where, std::uint64_t signature = 0);
  /// As fail(), from where no thread is to be ended: the caller goes on with another one.
  void give_up(FailureKind kind, const std::string& message, Where where, std::uint64_t signature = 0);
  /// The execution does not count; ends the calling thread.
  void drop();
  /// The body wants to be skipped, for this reason; the thread runs on. Kept until forget_skipping().
  void note_skipping(std::string_view reason, Where where);
  void forget_skipping();
  /// The execution has come to its end although threads are left. Only where there is a ThreadHost.
  /// `end_of_stack`: down to where the current thread's stack still means something; nullptr: to here.
  [[noreturn]] void end_with_all_threads(const void* end_of_stack);

  /// For priced_poll().
  void note_priced_poll(const void* code) {
    if (priced_poll_ == nullptr) priced_poll_ = code;
  }
  /// For met_attempt().
  void note_lone_attempt() { has_lone_attempts_ = true; }
  void note_met_attempt(const void* code) {
    if (met_attempt_ == nullptr) met_attempt_ = code;
  }

  /// While `depth` > 0 the current thread is preempted only where it blocks.
  void forbid_preemption();
  void allow_preemption();

  // -- Plain data and what orders it (race_checks.cpp)

  /// An access that is no step. Fails if it makes a data race.
  [[gnu::always_inline]] void access(Var& var, VarAccess access, Where where) {
    if (!touch(var, Operation::none, where)) return;
    if (var.shadow.execution == life) [[likely]] {
      if (var.shadow.has_seen(access, current->epoch)) [[likely]]
        return;
      // Where this call comes from is known without a call.
      if (accesses_are_simple && !is_atomic(access) && current->caller != nullptr) {
        if (access_in_order(var, access, current->caller)) return;
      }
    }
    access_newly(var, access, where);
    __asm__ volatile("");  // no tail call: access_newly() looks at its return address
  }
  /// As access(), while accesses_are_simple, to a var that this execution has touched. Returns false if it
  /// does not see at once that all that the access could race with is ordered before.
  [[nodiscard, gnu::always_inline]] bool access_in_order(Var& var, VarAccess access, const void* code) {
    VarShadow& shadow = var.shadow;
    const Epoch now = current->epoch;
    if (shadow.has_seen(access, now)) [[likely]]
      return true;
    if (!shadow.is_the_last(now) && !shadow.is_all_before<Threads::few>(*current->known)) [[unlikely]]
      return false;
    if (access == VarAccess::read) {
      shadow.read = now;
      shadow.read_by = code;
    } else {
      shadow.note_write(now, code);
    }
    return true;
  }
  /// After an access to what `var` is a part of, or is in part: fails if that races with one to `var`.
  void check_against(const Var& var, VarAccess access);
  /// Whether all others have ended, and what the current thread does next is known to be ordered after it
  /// all.
  [[nodiscard]] bool follows_all_others() const;
  /// Before an operation on one of two atomics that overlap: a thread that reads what was written to
  /// either is ordered after that.
  void unite_order(Object& one, Object& other) {
    if (looks_for_races_) races_->unite(one, other);
  }
  /// Before an access to `var` as an atomic, which is a step.
  [[gnu::always_inline]] void prepare(Var& var) {
    if (!looks_for_races_ || var.life != life || var.shadow.execution != life) [[unlikely]]
      prepare_newly(var);
  }
  /// A fence, which is no step.
  void fence(std::memory_order order, Where where);
  /// Adds `change`, 1 or -1, to the number of requests to ignore data races of the current thread's reads, or
  /// of its writes. access() does not look at it; its callers must.
  void ignore_races(VarAccess access, int change);

  // -- Objects (objects.cpp)

  void construct(Object& object, Where where);
  /// Before an access that is no step: whether the object is in order.
  [[nodiscard]] bool touch(Object& object, Operation operation, Where where) {
    return object.life == life || first_touch(object, operation, where);
  }
  /// The end of an object whose destruction is no step.
  void forget(Object& object) {
    if (object.outsider != 0 || counts_objects) [[unlikely]]
      forget_known(object);
    object.end_life();
  }
  /// So that a report on a later use of `object` says where it ended. Only while recording.
  void note_end_of(const Object& object, Where where);
  /// The step that ends the life of `object`.
  void destroy(Object& object, Where where);
  /// Gives `object` or the current thread the name that schedules and reports print.
  void name(const Object& object, std::string_view name);
  void name(const Thread& thread, std::string_view name);
  /// As name(), for what is no face; known only where there is a ThreadHost.
  void name_memory(const void* object, std::string_view name);

  /// Forgets the outside objects of the last search; at the beginning of a search.
  void forget_outside_objects();
  /// Forgets which operations of the last search were weaker than seq_cst.
  void forget_weaker_orders();
  /// Records a value for the current step: `text` as in "→ 3". Only while recording.
  void note_value(std::string_view text);
  /// Records whether the current step, a try or a compare-exchange, has succeeded, and what it found: the
  /// value as text, or nothing. Only while recording.
  void note_outcome(bool succeeded, std::string_view found = {});
  /// Records an access to a var. Only while recording.
  void note_access(const Object& object, Access access, std::string_view text, Where where);

  // -- For executions in child processes

  /// Writes the logs of the executions that follow there, or where they went in the beginning (nullptr).
  void write_log_to(void* memory);
  /// Before a child process: each thread that there has been gets a stack of `bytes`. Returns how many there
  /// are.
  unsigned prepare_stacks(std::size_t bytes);
  /// After it: what it has done on its stacks is gone, and the stacks of threads from that index on, too.
  void forget_stacks_from(unsigned index);

  // -- For the rest of the runtime

  [[nodiscard]] ColdState& cold_state();  ///< what is not plain data (cold_state.hpp)

  /// Called by std::terminate on a fiber: records the failure unless one is known, and leaves the stack for
  /// ever.
  [[noreturn]] void terminated();

 private:
  struct Cut {};  ///< thrown to unwind a fiber

  [[gnu::always_inline]] void exchange_exceptions(Thread& self, const Thread& next) {
    self.exceptions = *exception_state;
    *exception_state = next.exceptions;
  }
  /// On the fast path: the current thread keeps running.
  [[gnu::always_inline]] void log_staying() {
    const unsigned self = current->index;
    log[position] = {enabled.low_word(), static_cast<std::uint32_t>(hash.low),
        static_cast<std::uint16_t>(thread_code(self)), static_cast<std::uint8_t>(self), LogEntry::narrow, 1,
        0};
    ++position;
  }
  /// The longer ways.
  [[nodiscard, gnu::always_inline]] bool stop_and_resume(
      Object& object, Operation operation, bool ready, Where where) {
    Thread& next = stop_before(object, operation, ready, where);
    // On whom a choice between several falls cannot be predicted, and a jump to oneself costs less than a
    // wrong guess.
    if (enabled.has_several_low() || &next != current) switch_to(next);
    return resume();
  }

  // scheduling.cpp
  // For assertions: what is counted by hand counted anew, special_waits_ and slow_path_reasons_; what
  // notifications and locks have put into the sets and taken out of them, asked of each thread; and whether
  // `access` is what the row of `operation` says that it does to `object`.
  [[nodiscard]] bool counters_are_right() const;
  [[nodiscard]] bool sets_are_right() const;
  [[nodiscard]] bool is_as_stated(const Object& object, Operation operation, Access access) const;
  [[nodiscard]] Thread& stop_before(Object& object, Operation operation, bool ready, Where where);
  [[gnu::noinline]] Thread& after_stop(Thread& self);
  [[nodiscard]] Thread& choose_next();
  [[nodiscard, gnu::noinline]] Thread& choose_on_slow_path();
  [[nodiscard, gnu::noinline]] Thread& consult();
  [[nodiscard, gnu::noinline]] Thread& draw_from_many();
  [[nodiscard, gnu::noinline]] Thread& step_by_least_named();
  LogEntry& write_entry(unsigned chosen);
  Thread& step_by(unsigned chosen);
  [[nodiscard]] Code choose_among_all(LogEntry& entry);
  [[nodiscard]] std::uint32_t choose_value(
      Operation operation, std::uint32_t count, std::uint16_t price, Where where);
  [[nodiscard, gnu::noinline]] unsigned least_named(const ThreadSet& set) const;
  [[nodiscard]] bool is_futile(const Thread& thread) const;
  void note_priced_yield(unsigned thread, bool is_at_it);
  /// The next step does not take the fast path.
  void leave_fast_path() { stop = 0; }
  /// All steps take the slow path, until one of them finds no reason for it any more.
  void leave_common_path() { stop = common_until = 0; }
  void add_slow_path_reason() {
    ++slow_path_reasons_;
    leave_common_path();
  }
  void plan_fast_path() {
    const std::uint32_t consult_at = chooser_->consult_at;
    stop = consult_at < common_until ? consult_at : common_until;
  }
  Thread& set_going(Thread& next, Mode mode) {
    next.state = Thread::State::running;
    next.mode = mode;
    if (next.is_in_a_set) [[unlikely]]
      return take_out_of_sets(next);
    return next;
  }
  Thread& add_thread(Thread* creator, std::uint32_t ordinal);
  [[noreturn]] static void fiber_main();
  void caught_at_the_end(Thread& self);
  void explain_by_exception(const Thread& self, const std::string& exception);
  [[nodiscard]] Thread& finish_thread(Thread& self);
  [[nodiscard]] std::string last_operation(const Thread& thread, bool of_destructors = false) const;
  Thread& prepare_slot(unsigned index);
  static void give_stack(Thread& thread, std::size_t bytes);
  bool resume() {
    if (ending) [[unlikely]]
      return resume_while_ending();
    return true;
  }
  bool resume_while_ending();
  [[gnu::noinline]] void attend_to_all(
      Object& object, Operation operation, Access access, std::memory_order order);
  void act_on_parts(Thread& self, Access access);
  [[gnu::noinline, gnu::cold]] void note_order_newly(
      const Object* object, std::uint64_t asked, Where where, std::uint64_t key);
  void sanitizer_before_switch(Thread& self, const Thread& next);
  void sanitizer_after_switch(Thread& self);

  // blocking.cpp
  /// can_be_done(), and no guard is in the way.
  [[nodiscard]] bool can_complete(const Thread& thread) const;
  /// Whether what the thread's operation needs is there: the mutex free, and the like.
  [[nodiscard]] static bool can_be_done(const Thread& thread);
  /// Whether nothing has changed yet that it waits for in an await.
  [[nodiscard, gnu::noinline]] static bool is_held_by_guard(const Thread& thread);
  void guard(Thread& thread);
  void drop_guard(Thread& thread);
  /// A thread that goes on after an await has read all that it waited for.
  void read_awaited(Thread& thread, Operation operation);
  /// The time is over for which a thread has waited that polls the clock.
  void end_poll_by_time(Thread& thread);
  [[nodiscard]] static bool may_expire(const Thread& thread, bool can_go_on);
  [[nodiscard]] bool may_wake_spuriously(const Thread& thread) const;
  [[nodiscard]] static ThreadSet* waiting_set(const Pending& pending);
  void refresh(const ThreadSet& threads);
  void refresh(const Thread& thread);
  static void wait_in(ThreadSet& waiting, Thread& thread) {
    waiting.insert(thread.index);
    thread.waits_in = &waiting;
    thread.is_in_a_set = true;
  }
  Thread& take_out_of_sets(Thread& thread);
  bool stop_to_reacquire(Mutex& mutex, Where where);
  [[nodiscard]] std::uint32_t choose_waiter(const ThreadSet& waiters, Operation operation, Where where);
  void wake(Thread& thread);
  [[nodiscard]] Thread& stop_to_join(Thread& thread, Where where);
  void joined_at_once(const Thread& thread);
  void join_while_ending(Thread& thread);
  void advance_clock(std::int64_t to);
  /// Whether time does not pass before `thread` has gone on.
  [[nodiscard]] bool holds_up_time(unsigned thread) const;
  /// Whether time passes while `thread` sleeps, if it may: nobody else holds it up.
  [[nodiscard]] bool may_let_time_pass(unsigned thread) const;
  /// Whether `thread` is about to sleep while time may pass, but others have something useful to do.
  [[nodiscard]] bool may_hold_time(unsigned thread) const;
  /// Who could go on as far as fairness is concerned: also threads whose timed wait is over by now.
  [[nodiscard]] ThreadSet could_go_on() const;

  // deadlock_report.cpp
  Thread& deadlock();
  void reach_step_limit(Where where);
  /// "⏎  main waits …" and "; teller holds it …". Only while recording.
  [[nodiscard]] std::string describe_waiting(const Thread& thread) const;
  [[nodiscard]] std::string describe_holder(const Object& object) const;
  /// Threads each of which waits for the next and the last for the first; empty when there are none.
  [[nodiscard]] std::vector<unsigned> circle_of_waiting() const;
  /// "⏎… wait for each other; …" where there is such a circle, else empty. Only while recording.
  [[nodiscard]] std::string describe_circle() const;

  // ending.cpp
  [[nodiscard]] std::string describe_open_threads() const;
  void begin_ending(Outcome outcome);
  /// On a fiber while ending: unwinds the stack if that is possible here; otherwise returns and the thread
  /// runs on.
  void end_here();
  [[nodiscard]] Thread& next_to_end();
  [[noreturn]] void abandon(Thread& self);
  [[noreturn]] void abandon_all();

  // race_checks.cpp
  [[gnu::noinline]] void prepare_newly(Var& var);
  void access_newly(Var& var, VarAccess access, Where where);
  void begin_to_look_for_races();
  void see_whether_accesses_are_simple();
  void order_by_join(const Thread& joiner, const Thread& ended);
  /// Tells the record of an operation that makes no race.
  void record_order(Object& object, Operation operation, Access access, std::memory_order order);
  /// The operation that the current thread has just done makes it.
  [[gnu::noinline]] void fail_by_race(const Race& race);
  void fail_by_race(const Race& race, const Var& var, Where where);
  [[nodiscard]] std::uint64_t signature_of_race() const;

  // objects.cpp
  [[nodiscard]] bool first_touch(Object& object, Operation operation, Where where);
  [[nodiscard]] bool is_left_over(const Object& object) const;
  [[nodiscard]] bool is_from_earlier_execution(const Object& object) const;
  void restore_outside_objects();
  void forget_reads_of(const Object& object);
  void leave_ghost_of(const Object& object);
  void note_made(const Object& object, Where where);
  void forget_known(Object& object);
};

extern constinit Execution execution;

inline Object::Object(const ObjectKind& the_kind, FoundAt place)
    : life(execution.life), key(place.key), kind(&the_kind), version(0), outsider(0), clocks(0) {}
inline Object::Object(const ObjectKind& the_kind, Where where)
    : kind(&the_kind), version(0), outsider(0), clocks(0) {
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
