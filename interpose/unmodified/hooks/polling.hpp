// Polling loops: they wait for another thread by checking something again and again, with or without a yield
// that Hocket could see. On hardware the processor's pause instruction is enough.
//
// Instrumented code hides little of what a thread does. A round of a loop extends from one operation to the
// next one made by the same call. A round is *silent* under two conditions. All its operations changed
// nothing: loads, failed tries and compare-exchanges, exchanges of equal values, yields. And the thread is in
// the same state after it as before: the call-preserved registers, its stack, and what plain accesses find
// elsewhere. If two rounds find the same where they write, the first one has left everything there as it was.
// As long as every object stays in the state in which the round found it, each further round would be
// identical. So the thread waits until one of those objects is in another state. That loses nothing: an
// execution with more silent rounds has the same outcome as the one without them. Other threads do not access
// what a round writes without a lock: that is a data race. Where races are not reported, a write is a change.
//
// Bytes of the stack that nobody has written do not belong to the state. The frame of a function that the
// round calls has such bytes: they hold what other calls have left there, also Hocket's own. They are
// recognised by a pattern, which is written below the stack pointer after each look.
//
// Where atomics of several sizes overlap, an operation changes objects that it does not name. There the
// thread waits for the bytes of memory to change.
//
// A round may contain sections under locks. What a lock protects changes only in other sections, so the
// thread waits until another section has ended. There are three special cases. A section that is part of a
// silent round does not count; otherwise two threads that poll under one lock would wake each other forever.
// A section that made another thread's try fail does count, also for the thread itself, because there may be
// another round and another try that fails. And if a round takes a lock while it holds another one, it would
// block there as long as another thread holds the inner lock, so the thread waits only while it can have the
// inner lock. In a round with sections, a write that changes something is never silent, even if the round
// undoes it: another thread's section may find it.
//
// A round that is not silent runs as usual: the loop may count its attempts and end by itself. After a number
// of rounds that few such loops reach, one of two choices is that the thread runs on alone until the loop
// ends. Both cost nothing, so the end is found whatever it takes to get there. Otherwise a yield is inserted
// each time the number has doubled. A loop that does wait then does not run into the step limit wherever it
// begins. Such yields cost preemptions, and the search reports that there were some.
//
// Two things are not covered. Library code without hooks may change state of the thread that is not seen,
// except in the functions that Hocket knows and in values that instrumented code reads. And waiting for plain
// data that another thread writes without any ordering is a data race.
#pragma once

#include <cstdint>
#include <utility>

#include "../../../runtime/execution/step.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"

namespace hocket::unmodified {

/// One operation that may leave its object unchanged, or the beginning or end of a section under a lock.
class Look {
 public:
  enum class Of { state, section };

  /// To be constructed before the operation.
  [[gnu::always_inline]] explicit Look(Of what = Of::state)
      : looks_(runtime::run.current->instrumented.looks) {
    runtime::Thread& self = *runtime::run.current;
    place_ = reinterpret_cast<std::uintptr_t>(self.instrumented.caller) ^
             std::uint64_t{self.instrumented.entered_at} << 16U;
    const bool has_acted =
        looks_.next_action != self.next_action && !runtime::is_sabotaged(runtime::Sabotage::rounds_may_act);
    if (has_acted) {
      begin(self);
      return;
    }
    if (self.instrumented.latest_writes.count != 0) settle_writes();
    if (what == Of::section && looks_.plain_changes != self.instrumented.plain_changes) {
      begin(self);
    } else if (looks_.count != 0) {
      last_ = last_at(looks_, place_);
      if (last_ != kNone) [[unlikely]]
        come_again();
    }
  }

  /// To be called after the operation. `is_silent`: it has left the object unchanged, which was in the state
  /// `found`.
  [[gnu::always_inline]] void found(const runtime::Object& object, std::uint64_t found, bool is_silent) {
    if (is_silent) {
      note(&object, found);
    } else {
      looks_.next_action = 0;
      if (is_alone_) [[unlikely]]
        end_alone();
    }
  }
  /// To be called after found(): the operation has also left another object unchanged, in the state `found`.
  void found_too(const runtime::Object& object, std::uint64_t found) {
    const bool has_state = std::exchange(has_state_, false);
    place_ ^= 1U;
    last_ = kNone;
    note(&object, found);
    if (has_state) mark_stack_as_unwritten();
  }
  /// To be called after the thread has taken `lock`.
  [[gnu::always_inline]] void begins_section(
      const runtime::Object& lock, const runtime::Sections& sections, bool is_shared) {
    note(
        &lock, 0, is_shared ? runtime::Looks::Kind::lock_shared : runtime::Looks::Kind::lock, sections.ended);
  }
  /// To be called after the thread has released `lock`. Before, so many sections had ended, and the thread's
  /// own was in the way of another thread's try, or not.
  [[gnu::always_inline]] void ends_section(const runtime::Object& lock, runtime::Sections& sections,
      std::uint32_t ended_before, bool was_in_the_way) {
    using runtime::Sabotage;
    was_in_the_way &= !runtime::is_sabotaged(Sabotage::sections_in_the_way_are_unseen);
    const bool counts = was_in_the_way || runtime::is_sabotaged(Sabotage::sections_of_polls_count);
    if (is_repeated_ && !counts) sections.ended = ended_before;
    // A section that made another thread's try fail counts for this thread, too: the next section may do the
    // same.
    note(&lock, 0, runtime::Looks::Kind::unlock, was_in_the_way ? 0 : sections.ended - ended_before);
  }

  /// To be called before the operation, if it is a look at the clock.
  void come_by_clock();
  /// To be called after found(), if it was a look at the clock.
  void leave_clock();

  /// The current thread calls a yield function.
  static void yield();

  /// To be called at the end of other work for the current thread that is not the same in each round: what it
  /// leaves below the stack pointer must not differ from round to round.
  static void leave_no_traces() {
    const runtime::Looks& looks = runtime::run.current->instrumented.looks;
    const bool is_compared =
        looks.count != 0 && looks.kept[(looks.count - 1) % runtime::Looks::kKept].has_state;
    if (is_compared) [[unlikely]]
      mark_stack_as_unwritten();
  }

 private:
  static constexpr unsigned kNone = ~0U;
  static constexpr unsigned kLongPoll = 128;  ///< rounds that few loops reach which end by themselves

  [[gnu::always_inline]] void begin(runtime::Thread& self) {
    looks_.begin();
    looks_.plain_changes = self.instrumented.plain_changes;
    self.instrumented.latest_writes.count = 0;
  }
  /// Whether the latest writes have changed anything is known now.
  [[gnu::noinline]] static void settle_writes();

  /// The number of the last look at `place`, if it is still kept.
  [[gnu::always_inline]] static unsigned last_at(const runtime::Looks& looks, std::uint64_t place) {
    constexpr unsigned kKept = runtime::Looks::kKept;
    const unsigned first = looks.count < kKept ? 0 : looks.count - kKept;
    for (unsigned n = looks.count; n-- > first;) {
      if (looks.kept[n % kKept].place == place) return n;
    }
    return kNone;
  }
  [[gnu::always_inline]] void note(const runtime::Object* object, std::uint64_t found,
      runtime::Looks::Kind kind = runtime::Looks::Kind::look, std::uint32_t sections = 0) {
    runtime::Thread& self = *runtime::run.current;
    if (last_ != kNone && looks_.kept[last_ % runtime::Looks::kKept].found != found) [[unlikely]]
      looks_.in_vain = 0;
    const bool is_shared = !self.instrumented.parts_touched.empty();
    if (has_state_) [[unlikely]]
      has_state_ = may_end_a_round(object);
    runtime::Looks::Look& look = looks_.kept[looks_.count % runtime::Looks::kKept];
    look = {place_, object, found, self.instrumented.values_found, has_state_, is_shared, kind, sections};
    if (looks_.by_clock.place != 0) [[unlikely]]
      add_to_round(look);
    self.instrumented.values_found = 0;
    ++looks_.count;
    looks_.has_locks |= kind != runtime::Looks::Kind::look;
    looks_.next_action = self.next_action;
    if (is_alone_) [[unlikely]]
      end_alone();
    if (has_state_) [[unlikely]]
      mark_stack_as_unwritten();
  }
  /// The thread has done nothing else since its last look at the same place. Waits if its state is the same
  /// as then.
  [[gnu::noinline]] void come_again();
  /// A look in a round of a loop that comes by the clock.
  [[gnu::noinline]] static void add_to_round(const runtime::Looks::Look& look);
  /// The thread comes to the end of such a round. Returns whether the next one would be the same.
  bool repeats_round();
  /// Whether time has passed in the loop before, and its last rounds were the same: nothing is left out then.
  [[nodiscard]] bool has_passed_alike() const;
  /// Whether time passes at this look at the clock, though the next round may differ.
  [[nodiscard]] bool lets_time_pass() const;
  /// How many nanoseconds a thread that awaits the clock, perhaps among other objects, waits before it looks
  /// again, in a loop that has so many looks in a round. The time it waits for is unknown, so each wait is
  /// twice as long as the one before. 0 if the thread does not await the clock, or has already waited so long
  /// that it cannot be waiting for a time.
  [[nodiscard]] static std::int64_t time_to_wait(unsigned round);
  /// Remembers the state of the thread. Returns whether the state could be determined.
  bool remember();
  /// Whether a look at `object` at this place may repeat an earlier one. A loop along a list finds another
  /// object each time: its states need not be compared.
  [[nodiscard]] bool may_end_a_round(const runtime::Object* object) const;
  /// Lets the next snapshot tell which bytes nobody has written since.
  [[gnu::noinline]] static void mark_stack_as_unwritten();
  /// The loop polls for long and may go on for ever. Lets other threads run or decides that they have to
  /// wait.
  void poll_for_long();
  /// While the thread runs to the end of its loop, no other thread runs before a look of the loop.
  void go_on_alone();
  void end_alone();

  runtime::Looks& looks_;
  std::uint64_t place_;
  unsigned last_ = kNone;  ///< the number of the last look at the same place
  bool has_state_ = false;
  bool is_repeated_ = false;  ///< the thread's state equals that at an earlier look there
  bool is_alone_ = false;     ///< between go_on_alone() and end_alone()
  bool is_by_clock_ = false;  ///< the thread's state is known from come_by_clock()
};

/// To be called when a library function changes state that it keeps between calls: a round that contains such
/// a call is not silent. Does nothing if the call is not from a body.
inline void changes_hidden_state() {
  if (is_from_body()) runtime::run.current->instrumented.note_untold_change();
}

}  // namespace hocket::unmodified
