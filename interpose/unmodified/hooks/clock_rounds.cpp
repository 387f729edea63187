// Loops that come by the clock
//
// They often make many looks between two at the clock, more than are kept. A round that is silent is
// recognised by a hash of its looks, and by the thread's state at the clock.
//
// Such a loop comes to its end when time passes, even if its rounds are not silent. So where a long loop
// runs to its end alone, or nobody else could run, time passes at its looks at the clock.
#include <algorithm>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "awaited.hpp"
#include "polling.hpp"
#include "snapshots.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::is_sabotaged;
using runtime::Looks;
using runtime::run;
using runtime::Sabotage;
using runtime::Thread;

/// The first time, in nanoseconds, that a thread waits for which polls the clock in rounds of so many looks.
std::int64_t first_time_to_wait(unsigned round) {
  return std::int64_t{1'000} * (round > Looks::kKept / 2 ? round : 1);
}

}  // namespace

std::int64_t Look::time_to_wait(unsigned round) {
  const Thread& self = *run.current;
  constexpr std::int64_t kLast = std::int64_t{3'600} * 1'000'000'000;
  if (is_sabotaged(Sabotage::polls_do_not_await_time)) return 0;
  const bool awaits_clock = std::any_of(self.awaited.begin(), self.awaited.end(),
      [](const Thread::Read& read) { return runtime::Execution::is_clock(*read.object); });
  if (!awaits_clock || self.instrumented.looks.time_passed >= kLast) return 0;
  return self.instrumented.looks.time_passed == 0 ? first_time_to_wait(round)
                                                  : 2 * self.instrumented.looks.time_passed;
}

void Look::add_to_round(const Looks::Look& look) {
  Looks::ClockRound& round = run.current->instrumented.looks.by_clock;
  const bool is_clock = look.object != nullptr && runtime::Execution::is_clock(*look.object);
  ++round.size;
  round.looks = runtime::mix(runtime::mix(round.looks, look.place), look.values_found);
  round.looks = runtime::mix(round.looks, is_clock ? 0 : look.found);
  if (look.kind != Looks::Kind::look) round.read = Looks::ClockRound::kMostRead + 1;
  if (is_clock || look.object == nullptr || round.read > Looks::ClockRound::kMostRead) return;
  const auto end = round.reads.begin() + round.read;
  const auto is_known = [&](const Looks::Look& one) {
    return one.object == look.object && one.found == look.found && one.is_shared == look.is_shared;
  };
  if (std::any_of(round.reads.begin(), end, is_known)) return;
  if (round.read != Looks::ClockRound::kMostRead) *end = look;
  ++round.read;
}

bool Look::repeats_round() {
  Thread& self = *run.current;
  Looks::ClockRound& round = looks_.by_clock;
  const std::uint64_t hash = runtime::mix(round.looks, self.instrumented.values_found);
  round.rounds = hash == round.looks_before ? round.rounds + 1 : 1;
  round.looks_before = hash;
  const runtime::OwnMemory own;
  Snapshot& now = snapshot_at_clock(self.index, round.rounds);
  is_by_clock_ = now.take();
  if (!is_by_clock_) round.rounds = 0;
  // With frame pointers, a round leaves the same behind only when it has run once after the first marks.
  if (round.rounds < 2 || (now.has_frame_pointer() && round.rounds < 3)) return false;
  return snapshot_at_clock(self.index, round.rounds - 1).is_like(now) ||
         is_sabotaged(Sabotage::clock_rounds_may_differ);
}

bool Look::has_passed_alike() const {
  return looks_.time_passed != 0 && looks_.by_clock.rounds > 1;
}

bool Look::lets_time_pass() const {
  return has_passed_alike() || looks_.steps_to_go != 0 || looks_.in_vain >= kLongPoll ||
         run.current->instrumented.clock_visits.count >= kLongPoll;
}

void Look::come_by_clock() {
  constexpr unsigned kMostOthers = 4;
  Thread& self = *run.current;
  const runtime::Object& clock = runtime::clock_object();
  runtime::ClockVisits& visits = self.instrumented.clock_visits;
  if (visits.place != place_ || visits.version != clock.version) visits = {place_, 0, clock.version, 0};
  ++visits.count;
  if (self.is_guarded || self.is_evaluating || self.ignores_reads != 0) return;
  Looks::ClockRound& round = looks_.by_clock;
  if (round.place != place_ && round.place != 0) {
    const bool may_be_in_round = round.latest_other != place_ && ++round.others < kMostOthers;
    round.latest_other = place_;
    if (may_be_in_round) return;
  }
  const bool is_repeated = round.place == place_ && repeats_round();
  if (round.place != place_) round.rounds = 0;
  round.place = place_;
  if (!is_repeated && !lets_time_pass()) return;
  Awaited awaited(self.awaited);
  const runtime::OwnMemory own;
  bool can_await = awaited.add({place_, &clock, clock.version, 0, false, false});
  const bool awaits_looks = is_repeated && !is_sabotaged(Sabotage::clock_rounds_await_the_clock);
  can_await &= !awaits_looks || round.read <= Looks::ClockRound::kMostRead;
  for (unsigned n = 0; awaits_looks && can_await && n < round.read; ++n)
    can_await = awaited.add(round.reads[n]);
  if (is_repeated && !can_await) return;
  if (!is_repeated) {
    looks_.time_passed =
        std::max({first_time_to_wait(round.size + 1) / 2, looks_.time_passed, visits.time_passed});
    if (runtime::EnabledThreads::is_late(2 * looks_.time_passed)) return;
    visits.count = std::max<std::uint32_t>(visits.count, kLongPoll);
    if (!has_passed_alike()) execution.scheduling.note_passing_time(self.instrumented.caller);
  } else {
    looks_.in_vain = 0;
  }
  execution.awaiting.wait_for_other_states(time_to_wait(round.size + 1));
}

void Look::leave_clock() {
  Looks::ClockRound& round = looks_.by_clock;
  runtime::ClockVisits& visits = run.current->instrumented.clock_visits;
  visits.version = runtime::clock_object().version;
  visits.time_passed = looks_.time_passed;
  if (round.place != place_) return;
  round.latest_other = round.others = round.size = round.read = 0;
  round.looks = 0;
  if (is_by_clock_) mark_stack_as_unwritten();
}

}  // namespace hocket::unmodified
