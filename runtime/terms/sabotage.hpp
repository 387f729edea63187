// Faults inserted on purpose, to check that the property tests notice them. A normal build has none:
// tests/sabotage/ compiles the library with HOCKET_SABOTAGE, and so does a build configured with the CMake
// option of that name.
#pragma once

#include <cstdint>

namespace hocket::runtime {

enum class Sabotage : std::uint8_t {
  none,
  no_versions,                ///< actions do not say which version of the object they found or made
  no_versions_of_reads,       ///< read actions do not, so a read no longer depends on writes
  no_outcomes,                ///< the outcome of a choice is not part of its action
  objects_named_by_creation,  ///< across all threads, instead of by creator

  // The table of states of hb-cache and auto.
  no_last_thread_in_cache_key,
  equal_prices_cover,        ///< whichever thread came last
  values_make_states,        ///< a state where a value is chosen is known by its graph alone
  guarded_states_are_known,  ///< by their graphs alone
  auto_skips_a_bound,        ///< where icb-por joins in

  // Shards of a search.
  every_shard_counts_what_all_run,
  shards_share_work,      ///< more than one runs an execution
  shards_leave_out_work,  ///< that is of none

  guards_make_no_states,  ///< of the strategies cb-por and cb-por-basic

  // Persistent sets: icb-por and dpor.
  contexts_are_first_steps,
  blocking_wakes_no_sleeper,      ///< a thread that blocks wakes none that depends on what it waits for
  dear_expiries_are_not_awaited,  ///< that cost less after steps of other threads
  dear_yields_are_not_awaited,
  steps_end_at_values,             ///< what a step does after a choice in it is no part of its footprint
  guards_begin_unseen,             ///< in a step that began without one
  only_the_stepping_thread_moves,  ///< although others begin, or go on after a join, in its step
  only_the_chooser_moves_too,      ///< and not the threads that wait for the chooser's first stop
  only_the_stepping_thread_ends,   ///< although a thread that joins it may end in the same step
  joins_read_nothing,              ///< in steps of the threads that join
  futile_yields_conflict_with_nothing,
  sleeps_conflict_with_nothing,
  conflicts_wake_no_sleeper,
  late_threads_are_not_reached,   ///< through the threads that create them
  blocked_threads_await_nothing,  ///< threads of the set
  deadlocks_await_nothing,        ///< what stuck threads wait for does not count

  awaits_see_last_versions,  ///< for what the predicate of an await reads more than once
  expiry_needs_the_mutex,    ///< a wait on a condition variable leaves the queue only while the mutex is free

  // Polling loops in instrumented code.
  rounds_may_count,  ///< a round counts as silent although the thread's registers or stack have changed
  rounds_may_write,  ///< and although it has written plain data
  rounds_may_write_for_a_moment,  ///< and undone it, so that other threads may have seen it
  rounds_may_read_other_data,     ///< and although its plain reads have found other values
  rounds_may_act,                 ///< and although an operation in it has changed something
  polls_await_the_last_look,      ///< of a round of several
  polls_await_held_locks,         ///< that a round takes while it holds another one
  polls_do_not_await_time,
  shared_locks_must_be_free,  ///< for a round that takes one while it holds another lock
  overlaps_are_not_awaited,   ///< objects of other sizes in the memory that a round has looked at
  long_polls_are_alone,       ///< always: no other thread runs before they come to their ends
  sections_of_polls_count,    ///< a section of a silent round wakes threads that wait for sections to end
  sections_in_the_way_are_unseen,  ///< sections because of which another thread's try failed wake no thread
  compare_exchanges_are_looks,     ///< whatever they write
  clock_rounds_may_differ,         ///< in the state of the thread
  clock_rounds_await_the_clock,    ///< alone, and not what they look at between two looks at it

  // Loops that retry.
  retries_yield_in_their_middle,  ///< not only where a round begins
  retries_share_their_heads,      ///< where one loop that retries follows another
  cycles_of_retries_are_endless,  ///< although another schedule may leave them

  // Futex system calls.
  bits_of_futexes_are_ignored,
  nobody_is_woken_by_a_futex_call,  ///< it returns 0 whomever it wakes
  requeued_threads_are_woken,
  moves_to_other_futexes_are_unseen,  ///< by the recorded graphs
  woken_threads_look_again,           ///< at the word, and go on waiting if its value is the old one
  one_waiter_is_always_the_first,     ///< of those that a call may reach: there is no choice

  // Detached threads.
  workers_excuse_the_body,  ///< a deadlock of others is none while detached threads wait
  workers_that_wait_are_no_leaks,
  ends_of_workers_conflict_with_nothing,  ///< not even with the body's

  // Files, timers and locks of the system.
  waits_are_for_numbers,       ///< of descriptors, not for the files that these stood for when they began
  waits_close_unseen,          ///< the files that only they have kept open
  waits_never_close,           ///< those files
  waits_of_processes_hold,     ///< descriptors of files, whose locks the process loses when they are closed
  positions_are_not_shared,    ///< what a read or a write does to the position of a file is no change of it
  names_reach_no_files,        ///< a file's name and the file are not one
  waits_in_sets_take_nothing,  ///< from a set of epoll, also where an event is reported once
  sets_change_unseen,          ///< by the threads that wait in a set of epoll
  queues_are_asked_unseen,     ///< for how many messages they have
  set_timers_end_no_wait,      ///< for the time to which they were set before
  timers_expire_once,          ///< also those with an interval
  readers_overtake_writers,    ///< that wait, at a lock that prefers writers
  readers_take_locks_again,    ///< of that kind, although a writer waits
  pipes_stay_changed,          ///< after an execution, those from before the search
  streams_stay_changed,        ///< after an execution, those of such pipes
  streams_change_unseen,       ///< what is behind them
  pages_stay_changed,          ///< after an execution, those that were mapped before the search
  statics_stay_changed,        ///< after an execution

  // Signals.
  signals_of_processes_come_first,  ///< before those of the thread that takes one
  signals_merge,                    ///< those of real time, too
  joined_threads_take_none,         ///< whether or not they are known to be joined

  // Ends of threads, and exceptions that threads share.
  thread_locals_go_in_order,     ///< of their construction
  keys_are_looked_at_once,       ///< although a destructor has set a value again
  promises_are_kept_unseen,      ///< at the end of a thread
  exceptions_are_let_go_unseen,  ///< by the reductions
  exceptions_order_nothing,      ///< who lets go of one has not seen what others did with it

  // Race detection.
  no_memory_orders,       ///< every atomic operation counts as sequentially consistent
  unlock_orders_nothing,  ///< neither does the release of a semaphore
  readers_order_readers,  ///< unlock_shared orders a later lock_shared
  join_orders_nothing,
  fences_order_nothing,
  stores_continue_release_sequences,  ///< although only updates do
  updates_end_release_sequences,
  only_the_last_read_counts,    ///< of several that are not ordered
  constructions_are_no_writes,  ///< of objects that are no vars
  destructions_are_no_writes,
  destruction_looks_at_one_user,  ///< the thread that was created last
  frees_are_no_writes,            ///< of the blocks that they free

  // The C++ memory model.
  readers_know_nothing,      ///< a thread may read an older store than one that an earlier action has read
  updates_are_not_adjacent,  ///< a store may come between a read-modify-write and what it has read
  seq_cst_orders_nothing,
  seq_cst_fences_order_nothing,
  seq_cst_reads_the_newest,
  notifications_are_stores,    ///< of the value that is there, and so is falling asleep
  plain_reads_forget_history,  ///< what was stored before cannot be read any more
};

#if defined(HOCKET_SABOTAGE)
inline Sabotage sabotage = Sabotage::none;
inline bool is_sabotaged(Sabotage fault) {
  return fault == sabotage;
}
inline bool sabotage_is_on() {
  return sabotage != Sabotage::none;
}
#else
constexpr bool sabotage_is_on() {
  return false;
}
constexpr bool is_sabotaged(Sabotage /*fault*/) {
  return false;
}
#endif

}  // namespace hocket::runtime
