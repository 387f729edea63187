// The happens-before graph of an execution, recorded as it runs, and the states that are prefixes of it.
//
// A state is a set of actions that is closed under happens-before: a *cut*. It is written as the number of
// events that each thread has behind it. An event is what one choice led to: a step of the thread that was
// chosen, or what a thread did between one choice of a value inside a step and the next. Everything that a
// reduction asks about a cut — who could go on there, what that would add to the class, what it would cost —
// follows from what was recorded, without running the program: the operation that a thread is stopped before
// depends on its own past alone, and the state of an object on the number of its writes in the cut.
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

/// Numbers for threads that mean the same in every execution of a search, from 1; 0 stands for nobody.
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
  runtime::ClassHash delta;  ///< what it adds to the hash of the cut

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
  /// The number of events of each thread, by its index in this execution; `width()` entries.
  using Cut = const Count*;

  static constexpr unsigned kNobody = runtime::kMaxThreads;
  static constexpr unsigned kImpossible = 255;  ///< a price that cannot be paid

  explicit Graph(bool spurious_wakeups) : spurious_wakeups_(spurious_wakeups) {}

  // -- Recording. The one that chooses calls settle() when it is asked, finish() when the execution is over.

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

  /// The event that runs has done all it does to objects; `hash` is that of the class by now.
  void settle(const runtime::ClassHash& class_hash);
  /// The execution is over.
  void finish(const runtime::ExecutionResult& result);

  /// What the event that is chosen next must add to the hash. Where it does not, is_consistent() says so.
  void expect(const runtime::ClassHash& delta) {
    expected_ = delta;
    expects_ = true;
  }
  [[nodiscard]] bool is_consistent() const { return is_consistent_; }

  // -- Threads

  /// At least the number of threads of the execution.
  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] unsigned threads() const { return used_; }
  /// The stable number of a thread; of kNobody: 0.
  [[nodiscard]] unsigned number(unsigned thread) const {
    return thread == kNobody ? 0 : threads_[thread].number;
  }
  [[nodiscard]] std::uint64_t key(unsigned thread) const { return threads_[thread].thread->key; }
  [[nodiscard]] unsigned numbers() const { return numbers_.size(); }

  // -- Cuts

  /// Everything that has happened so far.
  [[nodiscard]] Cut top() const { return top_.data(); }
  [[nodiscard]] runtime::ClassHash hash(Cut cut) const;

  struct Event {
    runtime::ClassHash delta;
    std::uint32_t clock = 0;  ///< what happened before it, and itself
    runtime::Operation operation = runtime::Operation::none;
    runtime::Mode mode = runtime::Mode::run;
    bool is_value = false;
    std::uint16_t price = 0;  ///< of the value
    std::uint32_t value = 0;
    std::uint32_t first_touch = 0;  ///< in touches()
    std::uint32_t touches = 0;
  };

  /// What matters at a cut: who could go on and how.
  struct Situation {
    unsigned chooser = kNobody;  ///< the thread that faces a choice of values, so that nobody else can go on
    runtime::ThreadSet enabled;
    runtime::ThreadSet expirable;
    runtime::ThreadSet wakable;
    runtime::ThreadSet futile;     ///< enabled, at a yield that would change nothing
    runtime::ThreadSet forbidden;  ///< enabled and not to be preempted, where no value is chosen
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
  /// Whether what an event does, or that it can happen, depends on who else can go on, which no object tells:
  /// a sleep moves the clock when nobody can, and nobody wakes up spuriously then.
  [[nodiscard]] static bool depends_on_everybody(const Event& event) {
    return event.operation == runtime::Operation::thread_sleep || event.mode == runtime::Mode::spurious;
  }
  /// What a step that is next at the cut would touch, into `out`.
  void touches(Cut cut, const Situation& situation, unsigned thread, runtime::Mode mode,
      std::vector<Touch>& out) const;
  /// Whether a thread has held a no_preemption guard at a stop of this execution.
  [[nodiscard]] bool has_guards() const { return has_guards_; }

  /// The last event of `thread` in the cut, which has one.
  [[nodiscard]] const Event& last_event(Cut cut, unsigned thread) const {
    return threads_[thread].events[cut[thread] - 1];
  }

  [[nodiscard]] Situation situation(Cut cut) const;

  /// Calls `visit(thread)` for each thread whose last event in the cut may have been the last of all, so that
  /// the cut without it is a state that the event leads on from. `scratch`: width() counts.
  template <class Visit>
  void for_each_maximal(Cut cut, std::vector<Count>& scratch, Visit&& visit) const {
    for (unsigned thread = 0; thread < used_; ++thread) {
      if (cut[thread] != 0 && is_maximal(cut, thread, scratch)) visit(thread);
    }
  }

  /// Calls `visit(Successor)` for everything that can happen next, whatever it costs.
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

  /// Who alone can go on where `last` made the last step, since it is not to be preempted; or kNobody. What
  /// can follow depends on that, so a cut at which there is such a thread stands for one state for each, and
  /// one where another one came last.
  [[nodiscard]] static unsigned kept_running(const Situation& situation, unsigned last) {
    // Nobody has made a step yet: as after one of the body's own thread.
    const unsigned runs = last == kNobody ? 0 : last;
    const bool is_kept = situation.forbidden.contains(runs) &&
                         !runtime::is_sabotaged(runtime::Sabotage::guards_make_no_states);
    return is_kept ? runs : kNobody;
  }
  /// The thread that made the last step, or kNobody.
  [[nodiscard]] unsigned last() const {
    std::size_t n = order_.size();
    while (n != 0 && event(n - 1).is_value) --n;  // inside the step of the last thread
    return n == 0 ? kNobody : order_[n - 1].thread;
  }

  /// What it costs to go on with `next` when `last` made the last step; kImpossible where that cannot be.
  [[nodiscard]] unsigned price(
      Cut cut, const Situation& situation, unsigned last, const Successor& next) const;
  /// What the last event of `thread` in the cut after it cost then.
  [[nodiscard]] unsigned price_of_event(
      Cut before, const Situation& situation, unsigned last, unsigned thread, const Event& event) const {
    return event.is_value ? event.price : price(before, situation, last, {thread, false, event.mode, 0, {}});
  }

  /// A word for what the threads are about to do, never 0: the same whenever the body gets to this state.
  [[nodiscard]] std::uint16_t check(Cut cut, const Situation& situation) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Where a thread is after so many events of its own.
  struct Stop {
    bool is_there = false;
    bool is_value = false;
    bool must_be_woken = false;  ///< it has begun to wait for a notification
    bool timed = false;
    bool special = false;
    bool forbids_preemption = false;
    bool is_guarded = false;      ///< by what it has read, until something of that changes
    bool polls = false;           ///< guarded, by the states of what it has read
    bool lets_time_pass = false;  ///< Looks::lets_time_pass
    bool has_changed = false;     ///< something of that already had when it stopped
    bool may_be_futile = false;   ///< at a yield, without a write since the last one
    bool may_fail_spuriously = false;
    bool needs_others = true;  ///< `clock` says more than that its own events are there
    runtime::Operation operation = runtime::Operation::none;
    std::uint16_t price = 0;  ///< of every value but 0
    std::uint32_t count = 0;  ///< of values
    std::uint32_t object = kNone;
    std::uint32_t second = kNone;
    std::uint32_t wait = kNone;
    std::uint32_t clock = 0;       ///< what must have happened before the thread is there
    std::uint32_t first_read = 0;  ///< since its last yield, or in the await that guards it
    std::uint32_t reads = 0;
    std::uint32_t first_part = 0;  ///< Thread::parts_touched, in parts_
    std::uint32_t parts = 0;
    std::uint64_t next_action = 0;
    std::uint64_t expected = 0;
  };

  struct ThreadRecord {
    const runtime::Thread* thread = nullptr;
    unsigned number = 0;
    std::vector<Event> events;
    std::vector<Stop> stops;               ///< by the number of events behind it
    std::vector<runtime::ClassHash> sums;  ///< of the deltas, by the same
    std::uint32_t clock = 0;               ///< what has happened before it goes on
    bool clock_is_own = false;
    std::uint32_t wait = kNone;  ///< what it has enqueued for
  };

  struct EventName {
    unsigned thread;
    Count count;  ///< it is the count-th of its thread
  };

  struct ObjectRecord {
    std::uint64_t key = 0;
    const runtime::Object* object = nullptr;
    const runtime::ObjectKind* kind = nullptr;
    std::vector<EventName> writes;        ///< by version - 1
    std::vector<std::uint64_t> states;    ///< fingerprints by version
    std::vector<std::uint64_t> sections;  ///< of a lock: ObjectKind::sections by version
    std::uint32_t write_clock = kNone;    ///< of the last write
    std::uint32_t reads_clock = kNone;    ///< of all reads since
    std::uint32_t destroyed_at = kNone;   ///< version
  };

  struct Wait {
    std::uint32_t object;
    bool is_woken = false;
    EventName woken_by{};
  };

  struct Read {
    std::uint32_t object;
    std::uint32_t version;
    bool is_of_sections;
    std::uint64_t state;
  };

  /// For assertions: whether the runtime and the graph say the same of who can go on, where `thread` does in
  /// `mode`.
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
  [[nodiscard]] bool contains(Cut cut, const EventName& event) const {
    return cut[event.thread] >= event.count;
  }
  [[nodiscard]] bool is_maximal(Cut cut, unsigned thread, std::vector<Count>& scratch) const;
  [[nodiscard]] std::uint32_t version(Cut cut, std::uint32_t object) const;
  [[nodiscard]] std::uint64_t state(Cut cut, std::uint32_t object) const;
  [[nodiscard]] std::uint64_t sections(Cut cut, std::uint32_t lock) const;
  /// Whether the atomic that a compare-exchange is about to be done to holds what it expects.
  [[nodiscard]] bool holds_expected(Cut cut, const Stop& stop) const;
  struct StateAtCut;
  [[nodiscard]] bool can_take(Cut cut, std::uint32_t object, runtime::Need need, unsigned thread) const;
  [[nodiscard]] bool is_gone(Cut cut, std::uint32_t object) const;
  [[nodiscard]] bool is_woken(Cut cut, const Stop& stop) const;
  [[nodiscard]] bool can_complete(Cut cut, const Stop& stop, unsigned thread) const;
  [[nodiscard]] bool is_futile(Cut cut, const Stop& stop) const;
  /// Whether nothing of what the thread has read there has changed.
  [[nodiscard]] bool is_unchanged(Cut cut, const Stop& stop) const;
  [[nodiscard]] bool is_held_by_guard(Cut cut, const Stop& stop) const;
  [[nodiscard]] bool yielded_last(Cut cut, unsigned thread) const;
  [[nodiscard]] std::vector<unsigned> waiters(Cut cut, std::uint32_t object) const;
  /// What a step does: `touch(object, operation, access)` and `decide(outcome)` for each action, in order.
  template <class OnTouch, class OnDecision>
  void for_each_action(Cut cut, const Situation& situation, unsigned thread, runtime::Mode mode,
      OnTouch&& touch, OnDecision&& decide) const;
  /// The actions on the parts of what the thread is stopped before, in the same way.
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
  std::vector<Wait> waits_;
  std::vector<EventName> order_;
  std::vector<Touch> touches_;
  bool has_guards_ = false;
  std::vector<Read> reads_;
  std::vector<std::uint32_t> parts_;    ///< numbers of objects
  std::uint32_t clock_object_ = kNone;  ///< the virtual clock's number

  /// Added while a weak compare-exchange that could succeed has not decided whether it fails for no reason:
  /// the only state in the middle of a step that has no action of its own.
  static runtime::ClassHash undecided(std::uint64_t next_action) {
    runtime::ClassHash mark;
    mark.add(next_action, 0x6465636964652121U);
    return mark;
  }

  unsigned running_ = kNobody;        ///< the thread of the event that runs
  std::vector<std::uint32_t> dirty_;  ///< objects it has written
  runtime::ClassHash hash_;           ///< of everything before the event that runs
  runtime::ClassHash mark_;           ///< see undecided()
  bool is_settled_ = true;
  bool is_cut_short_ = false;  ///< only the event that ran last can come last
  bool has_values_ = false;    ///< some thread chose a value
  runtime::ClassHash expected_;
  bool expects_ = false;
  bool is_consistent_ = true;
};

}  // namespace hocket
