// Loops that poll: they wait for another thread by looking at something again and again, with or without a
// yield that could be seen; on hardware the processor's pause instruction is enough.
//
// Instrumented code hides little of what a thread does. A round of a loop, from one operation to the next one
// of the same call, is *silent* if all its operations have changed nothing (loads, tries and
// compare-exchanges that failed, exchanges of equal values, yields), and if the thread is after it what it
// was before: the registers that calls preserve, its stack, as many plain writes elsewhere, and the values
// that its plain reads have found. As long as each object is in the state in which the round found it, every
// further round would be the same again. So the thread waits until one of them is in another state. That
// costs nothing and hides nothing: an execution with more silent rounds has the same outcome as the one
// without them.
//
// A round may contain sections under locks. What the lock protects changes only in other sections, so the
// thread waits until another one has ended. Three things belong to it. A section that is part of a silent
// round does not count, or two threads that poll under one lock would wake each other for ever. A section
// because of which a try of another thread has failed does count, also for the thread itself: there may be
// another round, and another try that fails. And where a round takes a lock while it holds another one, it
// would stop there as long as somebody holds the inner one, so then the thread does not wait.
//
// A round that is not silent is what it is: a loop may count its attempts, and come to an end by itself. From
// a number on that few such loops reach there is a yield each time that the number has doubled, so that a
// loop which waits after all does not run to the step limit wherever it begins. Such yields cost preemptions,
// and the search says that there were some.
//
// Unseen is what library code without hooks changes for the thread, beside the functions that Hocket knows
// and beside values that instrumented code reads; and a wait for plain data that another thread writes
// without any order is a data race.
#pragma once

#include <cstdint>

#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"

namespace hocket::unmodified {

/// One operation that may leave its object as it is; or the beginning or the end of a section under a lock.
class Look {
 public:
  enum class Of { state, section };

  /// Before it.
  [[gnu::always_inline]] explicit Look(Of what = Of::state) : looks_(runtime::execution.current->looks) {
    const runtime::Thread& self = *runtime::execution.current;
    place_ = reinterpret_cast<std::uintptr_t>(self.caller) ^ std::uint64_t{self.entered_at} << 16U;
    const bool has_acted =
        looks_.next_action != self.next_action && !runtime::is_sabotaged(runtime::Sabotage::rounds_may_act);
    const bool has_written = looks_.plain_writes != self.plain_writes &&
                             !runtime::is_sabotaged(runtime::Sabotage::rounds_may_write);
    if (has_acted || (what == Of::section && has_written)) {
      looks_.begin();
    } else if (looks_.count != 0) {
      last_ = last_at(looks_, place_);
      if (last_ != kNone) [[unlikely]]
        come_again();
    }
  }

  /// After it. `is_silent`: it has left the object, which was found in the state `found`, as it was.
  [[gnu::always_inline]] void found(const runtime::Object& object, std::uint64_t found, bool is_silent) {
    if (is_silent) {
      note(&object, found);
    } else {
      looks_.next_action = 0;
    }
  }
  /// After the thread has taken `lock`.
  [[gnu::always_inline]] void begins_section(const runtime::Object& lock, const runtime::Sections& sections) {
    note(&lock, 0, runtime::Looks::Kind::lock, sections.ended);
  }
  /// After it has given `lock` back, whose sections were like `before`.
  [[gnu::always_inline]] void ends_section(
      const runtime::Object& lock, runtime::Sections& sections, const runtime::Sections& before) {
    using runtime::Sabotage;
    const bool were_in_the_way =
        before.were_in_the_way && !runtime::is_sabotaged(Sabotage::sections_in_the_way_are_unseen);
    const bool counts = were_in_the_way || runtime::is_sabotaged(Sabotage::sections_of_polls_count);
    if (is_repeated_ && !counts) sections.ended = before.ended;
    // A section that was in somebody's way counts for this thread, too: the next one may be so again.
    note(&lock, 0, runtime::Looks::Kind::unlock, were_in_the_way ? 0 : sections.ended - before.ended);
  }

  /// The current thread calls for a yield.
  static void yield();

 private:
  static constexpr unsigned kNone = ~0U;

  /// The number of the last look there, if it is still known.
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
    runtime::Thread& self = *runtime::execution.current;
    if (last_ != kNone && looks_.kept[last_ % runtime::Looks::kKept].found != found) [[unlikely]]
      looks_.in_vain = 0;
    const bool can_be_awaited = self.parts_touched.empty();
    looks_.kept[looks_.count % runtime::Looks::kKept] = {
        place_, object, found, self.values_read, has_state_, can_be_awaited, kind, sections};
    self.values_read = 0;
    ++looks_.count;
    looks_.has_locks |= kind != runtime::Looks::Kind::look;
    looks_.plain_writes = self.plain_writes;
    looks_.next_action = self.next_action;
  }
  /// The thread has done nothing else since the last look at the same place: waits if it is what it was.
  [[gnu::noinline]] void come_again();
  /// Remembers what the thread is like; whether that can be known.
  bool remember();

  runtime::Looks& looks_;
  std::uint64_t place_;
  unsigned last_ = kNone;  ///< the number of the last look there
  bool has_state_ = false;
  bool is_repeated_ = false;  ///< the thread is what it was at an earlier look there
};

/// A function of the library, called from a body or not, changes what it keeps from call to call: a round
/// with that in it is not silent.
inline void changes_hidden_state() {
  if (is_from_body()) ++runtime::execution.current->plain_writes;
}

}  // namespace hocket::unmodified
