// What an execution did, recorded as it runs: its events with their vector clocks, the operations that its
// threads were stopped before, and the history of its objects.
//
// An event is the result of one choice: either a step of the chosen thread, or what a thread did between one
// choice of a value inside a step and the next. The operation that a thread is stopped before depends only on
// the thread's own past, so it is recorded by the number of events that the thread had completed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "../../runtime/execution/execution_result.hpp"
#include "../../runtime/objects/observer.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/threads/thread.hpp"
#include "next_event.hpp"
#include "recorded_objects.hpp"
#include "vector_clocks.hpp"

namespace hocket::graph {

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

inline constexpr unsigned kNobody = runtime::kMaxThreads;

/// An access of an event to an object.
struct ObjectAccess {
  std::uint32_t object;  ///< its number in this execution
  bool writes;
};

struct Event {
  runtime::ClassHash delta;       ///< what it has added to the hash of the class
  VectorClocks::Place clock = 0;  ///< the events that happened before it, and itself
  runtime::Operation operation = runtime::Operation::none;
  runtime::Mode mode = runtime::Mode::run;
  bool is_value = false;
  bool is_late = false;     ///< a wait expired that may do so only when no thread can go on
  std::uint16_t price = 0;  ///< of the value
  std::uint32_t value = 0;
  Range accesses;

  /// Whether its effect, or whether it is possible, depends on which other threads are enabled, which no
  /// object records. A sleep advances the clock if no other thread can make progress, and there are no
  /// spurious wake-ups if no thread is enabled. A late wait expires if no thread can go on.
  [[nodiscard]] bool depends_on_everybody() const {
    return operation == runtime::Operation::thread_sleep || mode == runtime::Mode::spurious || is_late;
  }
};

struct RecordedThread {
  const runtime::Thread* thread = nullptr;
  unsigned number = 0;  ///< stable across executions
  std::vector<Event> events;
  std::vector<NextEvent> next;           ///< indexed by the number of completed events
  std::vector<runtime::ClassHash> sums;  ///< sums of the deltas, indexed likewise
  VectorClocks::Place clock = 0;         ///< what has happened before its next event
  bool clock_is_own = false;
  std::uint32_t wait = kNone;  ///< the wait that it is enqueued for, in Recording::waits

  /// What it is stopped before after so many events, or nullptr.
  [[nodiscard]] const NextEvent* next_after(EventCount count) const {
    return count < next.size() && next[count].is_there() ? &next[count] : nullptr;
  }
};

class Recording final : public runtime::Observer {
 public:
  /// `spurious_wakeups`: Options::spurious_wakeups of the search.
  explicit Recording(bool spurious_wakeups) : spurious_wakeups_(spurious_wakeups) {}

  // -- What the execution tells

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
  void moved(const runtime::Thread& thread) override;

  // -- What the strategy tells

  /// Completes the running event: it does nothing more to objects. `class_hash` is the current hash of the
  /// class. To be called when the strategy is asked to choose.
  void settle(const runtime::ClassHash& class_hash);
  /// Completes the recording after the execution.
  void finish(const runtime::ExecutionResult& result);
  /// The hash of everything that has been settled.
  [[nodiscard]] const runtime::ClassHash& hash() const { return hash_; }
  /// Sets what the next event must add to the hash. If it adds something else, is_consistent() becomes false.
  void expect(const runtime::ClassHash& delta) { expected_ = delta; }
  [[nodiscard]] bool is_consistent() const { return is_consistent_; }

  // -- Threads

  [[nodiscard]] bool has_spurious_wakeups() const { return spurious_wakeups_; }
  /// At least the number of threads of the execution: the size of a cut.
  [[nodiscard]] unsigned width() const { return clocks_.width(); }
  [[nodiscard]] unsigned threads() const { return used_; }
  [[nodiscard]] const RecordedThread& thread(unsigned index) const { return threads_[index]; }
  /// The stable number of a thread; 0 for kNobody.
  [[nodiscard]] unsigned number(unsigned thread) const {
    return thread == kNobody ? 0 : threads_[thread].number;
  }
  /// The thread of this execution that has a stable number other than 0.
  [[nodiscard]] unsigned with_number(unsigned number) const { return by_number_[number]; }
  [[nodiscard]] std::uint64_t key(unsigned thread) const { return threads_[thread].thread->key; }
  /// One more than the largest number of a thread, in all executions so far.
  [[nodiscard]] unsigned numbers() const { return numbers_.size(); }
  /// How many events each thread has completed so far; width() entries.
  [[nodiscard]] const EventCount* completed() const { return completed_.data(); }
  /// Whether `thread` is stopped before a step, after everything that has happened so far.
  [[nodiscard]] bool is_stopped(unsigned thread) const {
    return threads_[thread].next_after(completed_[thread]) != nullptr;
  }
  /// How often others have moved the wait of `thread` to another object; 0 if it does not wait.
  [[nodiscard]] std::size_t moves(unsigned thread) const {
    const std::uint32_t wait = threads_[thread].wait;
    return wait == kNone ? 0 : waits_[wait].moves.size();
  }

  // -- Events, in the order in which they ran

  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] const Event& event(std::size_t nth) const {
    return threads_[order_[nth].thread].events[order_[nth].count - 1];
  }
  [[nodiscard]] unsigned thread_of_event(std::size_t nth) const { return order_[nth].thread; }
  /// What the thread of an event was stopped before when it was chosen.
  [[nodiscard]] const NextEvent& chosen(std::size_t nth) const {
    return threads_[order_[nth].thread].next[order_[nth].count - 1];
  }
  [[nodiscard]] std::span<const ObjectAccess> accesses(const Event& event) const {
    return part_of(accesses_, event.accesses);
  }
  [[nodiscard]] const EventCount* clock(VectorClocks::Place at) const { return clocks_[at]; }
  /// The thread that made the last step, or kNobody.
  [[nodiscard]] unsigned last() const {
    std::size_t n = order_.size();
    while (n != 0 && event(n - 1).is_value) --n;  // still in the same thread's step
    return n == 0 ? kNobody : order_[n - 1].thread;
  }
  /// Calls `visit(target)` for each thread that `thread` has joined in the last event.
  template <class Visit>
  void for_each_joined_in_last_event(unsigned thread, Visit&& visit) const {
    for (std::size_t n = joins_.size(); n != 0 && joins_[n - 1].event == order_.size(); --n) {
      if (joins_[n - 1].thread == thread) visit(joins_[n - 1].target);
    }
  }
  /// Whether a thread has joined another one in the last step. Then the step may have been that of either: of
  /// the one that has joined, or of the other one, which has ended.
  [[nodiscard]] bool has_joined_in_last_step() const;
  /// Whether a thread held a no_preemption guard when it was stopped in this execution.
  [[nodiscard]] bool has_guards() const { return has_guards_; }
  /// Whether the execution, which ended so, has passed although the body may end before a detached thread in
  /// another one with the same graph, and that counts as a leak.
  [[nodiscard]] bool has_lost_a_leak(runtime::Outcome outcome) const;
  /// What a report says of a search that runs one execution for each graph, then.
  static constexpr const char* kLostLeak =
      "a detached thread may also end after the body, in schedules that were left out; icb-por leaves out "
      "none";
  /// Whether a thread has chosen a value in this execution.
  [[nodiscard]] bool has_values() const { return has_values_; }
  /// The only thread whose event can come last, since the execution ended in the middle of it; or kNobody.
  [[nodiscard]] unsigned cut_short() const { return is_cut_short_ ? running_ : kNobody; }

  // -- Objects

  [[nodiscard]] const RecordedObject& object(std::uint32_t number) const { return objects_[number]; }
  /// The number of the virtual clock.
  [[nodiscard]] std::uint32_t clock_object() const { return clock_object_; }
  /// What the virtual clock shows at one of its versions, in virtual nanoseconds.
  [[nodiscard]] std::int64_t time(std::uint32_t version) const { return times_[version]; }

  struct Wait {
    std::uint32_t object;  ///< at the end of the execution
    bool is_woken = false;
    EventName woken_by{};
    /// The events by which the thread has come to wait at another object, and at which it had waited before.
    struct Move {
      EventName by;
      std::uint32_t from;
    };
    std::vector<Move> moves{};
  };
  [[nodiscard]] const Wait& wait(std::uint32_t nth) const { return waits_[nth]; }

  struct Read {
    std::uint32_t object;  ///< its number
    runtime::Thread::Read read;
  };
  [[nodiscard]] std::span<const Read> reads(Range range) const { return part_of(reads_, range); }
  /// Numbers of the objects in a range of NextEvent::parts.
  [[nodiscard]] std::span<const std::uint32_t> parts(Range range) const { return part_of(parts_, range); }

  /// Added to the hash while it is undecided whether a weak compare-exchange that could succeed fails
  /// spuriously. This is the only state in the middle of a step that has no action of its own.
  static runtime::ClassHash undecided(std::uint64_t next_action) {
    runtime::ClassHash mark;
    mark.add(next_action, 0x6465636964652121U);
    return mark;
  }

 private:
  struct Join {
    std::size_t event;  ///< in which it was completed, from 1; 0: before the first one
    unsigned thread;
    unsigned target;
  };

  template <class Element>
  static std::span<const Element> part_of(const std::vector<Element>& all, Range range) {
    return {all.data() + range.first, range.size};
  }

  /// For assertions: whether the recording agrees with the runtime that `thread` can run in `mode`.
  [[nodiscard]] bool agrees(unsigned thread, runtime::Mode mode) const;

  RecordedThread& enter(const runtime::Thread& thread);
  RecordedThread& record(const runtime::Thread& thread) { return threads_[thread.index]; }
  NextEvent& stop(const runtime::Thread& thread, RecordedThread& record);
  Range note_reads(const std::vector<runtime::Thread::Read>& reads, bool& all_exist);
  Range note_parts(const runtime::Thread& thread);
  Event& new_event(unsigned thread);
  void enqueue(RecordedThread& thread, std::uint32_t object);
  /// Records the states in which the running event leaves the objects that it has written.
  void note_states();
  void widen();

  bool spurious_wakeups_;
  ThreadNumbers numbers_;
  std::vector<unsigned> by_number_;      ///< the index of each thread, by its number
  unsigned used_ = 0;                    ///< threads of this execution
  std::vector<RecordedThread> threads_;  ///< by index; those beyond `used_` are of earlier executions
  std::vector<EventCount> completed_;

  VectorClocks clocks_;
  RecordedObjects objects_;
  std::vector<Join> joins_;
  std::vector<Wait> waits_;
  std::vector<EventName> order_;
  std::vector<ObjectAccess> accesses_;
  std::vector<Read> reads_;
  std::vector<std::uint32_t> parts_;
  bool has_guards_ = false;
  bool has_values_ = false;
  bool is_cut_short_ = false;
  std::uint32_t clock_object_ = kNone;
  std::vector<std::int64_t> times_;  ///< indexed by the version of the virtual clock

  // -- The running event
  unsigned running_ = kNobody;        ///< its thread
  std::vector<std::uint32_t> dirty_;  ///< objects that it has written
  runtime::ClassHash hash_;           ///< of everything before it
  runtime::ClassHash mark_;           ///< see undecided()
  bool is_settled_ = true;
  std::optional<runtime::ClassHash> expected_;
  bool is_consistent_ = true;
};

}  // namespace hocket::graph
