// Data races in an execution: when detection begins, what it is notified of, and how a race fails the
// execution.
#include "race_checks.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../diagnosis/source_text.hpp"
#include "../diagnosis/trace.hpp"
#include "../platform/symbols/call_site.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

namespace {

/// Names the place of an access identically in every execution of a process, recorded or not: by its line in
/// the user's code, or else by its function and its thread. A recorded execution, and one with an observer,
/// come by another instruction of that function, which the compiler may have put into a part for rare cases.
std::uint64_t name_found_of(const Race::Side& side) {
  const Where where = platform::user_code_at(side.code);
  if (where.line() == 0) {
    return mix(std::hash<std::string_view>{}(platform::function_with(side.code)), side.thread_key);
  }
  return mix(0, where);
}

/// The same, found once: executions that go past races ask again and again.
std::uint64_t name_of(const Race::Side& side) {
  static auto* const known = new std::map<std::pair<const void*, std::uint64_t>, std::uint64_t>;
  const auto [entry, is_new] = known->try_emplace({side.code, side.thread_key});
  if (is_new) entry->second = name_found_of(side);
  return entry->second;
}

/// libstdc++'s std::atomic<std::shared_ptr> has a lock of its own, which a reader releases with
/// memory_order_relaxed, so that the next writer's access is not ordered after the reader's. This has no
/// effect on real hardware, and users cannot fix it. The writer may be the std::swap() called there, which is
/// a separate function without optimisation.
bool is_of_standard_library(const Race& race) {
  constexpr std::string_view kAtomicSharedPtr = "/bits/shared_ptr_atomic.h";
  constexpr std::string_view kSwap = "/bits/move.h";
  return race.first.access == VarAccess::read &&
         platform::passes_through(race.first.code, kAtomicSharedPtr) &&
         (platform::passes_through(race.second.code, kAtomicSharedPtr) ||
             platform::passes_through(race.second.code, kSwap));
}

/// Whether some races do not end this execution.
bool may_go_past_races() {
  return run.options.known_races != nullptr || run.options.passed_races != 0;
}

}  // namespace

// The same two lines are the same race in either order.
std::uint64_t RaceChecks::signature() const {
  const Race& race = races_->race();
  const std::uint64_t one = name_of(race.first);
  const std::uint64_t other = name_of(race.second);
  return mix(static_cast<std::uint64_t>(FailureKind::data_race), mix(one, other) + mix(other, one));
}

void RaceChecks::thread_created(Thread& thread) {
  const OwnMemory own;
  races_->add(thread, true);
  see_whether_accesses_are_simple();
}

void RaceChecks::order_by_join(const Thread& joiner, const Thread& ended) {
  const OwnMemory own;
  races_->joined(joiner, ended);
}

void RaceChecks::begin_to_look() {
  const OwnMemory own;
  run.looks_for_races = true;
  see_whether_accesses_are_simple();
  run.raise_attention(Attention::to_order);
  std::function<bool(const Race&)> is_passed;
  if (may_go_past_races()) is_passed = [this](const Race& race) { return goes_past(race); };
  watches_lives_ = run.options.watches_lives && run.options.detect.contains(Detector::races);
  races_->begin(std::move(is_passed), watches_lives_);
  for (unsigned t = 0; t < threads_.count(); ++t) races_->add(threads_[t], false);
}

bool RaceChecks::follows_all_others() const {
  if (!is_looking()) return false;
  for (unsigned t = 0; t < threads_.count(); ++t) {
    const bool is_over = threads_[t].state == Thread::State::ended && races_->follows(*run.current, t);
    if (t != run.current->index && !is_over) return false;
  }
  return true;
}

void RaceChecks::see_whether_accesses_are_simple() {
  run.accesses_are_simple = is_looking() && !run.recording && !run.options.plain_steps &&
                            !may_go_past_races() && threads_.count() <= VectorClock::kNear && ignoring_ == 0;
}

void RaceChecks::ignore_races(VarAccess access, int change) {
  Thread& self = *run.current;
  const auto ignores = [&self] { return self.ignores_reads != 0 || self.ignores_writes != 0; };
  std::uint16_t& demands = access == VarAccess::read ? self.ignores_reads : self.ignores_writes;
  constexpr std::uint16_t kMost = 0xffff;
  if (change < 0 ? demands == 0 : demands == kMost)
    return;  // an end without a beginning, or far too many requests
  const bool did = ignores();
  demands = static_cast<std::uint16_t>(demands + change);
  if (ignores() == did) return;
  ignoring_ += did ? -1U : 1U;
  see_whether_accesses_are_simple();
}

void RaceChecks::prepare_newly(Var& var) {
  if (run.ending || !step::touch(var, Operation::none, Where{})) return;
  if (var.shadow.execution != run.life) {
    var.shadow = {};
    var.shadow.execution = run.life;
  }
  if (is_looking()) return;
  if (run.options.detect.contains(Detector::races)) {
    begin_to_look();
    return;
  }
  // It is enough to know whether there could be a race.
  passes_over_races_ |= var.shadow.read != 0 && var.shadow.read != run.current->epoch;
  var.shadow.read = var.shadow.written = run.current->epoch;
}

[[gnu::noinline]] void step::access_newly(Var& var, VarAccess access, Where where) {
  assert(is_on_body());
  const void* const caller = run.current->instrumented.caller;
  execution.races.access_newly(var, access, where, caller != nullptr ? caller : __builtin_return_address(0));
}

void step::prepare_newly(Var& var) {
  assert(is_on_body());
  execution.races.prepare_newly(var);
}

// Where Thread::caller does not say which code asked for an operation, the return address of these functions
// does: they are not inlined, and what calls them is inlined into that code.
[[gnu::noinline]] const Race* step::acted(
    Object& object, Synchronization what, std::memory_order order, const void* code) {
  assert(is_on_body() && execution.races.is_looking());
  if (code == nullptr) code = __builtin_return_address(0);
  return execution.races.races().acted(*run.current, object, what, order, code);
}

void step::fail_by_race(const Race& race) {
  execution.races.fail_by_race(race);
}

void RaceChecks::access_newly(Var& var, VarAccess access, Where where, const void* code) {
  const OwnMemory own;
  step::prepare(var);
  if (run.ending || !is_looking()) return;
  if (verdict_.is_interrupted() && !run.running_out) [[unlikely]]  // it may be far to the next operation
    return verdict_.end_interrupted_here();
  if (is_atomic(access) && !run.recording && races_->note_atomic_alone(*run.current, var, access, code))
    return;
  Thread& self = *run.current;
  Races& races = *races_;
  const Race* race = races.conflict(self, var, access, code);
  if (race != nullptr && !goes_past(*race)) {
    fail_by_race(*race, var, where);
    return;
  }
  races.note(self, var, access, code);
  // If there is no race, an atomic read of the value happens after this write, and so after all that an older
  // store could have released.
  if (access == VarAccess::write && run.keeps_stores && may_go_past_races())
    run.cold->weak_memory.histories.overwritten(var);
  if (run.recording) run.cold->race_record.accessed(self, var, access, code, where, execution);
}

void RaceChecks::check_against(const Var& var, VarAccess access) {
  if (run.ending || !is_looking() || var.shadow.execution != run.life) return;
  const OwnMemory own;
  const Thread& self = *run.current;
  const Race* race = races_->conflict(self, var, access, self.instrumented.caller);
  if (race != nullptr && !goes_past(*race)) fail_by_race(*race, var, Where{});
}

bool RaceChecks::goes_past(const Race& race) const {
  if (is_of_standard_library(race)) return true;
  const std::uint32_t first = run.options.passed_races;
  if (first == 0 && run.options.known_races == nullptr) return false;
  std::vector<std::uint64_t>& passed = run.cold->passed_races;
  const std::uint64_t its_signature = signature();
  if (std::find(passed.begin(), passed.end(), its_signature) != passed.end()) return true;
  const bool is_known =
      run.options.known_races != nullptr && run.options.known_races->contains(its_signature);
  if (!is_known && passed.size() >= first) return false;
  passed.push_back(its_signature);
  return true;
}

// Other objects are constructed and destroyed at the places of these calls.
void RaceChecks::note_beginning_of(Object& object, Where where) {
  const void* const code = __builtin_return_address(0);
  const OwnMemory own;
  races_->began_life(*run.current, object, code);
  if (run.recording)
    run.cold->race_record.accessed(*run.current, object, VarAccess::make, code, where, execution);
}

void RaceChecks::note_use(Object& object, Operation operation) {
  const void* const code = __builtin_return_address(0);
  const OwnMemory own;
  const Race* const race =
      races_->acted(*run.current, object, Synchronization::none, std::memory_order_relaxed, code);
  const bool has_failed = race != nullptr && fail_by_race(*race);
  if (!has_failed && run.recording)
    record_order(object, operation, Access::write, std::memory_order_relaxed, code);
}

bool RaceChecks::ends_in_race(Object& object, Where where) {
  const void* const code = __builtin_return_address(0);
  const OwnMemory own;
  const Race* const race = races_->ends_life(*run.current, object, code);
  if (race == nullptr || goes_past(*race)) return false;
  fail_by_race(*race, object, where);
  return true;
}

void RaceChecks::fail_by_race(const Race& race, const Object& object, Where where) {
  verdict_.fail(FailureKind::data_race,
      run.recording ? run.cold->race_record.explain(race, object, where, execution) : "data race", where);
}

bool RaceChecks::fail_by_race(const Race& race) {
  const OwnMemory own;
  if (goes_past(race)) {
    races_->finish_operation(*run.current);
    return false;
  }
  fail_by_race(race, *race.object, run.current->pending.where);
  return true;
}

void RaceChecks::record_order(Object& object, Operation operation, Access access, std::memory_order order,
    const void* code, const Released* from, const Released* to) {
  Thread& self = *run.current;
  RaceRecord& record = run.cold->race_record;
  if (object.kind->is_plain_data) {
    record.accessed(self, object, access == Access::read ? VarAccess::atomic_read : VarAccess::atomic_write,
        code, self.pending.where, execution);
  } else if (watches_lives_) {
    record.accessed(self, object, VarAccess::use, code, self.pending.where, execution);
  }
  record.acted(self, object, operation, access, order, *run.options.trace, from, to);
}

}  // namespace hocket::runtime
