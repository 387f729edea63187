#include "end_checks.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../execution/allocations.hpp"
#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"
#include "../terms/sabotage.hpp"
#include "source_text.hpp"
#include "trace.hpp"

namespace hocket::runtime::end_checks {

// ---------------------------------------------------------------------------------------------------------------------
// Locks

void look_for_held_locks(Execution& e, const Thread& self) {
  if (run.verdict_is_final() || e.verdict.has_failed() || !run.options.detect.contains(Detector::held_locks))
    return;
  const OwnMemory own;
  std::string message = describe(self) + " ends and still holds ";
  Where where;
  if (run.recording) {
    bool is_first = true;
    for (const HeldLock& held : e.cold_state().recorded.held_locks.all()) {
      if (held.thread != self.index) continue;
      if (!is_first) message += " and ";
      message +=
          describe(*held.lock) + clause("locked", held.where) + " in step " + std::to_string(held.step);
      if (is_first) where = held.where;
      is_first = false;
    }
  } else {
    message += "a mutex";
  }
  message += ". Unlock it before the end, or use a std::lock_guard";
  e.verdict.give_up(FailureKind::leak, message, where, signature_of_leak(self.key));
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads

void look_for_detached_threads(Execution& e) {
  if (run.verdict_is_final() || e.verdict.has_failed() ||
      !run.options.detect.contains(Detector::detached_threads))
    return;
  const OwnMemory own;
  std::string message;
  Where where;
  std::uint64_t signature = 0;
  for (unsigned t = 1; t < e.thread_count(); ++t) {
    const Thread& thread = e.thread(t);
    if (thread.handle != Thread::Handle::detached || thread.state == Thread::State::ended) continue;
    if (is_sabotaged(Sabotage::workers_that_wait_are_no_leaks) && !run.enabled.contains(t)) continue;
    signature = mix(signature, thread.key);
    message += (message.empty() ? "the body has ended, but " : ", and ") + describe(thread);
    if (run.recording) {
      if (where.line() == 0) where = e.cold_state().recorded.detached_at[t];
      const std::string& made_at = run.options.trace->threads()[t].made_at;
      if (!made_at.empty()) message += ", made at " + made_at;
      message += clause("detached", e.cold_state().recorded.detached_at[t]) + ", still runs";
      if (thread.pending.operation != Operation::none) {
        message += ": it is about to perform " + std::string(to_string(thread.pending.operation));
        if (thread.pending.object != nullptr) message += " on " + describe(*thread.pending.object);
      }
      message += at(run.options.trace->pending_place(thread));
    } else {
      message += " still runs";
    }
  }
  if (message.empty()) return;
  message +=
      ". What it uses may be gone by then. Join it, or wait for its end before the body returns, with a "
      "semaphore, a latch or a flag";
  e.verdict.give_up(FailureKind::leak, message, where, signature_of_leak(signature));
}

// ---------------------------------------------------------------------------------------------------------------------
// The end of the execution

namespace {

void look_for_leaked_threads(Execution& e) {
  std::string message;
  std::uint64_t signature = 0;
  for (unsigned t = 1; t < e.thread_count(); ++t) {
    const Thread& thread = e.thread(t);
    if (thread.handle != Thread::Handle::open) continue;
    signature = mix(signature, thread.key);
    message += (message.empty() ? "leak: " : "\n") + describe(thread);
    if (run.recording) {
      const std::string& made_at = run.options.trace->threads()[t].made_at;
      if (!made_at.empty()) message += ", made at " + made_at + ",";
    }
    message += " has ended and was neither joined nor detached: its hocket::thread was never destroyed";
  }
  if (message.empty()) return;
  e.verdict.note_failure(FailureKind::leak, message, Where{}, signature_of_leak(signature));
}

void look_for_leaked_objects(Execution& e) {
  const std::unordered_map<const Object*, ColdState::Made>& live = e.cold_state().counted.objects;
  if (live.empty()) return;
  std::vector<std::pair<const Object*, ColdState::Made>> leaked(live.begin(), live.end());
  std::sort(leaked.begin(), leaked.end(),
      [](const auto& a, const auto& b) { return a.second.order < b.second.order; });
  std::string message;
  std::uint64_t signature = 0;
  for (const auto& [object, made] : leaked) {
    signature += mix(made.what, 1);
    if (!run.recording) continue;  // the object's memory may be gone, and with it its kind
    message += (message.empty() ? "leak: " : "\n") + describe(*object) + clause("made", made.where) + " by " +
               describe(e.thread(made.thread)) + ", was never destroyed";
  }
  if (!run.recording) message = "leak: an object was never destroyed";
  e.verdict.note_failure(
      FailureKind::leak, message, leaked.front().second.where, signature_of_leak(signature));
}

}  // namespace

void look_for_leaks(Execution& e) {
  const OwnMemory own;
  if (run.options.detect.contains(Detector::leaked_threads)) look_for_leaked_threads(e);
  if (run.counts_objects && !e.verdict.has_failed()) look_for_leaked_objects(e);
  if (run.counts_memory && !e.verdict.has_failed()) look_for_leaked_memory(e);
}

}  // namespace hocket::runtime::end_checks
