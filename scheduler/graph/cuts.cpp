#include "cuts.hpp"

#include <algorithm>
#include <cassert>

#include "../../runtime/objects/objects.hpp"
#include "../../runtime/terms/late_waits.hpp"
#include "../../runtime/terms/prices.hpp"

namespace hocket::graph {

using runtime::ClassHash;
using runtime::Mode;
using runtime::Need;
using runtime::Operation;

namespace {

bool contains(Cut cut, const EventName& event) {
  return cut[event.thread] >= event.count;
}

}  // namespace

ClassHash Cuts::hash(Cut cut) const {
  ClassHash sum;
  for (unsigned thread = 0; thread < recording_.threads(); ++thread)
    sum += recording_.thread(thread).sums[cut[thread]];
  return sum;
}

std::uint16_t Cuts::check(Cut cut, unsigned chooser) const {
  std::uint64_t word = chooser;
  for (unsigned thread = 0; thread < recording_.threads(); ++thread) {
    const NextEvent* next = next_if_there(cut, thread);
    if (next == nullptr) continue;
    const std::uint32_t count = next->is_value() ? next->value().count : 0;
    const std::uint64_t what = static_cast<std::uint64_t>(next->operation) << 32U | count;
    const std::uint64_t object = next->object == kNone ? 0 : recording_.object(next->object).key;
    word += runtime::mix(recording_.key(thread) ^ what, object);
  }
  const auto folded = static_cast<std::uint16_t>(word ^ word >> 16U ^ word >> 32U ^ word >> 48U);
  return folded == 0 ? std::uint16_t{1} : folded;
}

// ---------------------------------------------------------------------------------------------------------------------
// Objects

std::uint32_t Cuts::version(Cut cut, std::uint32_t object) const {
  // The writes of an object are totally ordered, so those in the cut come first.
  const std::vector<EventName>& writes = recording_.object(object).writes;
  const auto end = std::partition_point(
      writes.begin(), writes.end(), [&](const EventName& write) { return contains(cut, write); });
  assert(std::none_of(end, writes.end(), [&](const EventName& write) { return contains(cut, write); }));
  return static_cast<std::uint32_t>(end - writes.begin());
}

std::uint64_t Cuts::state(Cut cut, std::uint32_t object) const {
  return recording_.object(object).states[version(cut, object)];
}

std::uint64_t Cuts::sections(Cut cut, std::uint32_t lock) const {
  return recording_.object(lock).sections[version(cut, lock)];
}

bool Cuts::is_gone(Cut cut, std::uint32_t object) const {
  if (object == kNone) return false;
  const std::uint32_t destroyed_at = recording_.object(object).destroyed_at;
  return destroyed_at != kNone && version(cut, object) >= destroyed_at;
}

bool Cuts::holds_expected(Cut cut, const NextEvent& next) const {
  const std::uint64_t expected = next.step().expected;
  if (next.parts.size == 0) return state(cut, next.object) == expected;
  std::vector<runtime::PartState> parts;
  for (const std::uint32_t part : recording_.parts(next.parts))
    parts.push_back({recording_.object(part).object, state(cut, part)});
  const RecordedObject& atomic = recording_.object(next.object);
  return atomic.kind->fingerprint_from_parts(*atomic.object, parts) == expected;
}

bool Cuts::is_woken(Cut cut, const NextEvent& next) const {
  const Recording::Wait& wait = recording_.wait(next.wait);
  return wait.is_woken && contains(cut, wait.woken_by);
}

std::uint32_t Cuts::object(Cut cut, const NextEvent& next) const {
  const bool may_have_moved = next.wait != kNone && !recording_.wait(next.wait).moves.empty();
  return may_have_moved ? awaited(cut, recording_.wait(next.wait)) : next.object;
}

std::uint32_t Cuts::awaited(Cut cut, const Recording::Wait& wait) {
  const auto later = std::find_if(
      wait.moves.begin(), wait.moves.end(), [&](const auto& move) { return !contains(cut, move.by); });
  return later == wait.moves.end() ? wait.object : later->from;
}

/// The state that a stopped thread finds at a cut, as semantics.hpp queries it.
struct Cuts::StateAtCut {
  const Cuts& cuts;
  Cut cut;
  const NextEvent& next;
  unsigned thread;

  [[nodiscard]] bool can_take(std::uint32_t object, Need need) const {
    const Recording& recording = cuts.recording_;
    return runtime::can_take(
        *recording.object(object).kind, cuts.state(cut, object), need, recording.key(thread));
  }
  [[nodiscard]] bool can_take(Need need) const { return can_take(next.object, need); }
  [[nodiscard]] bool can_take_second() const {
    const std::uint32_t second = next.step().second;
    return second == kNone || can_take(second, Need::lock);
  }
  [[nodiscard]] bool is_notified() const { return !next.step().must_be_woken || cuts.is_woken(cut, next); }
  [[nodiscard]] bool is_gone() const {
    const std::uint32_t second = next.step().second;
    return cuts.is_gone(cut, second == kNone ? cuts.object(cut, next) : second);
  }
};

bool Cuts::can_take(Cut cut, const NextEvent& next, Need need, unsigned thread) const {
  return StateAtCut{*this, cut, next, thread}.can_take(need);
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads

const NextEvent* Cuts::next_if_there(Cut cut, unsigned thread) const {
  const NextEvent* next = recording_.thread(thread).next_after(cut[thread]);
  if (next == nullptr || !next->needs_others) return next;
  const EventCount* needed = recording_.clock(next->clock);
  for (unsigned other = 0; other < recording_.threads(); ++other) {
    if (needed[other] > cut[other]) return nullptr;
  }
  return next;
}

bool Cuts::is_unchanged(Cut cut, const NextStep& step) const {
  for (const auto& [object, read] : recording_.reads(step.reads)) {
    if (!step.polls ? version(cut, object) != read.version
                    : read.differs_from(read.is_of_sections ? sections(cut, object) : state(cut, object)))
      return false;
  }
  return true;
}

bool Cuts::is_held_by_guard(Cut cut, const NextStep& step) const {
  return step.is_guarded && !step.has_changed && is_unchanged(cut, step);
}

inline bool Cuts::can_complete(Cut cut, const NextEvent& next, unsigned thread) const {
  const NextStep& step = next.step();
  if (!step.lets_time_pass && is_held_by_guard(cut, step)) return false;
  if (runtime::semantics_of(next.operation).needs == Need::nothing) return true;  // the common case
  return runtime::can_be_done(next.operation, StateAtCut{*this, cut, next, thread});
}

std::vector<unsigned> Cuts::waiters(Cut cut, std::uint32_t object) const {
  std::vector<unsigned> waiting;
  for (unsigned thread = 0; thread < recording_.threads(); ++thread) {
    const NextEvent* next = recording_.thread(thread).next_after(cut[thread]);
    if (next != nullptr && next->wait != kNone && awaited(cut, recording_.wait(next->wait)) == object &&
        !is_woken(cut, *next)) {
      waiting.push_back(thread);
    }
  }
  std::sort(waiting.begin(), waiting.end(), [&](unsigned a, unsigned b) {
    return runtime::named_before(*recording_.thread(a).thread, *recording_.thread(b).thread);
  });
  return waiting;
}

Enabled Cuts::enabled(Cut cut) const {
  Enabled now;
  for (unsigned thread = 0; thread < recording_.threads(); ++thread) {
    const NextEvent* next = next_if_there(cut, thread);
    if (next == nullptr) continue;
    if (next->is_value()) {
      now.chooser = thread;
      continue;
    }
    const NextStep& step = next->step();
    const bool can = can_complete(cut, *next, thread);
    if (can) {
      now.runnable.insert(thread);
      if (next->forbids_preemption) now.forbidden.insert(thread);
      if (step.may_be_futile && is_unchanged(cut, step)) {
        now.futile.insert(thread);
      } else {
        now.somebody_is_useful = true;
      }
    }
    if (!step.special) continue;
    const StateAtCut state{*this, cut, *next, thread};
    if (step.timed && runtime::may_expire(next->operation, state, step.polls, can))
      now.expirable.insert(thread);
    if (recording_.has_spurious_wakeups() && runtime::may_wake_spuriously(next->operation, state))
      now.wakable.insert(thread);
  }
  if (now.chooser != kNobody) now.forbidden.clear();
  if (!now.expirable.empty()) hold_late_waits(cut, now);
  // If only spurious wake-ups are left, this is a deadlock, because no program may rely on one.
  if (now.runnable.empty() && now.expirable.empty()) now.wakable.clear();
  return now;
}

void Cuts::hold_late_waits(Cut cut, Enabled& now) const {
  const auto step_of = [&](unsigned thread) -> const NextStep& { return next(cut, thread).step(); };
  const auto is_late = [&](unsigned thread) -> bool { return step_of(thread).is_late; };
  bool is_any_late = false;
  now.expirable.for_each([&](unsigned thread) { is_any_late |= is_late(thread); });
  if (!is_any_late) return;
  runtime::BesideWaits beside{now.somebody_is_useful};
  const std::int64_t time = recording_.time(version(cut, recording_.clock_object()));
  now.runnable.for_each([&](unsigned thread) {
    if (next(cut, thread).operation == Operation::thread_sleep)
      beside.first_end_of_sleeps = std::min(beside.first_end_of_sleeps, time + step_of(thread).time);
  });
  now.expirable = runtime::without_late_waits(
      now.expirable, beside, is_late, [&](unsigned thread) { return step_of(thread).time; });
}

bool Cuts::has_just_yielded(Cut cut, unsigned thread) const {
  const std::vector<Event>& events = recording_.thread(thread).events;
  for (EventCount n = cut[thread]; n != 0; --n) {
    const Event& event = events[n - 1];
    if (event.is_value) continue;
    return runtime::is_yield(event.operation);
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Prices

bool Cuts::counts_as_preempted(Cut cut, const Enabled& enabled, unsigned last) const {
  // The first step is free, whichever thread takes it.
  return last != kNobody && enabled.runnable.contains(last) && !enabled.futile.contains(last) &&
         !has_just_yielded(cut, last);
}

unsigned Cuts::price(Cut cut, const Enabled& enabled, const Successor& next) const {
  if (next.is_value) return next.value == 0 ? 0 : this->next(cut, next.thread).value().price;
  if (next.mode == Mode::timeless) return kImpossible;  // in fair searches only
  return runtime::price_of(
      next.mode, {false, false, enabled.futile.contains(next.thread), enabled.somebody_is_useful});
}

}  // namespace hocket::graph
