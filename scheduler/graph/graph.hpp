// The happens-before graph of an execution, recorded as it runs, and the states that are prefixes of it.
//
// A state is a set of actions that is closed under happens-before: a *cut*. It is represented by the number
// of events that each thread has completed. An event is the result of one choice: either a step of the chosen
// thread, or what a thread did between one choice of a value inside a step and the next. A reduction asks
// which threads are enabled at a cut, what their steps would add to the class, and what they would cost. All
// of this follows from the recording, without running the program: the operation that a thread is stopped
// before depends only on the thread's own past, and the state of an object only on the number of its writes
// in the cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/objects/observer.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/sabotage.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "../../runtime/terms/thread_set.hpp"

namespace hocket {

/// Assigns threads numbers that are stable across the executions of a search. They start at 1; 0 means no
/// thread.
class ThreadNumbers {
 public:
  unsigned number(std::uint64_t key) {
    const auto [place, is_new] = numbers_.try_emplace(key, static_cast<unsigned>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return place->second;
  }
  [[nodiscard]] std::uint64_t key(unsigned number) const { return keys_[number]; }
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(keys_.size()); }

 private:
  std::unordered_map<std::uint64_t, unsigned> numbers_;
  std::vector<std::uint64_t> keys_{0};
};

/// Something that can happen next at a cut.
struct Successor {
  unsigned thread;
  bool is_value;  ///< a choice of `value`, inside a step; otherwise a step in `mode`
  runtime::Mode mode;
  std::uint32_t value;
  runtime::ClassHash delta;  ///< the change in the hash of the cut

  [[nodiscard]] runtime::Code code() const { return is_value ? value : runtime::thread_code(thread, mode); }
};

/// An object that an event touches.
struct Touch {
  std::uint32_t object;  ///< its number in this execution
  bool writes;
};

class Graph final : public runtime::Observer {
 public:
  using Count = std::uint32_t;
  /// The number of events of each thread, indexed by thread in this execution; `width()` entries.
  using Cut = const Count*;

  static constexpr unsigned kNobody = runtime::kMaxThreads;
  static constexpr unsigned kImpossible = 255;  ///< the price of what cannot happen

  explicit Graph(bool spurious_wakeups) : spurious_wakeups_(spurious_wakeups) {}

  // -- Recording. The strategy calls settle() when it is asked to choose, and finish() after the execution.

  void begin(const runtime::Thread& first) override;
  void created(const runtime::Thread& thread) override;
  void started(const runtime::Thread& thread) override;
  void joined(const runtime::Thread& thread, const runtime::Thread& target) override;
  void stopped(const runtime::Thread& thread, bool is_free) override;
  void chose_thread(const runtime::Thread& thread, runtime::Mode mode) override;
  void met_values(const runtime::Thread& thread, runtime::Operation operation, std::uint32_t count,
      std::uint16_t price) override;
  void chose_value(const runtime::Thread& thread, std::uint32_t value) override;
  void acted(const runtime::Object& object, runtime::Access access) override;
  void over(bool is_cut_short) override;
  void woke(const runtime::Thread& thread) override;

  /// Completes the running event: it does nothing more to objects. `class_hash` is the current hash of the
  /// class.
  void settle(const runtime::ClassHash& class_hash);
  /// Completes the recording after the execution.
  void finish(const runtime::ExecutionResult& result);

  /// Sets what the next event must add to the hash. If it adds something else, is_consistent() becomes false.
  void expect(const runtime::ClassHash& delta) {
    expected_ = delta;
    expects_ = true;
  }
  [[nodiscard]] bool is_consistent() const { return is_consistent_; }

  // -- Threads

  /// At least the number of threads of the execution.
  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] unsigned threads() const { return used_; }
  /// The stable number of a thread; 0 for kNobody.
  [[nodiscard]] unsigned number(unsigned thread) const {
    return thread == kNobody ? 0 : threads_[thread].number;
  }
  [[nodiscard]] std::uint64_t key(unsigned thread) const { return threads_[thread].thread->key; }
  [[nodiscard]] unsigned numbers() const { return numbers_.size(); }

  // -- Cuts

  /// The cut of everything that has happened so far.
  [[nodiscard]] Cut top() const { return top_.data(); }
  [[nodiscard]] runtime::ClassHash hash(Cut cut) const;

  struct Event {
    runtime::ClassHash delta;
    std::uint32_t clock = 0;  ///< the events that happened before it, and itself
    runtime::Operation operation = runtime::Operation::none;
    runtime::Mode mode = runtime::Mode::run;
    bool is_value = false;
    bool is_late = false;     ///< a wait expired that may do so only when no thread can go on
    std::uint16_t price = 0;  ///< price of the value
    std::uint32_t value = 0;
    std::uint32_t first_touch = 0;  ///< index in touches_
    std::uint32_t touches = 0;
  };

  /// Which threads can run at a cut, and how.
  struct Situation {
    unsigned chooser = kNobody;  ///< the thread at a choice of values; no other thread can run then
    runtime::ThreadSet enabled;
    runtime::ThreadSet expirable;
    runtime::ThreadSet wakable;
    runtime::ThreadSet futile;     ///< enabled, at a yield that would change nothing
    runtime::ThreadSet forbidden;  ///< enabled and not to be preempted; empty at a choice of values
    bool somebody_is_useful = false;
  };

  /// The events in the order in which they ran.
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] const Event& event(std::size_t nth) const {
    return threads_[order_[nth].thread].events[order_[nth].count - 1];
  }
  [[nodiscard]] unsigned thread_of_event(std::size_t nth) const { return order_[nth].thread; }
  [[nodiscard]] std::span<const Touch> touches(const Event& event) const {
    return {touches_.data() + event.first_touch, event.touches};
  }
  /// Calls `visit(target)` for each thread that `thread` has joined in the last event.
  template <class Visit>
  void for_each_joined_in_last_event(unsigned thread, Visit&& visit) const {
    for (std::size_t n = joins_.size(); n != 0 && joins_[n - 1].event == order_.size(); --n) {
      if (joins_[n - 1].thread == thread) visit(joins_[n - 1].target);
    }
  }
  /// Whether the effect of an event, or whether it is possible, depends on which other threads are enabled,
  /// which no object records. A sleep advances the clock if no other thread can make progress, and there are
  /// no spurious wake-ups if no thread is enabled. A late wait expires if no thread can go on.
  [[nodiscard]] static bool depends_on_everybody(const Event& event) {
    return event.operation == runtime::Operation::thread_sleep || event.mode == runtime::Mode::spurious ||
           event.is_late;
  }
  /// Whether a thread has joined another one in the last step. Then the step may have been that of either: of
  /// the one that has joined, or of the other one, which has ended.
  [[nodiscard]] bool has_joined_in_last_step() const {
    std::size_t step = order_.size();
    while (step != 0 && event(step - 1).is_value) --step;
    return !joins_.empty() && joins_.back().event >= step;
  }
  /// Stores in `out` what `thread` would touch if it took the next step at the cut.
  void touches(Cut cut, const Situation& situation, unsigned thread, runtime::Mode mode,
      std::vector<Touch>& out) const;
  /// Stores in `out` what decides, after everything that has happened so far, whether `thread` can take its
  /// next step and what the step does. Returns false if that depends on more than objects, such as on the
  /// other threads that are enabled. A thread that joins another one has no next step, and `out` is empty.
  bool dependencies(unsigned thread, std::vector<Touch>& out) const;
  /// How many events `thread` has completed so far.
  [[nodiscard]] Count events_of(unsigned thread) const { return top_[thread]; }
  /// Whether `thread` is stopped before a step, after everything that has happened so far.
  [[nodiscard]] bool is_stopped(unsigned thread) const {
    return top_[thread] < threads_[thread].stops.size() && threads_[thread].stops[top_[thread]].is_there;
  }
  /// The stable name of an object with a number in this execution.
  [[nodiscard]] std::uint64_t object_key(std::uint32_t object) const { return objects_[object].key; }
  /// Whether an event was a yield that could not be futile, and no sleep. Such a yield changes nothing but
  /// the price of the next switch, and the thread alone has decided that it comes.
  [[nodiscard]] bool was_plain_yield(std::size_t nth) const {
    return is_plain_yield(threads_[order_[nth].thread].stops[order_[nth].count - 1]);
  }
  /// Whether the last step of `thread` so far was a yield or a sleep, after which a switch costs nothing.
  [[nodiscard]] bool has_just_yielded(unsigned thread) const { return yielded_last(top(), thread); }
  /// Whether a thread held a no_preemption guard at some stop of this execution.
  [[nodiscard]] bool has_guards() const { return has_guards_; }

  /// The last event of `thread` in the cut, which must contain one.
  [[nodiscard]] const Event& last_event(Cut cut, unsigned thread) const {
    return threads_[thread].events[cut[thread] - 1];
  }

  [[nodiscard]] Situation situation(Cut cut) const;

  /// Calls `visit(thread)` for each thread whose last event in the cut can come last of all, so that the cut
  /// without this event is a state from which the event leads here. `scratch` has room for width() counts.
  template <class Visit>
  void for_each_maximal(Cut cut, std::vector<Count>& scratch, Visit&& visit) const {
    for (unsigned thread = 0; thread < used_; ++thread) {
      if (cut[thread] != 0 && is_maximal(cut, thread, scratch)) visit(thread);
    }
  }

  /// Calls `visit(Successor)` for everything that can happen next, at any cost.
  template <class Visit>
  void for_each_successor(Cut cut, const Situation& situation, Visit&& visit) const {
    using runtime::Mode;
    if (situation.chooser != kNobody) {
      const Stop& stop = threads_[situation.chooser].stops[cut[situation.chooser]];
      for (std::uint32_t value = 0; value < stop.count; ++value) {
        visit(
            Successor{situation.chooser, true, Mode::run, value, value_delta(cut, situation.chooser, value)});
      }
      return;
    }
    const auto step = [&](unsigned thread, Mode mode) {
      visit(Successor{thread, false, mode, 0, step_delta(cut, situation, thread, mode)});
    };
    for (unsigned thread = 0; thread < used_; ++thread) {
      if (situation.enabled.contains(thread)) step(thread, Mode::run);
      if (situation.expirable.contains(thread)) step(thread, Mode::expire);
      if (situation.wakable.contains(thread)) step(thread, Mode::spurious);
    }
  }

  /// The only thread that can run after a step of `last`, because it must not be preempted, or kNobody. What
  /// can follow depends on this. So a cut with such threads stands for several states: one for each of these
  /// threads coming last, and one for any other thread coming last.
  [[nodiscard]] static unsigned kept_running(const Situation& situation, unsigned last) {
    // If no thread has made a step yet, the situation is the same as after a step of the body's own thread.
    const unsigned runs = last == kNobody ? 0 : last;
    const bool is_kept = situation.forbidden.contains(runs) &&
                         !runtime::is_sabotaged(runtime::Sabotage::guards_make_no_states);
    return is_kept ? runs : kNobody;
  }
  /// The thread that made the last step, or kNobody.
  [[nodiscard]] unsigned last() const {
    std::size_t n = order_.size();
    while (n != 0 && event(n - 1).is_value) --n;  // still in the same thread's step
    return n == 0 ? kNobody : order_[n - 1].thread;
  }

  /// The cost of continuing with `next` after a step of `last`; kImpossible if that cannot happen.
  [[nodiscard]] unsigned price(
      Cut cut, const Situation& situation, unsigned last, const Successor& next) const;
  /// The cost of `event` of `thread`, which followed the cut `before` and a step of `last`.
  [[nodiscard]] unsigned price_of_event(
      Cut before, const Situation& situation, unsigned last, unsigned thread, const Event& event) const {
    return event.is_value ? event.price : price(before, situation, last, {thread, false, event.mode, 0, {}});
  }

  /// A nonzero checksum of what the threads are about to do. A deterministic body has the same checksum
  /// whenever it reaches this state.
  [[nodiscard]] std::uint16_t check(Cut cut, const Situation& situation) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Where a thread is stopped after a given number of its own events.
  struct Stop {
    bool is_there = false;
    bool is_value = false;
    bool must_be_woken = false;  ///< it has begun to wait for a notification
    bool timed = false;
    bool special = false;
    bool is_late = false;
    bool forbids_preemption = false;
    bool is_guarded = false;      ///< held back until something that it has read changes
    bool polls = false;           ///< held back until the state of something that it has read changes
    bool lets_time_pass = false;  ///< Looks::lets_time_pass
    bool has_changed = false;     ///< something that it had read had already changed when it stopped
    bool may_be_futile = false;   ///< at a yield, with no write since the last one
    bool may_fail_spuriously = false;
    bool needs_others = true;  ///< `clock` requires events of other threads
    runtime::Operation operation = runtime::Operation::none;
    std::uint16_t price = 0;  ///< price of every value except 0
    std::uint32_t count = 0;  ///< number of values
    std::uint32_t object = kNone;
    std::uint32_t second = kNone;
    std::uint32_t wait = kNone;
    std::uint32_t clock = 0;       ///< what must have happened for the thread to be here
    std::uint32_t first_read = 0;  ///< in reads_: reads since its last yield, or in the await that guards it
    std::uint32_t reads = 0;
    std::uint32_t first_part = 0;  ///< Thread::parts_touched, in parts_
    std::uint32_t parts = 0;
    std::uint64_t next_action = 0;
    std::uint64_t expected = 0;
    std::int64_t time = 0;  ///< timed: the deadline; at a sleep: how long it is
  };

  struct ThreadRecord {
    const runtime::Thread* thread = nullptr;
    unsigned number = 0;
    std::vector<Event> events;
    std::vector<Stop> stops;               ///< indexed by the number of completed events
    std::vector<runtime::ClassHash> sums;  ///< sums of the deltas, indexed likewise
    std::uint32_t clock = 0;               ///< what has happened before its next event
    bool clock_is_own = false;
    std::uint32_t wait = kNone;  ///< the wait that it is enqueued for, in waits_
  };

  struct EventName {
    unsigned thread;
    Count count;  ///< position among the thread's events, from 1
  };

  struct ObjectRecord {
    std::uint64_t key = 0;
    const runtime::Object* object = nullptr;
    const runtime::ObjectKind* kind = nullptr;
    std::vector<EventName> writes;        ///< indexed by version - 1
    std::vector<std::uint64_t> states;    ///< fingerprints, indexed by version
    std::vector<std::uint64_t> sections;  ///< for a lock: ObjectKind::sections, indexed by version
    std::uint32_t write_clock = kNone;    ///< clock of the last write
    std::uint32_t reads_clock = kNone;    ///< joined clocks of all reads since then
    std::uint32_t destroyed_at = kNone;   ///< version at which it is gone
  };

  struct Join {
    std::size_t event;  ///< in which it was completed, from 1; 0: before the first one
    unsigned thread;
    unsigned target;
  };

  struct Wait {
    std::uint32_t object;
    bool is_woken = false;
    EventName woken_by{};
  };

  struct Read {
    std::uint32_t object;  ///< its number
    runtime::Thread::Read read;
  };

  /// For assertions: whether the graph agrees with the runtime that `thread` can run in `mode`.
  [[nodiscard]] bool agrees(unsigned thread, runtime::Mode mode) const;

  // clocks
  std::uint32_t new_clock();
  std::uint32_t copy_clock(std::uint32_t of);
  void join_clock(std::uint32_t into, std::uint32_t from);
  [[nodiscard]] Count* clock(std::uint32_t at) { return clocks_.data() + at; }
  [[nodiscard]] const Count* clock(std::uint32_t at) const { return clocks_.data() + at; }

  // recording
  ThreadRecord& enter(const runtime::Thread& thread);
  ThreadRecord& record(const runtime::Thread& thread) { return threads_[thread.index]; }
  Stop& stop_of(const runtime::Thread& thread, ThreadRecord& record);
  void note_reads(Stop& stop, const std::vector<runtime::Thread::Read>& reads, bool& unchanged);
  void note_parts(Stop& stop, const runtime::Thread& thread);
  Event& new_event(unsigned thread);
  void widen();
  std::uint32_t object_number(const runtime::Object& object);
  [[nodiscard]] std::uint32_t known_object(std::uint64_t key) const;

  // states
  [[nodiscard]] runtime::ClassHash action(Cut cut, std::uint64_t next_action, std::uint32_t object,
      runtime::Operation operation, runtime::Access access) const;
  [[nodiscard]] bool is_there(Cut cut, const Stop& stop) const;
  /// Takes out of `now` the threads whose wait is late, unless its time has come.
  void hold_late_waits(Cut cut, Situation& now) const;
  [[nodiscard]] bool contains(Cut cut, const EventName& event) const {
    return cut[event.thread] >= event.count;
  }
  [[nodiscard]] bool is_maximal(Cut cut, unsigned thread, std::vector<Count>& scratch) const;
  [[nodiscard]] std::uint32_t version(Cut cut, std::uint32_t object) const;
  [[nodiscard]] std::uint64_t state(Cut cut, std::uint32_t object) const;
  [[nodiscard]] std::uint64_t sections(Cut cut, std::uint32_t lock) const;
  /// Whether the atomic holds the value that the pending compare-exchange expects.
  [[nodiscard]] bool holds_expected(Cut cut, const Stop& stop) const;
  struct StateAtCut;
  [[nodiscard]] bool can_take(Cut cut, std::uint32_t object, runtime::Need need, unsigned thread) const;
  [[nodiscard]] bool is_gone(Cut cut, std::uint32_t object) const;
  [[nodiscard]] bool is_woken(Cut cut, const Stop& stop) const;
  [[nodiscard]] bool can_complete(Cut cut, const Stop& stop, unsigned thread) const;
  [[nodiscard]] bool is_futile(Cut cut, const Stop& stop) const;
  /// Whether nothing that the thread had read by this stop has changed.
  [[nodiscard]] bool is_unchanged(Cut cut, const Stop& stop) const;
  [[nodiscard]] bool is_held_by_guard(Cut cut, const Stop& stop) const;
  [[nodiscard]] bool yielded_last(Cut cut, unsigned thread) const;
  [[nodiscard]] static bool is_plain_yield(const Stop& stop);
  [[nodiscard]] std::vector<unsigned> waiters(Cut cut, std::uint32_t object) const;
  /// Enumerates what a step does: calls `touch(object, operation, access)` or `decide(outcome)` for each
  /// action, in order.
  template <class OnTouch, class OnDecision>
  void for_each_action(Cut cut, const Situation& situation, unsigned thread, runtime::Mode mode,
      OnTouch&& touch, OnDecision&& decide) const;
  /// Calls `touch` likewise for each part of the object that the thread is about to operate on.
  template <class OnTouch>
  void for_each_part(const Stop& stop, runtime::Access access, OnTouch&& touch) const {
    for (std::uint32_t n = 0; n < stop.parts; ++n)
      touch(parts_[stop.first_part + n], runtime::operation_on_part(access), access);
  }
  [[nodiscard]] bool is_undecided(Cut cut, const Stop& stop) const;
  [[nodiscard]] runtime::ClassHash step_delta(
      Cut cut, const Situation& situation, unsigned thread, runtime::Mode mode) const;
  [[nodiscard]] runtime::ClassHash value_delta(Cut cut, unsigned thread, std::uint32_t value) const;

  bool spurious_wakeups_;
  ThreadNumbers numbers_;
  unsigned width_ = 4;
  unsigned used_ = 0;                  ///< threads of this execution
  std::vector<ThreadRecord> threads_;  ///< by index
  std::vector<Count> top_;

  std::vector<Count> clocks_;
  std::vector<ObjectRecord> objects_;
  std::uint32_t objects_used_ = 0;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t execution = 0;
    std::uint32_t object = 0;
  };
  std::vector<Slot> object_slots_;
  std::uint32_t execution_ = 0;
  std::vector<Join> joins_;
  std::vector<Wait> waits_;
  std::vector<EventName> order_;
  std::vector<Touch> touches_;
  bool has_guards_ = false;
  std::vector<Read> reads_;
  std::vector<std::uint32_t> parts_;    ///< numbers of objects
  std::uint32_t clock_object_ = kNone;  ///< the virtual clock's number
  std::vector<std::int64_t> times_;     ///< what the clock shows, indexed by its version

  /// Added to the hash while it is undecided whether a weak compare-exchange that could succeed fails
  /// spuriously. This is the only state in the middle of a step that has no action of its own.
  static runtime::ClassHash undecided(std::uint64_t next_action) {
    runtime::ClassHash mark;
    mark.add(next_action, 0x6465636964652121U);
    return mark;
  }

  unsigned running_ = kNobody;        ///< the thread of the running event
  std::vector<std::uint32_t> dirty_;  ///< objects that the running event has written
  runtime::ClassHash hash_;           ///< hash of everything before the running event
  runtime::ClassHash mark_;           ///< see undecided()
  bool is_settled_ = true;
  bool is_cut_short_ = false;  ///< then only the event that ran last can come last
  bool has_values_ = false;    ///< some thread chose a value
  runtime::ClassHash expected_;
  bool expects_ = false;
  bool is_consistent_ = true;
};

}  // namespace hocket
