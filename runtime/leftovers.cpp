// What is left over when a thread, the body or the execution ends: locks that are held, threads that nobody
// waits for, objects that were never destroyed. Memory: allocations.cpp.
//
// Only an execution that ran to its end is looked at: one that is cut short leaves everything behind.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <hocket/runtime/allocations.hpp>
#include <hocket/runtime/execution.hpp>
#include <hocket/runtime/machinery.hpp>
#include <hocket/runtime/platform/call_site.hpp>
#include <hocket/runtime/trace.hpp>

namespace hocket::runtime {

namespace {

std::string in_words(const char* participle, const Where& where) {
  const std::string place = Trace::place(where);
  return place.empty() ? std::string{} : std::string(", ") + participle + " at " + place;
}

}  // namespace

/// As note_failure(), for what has no one place in both the first and the recorded run: `signature` tells it
/// apart.
void Execution::note_leftover(std::string message, Where where, std::uint64_t signature) {
  note_failure(FailureKind::leak, std::move(message), where);
  machinery_->failure.signature = mix(static_cast<std::uint64_t>(FailureKind::leak), signature);
}

// ---------------------------------------------------------------------------------------------------------------------
// Locks

void Execution::note_held(const Object& lock) {
  const OwnMemory own;
  machinery_->held.push_back({&lock, current->index, platform::user_call_site(current->pending.where),
      options_.trace->choices().size()});
}

void Execution::note_released(const Object& lock) {
  std::vector<Machinery::Held>& held = machinery_->held;
  const auto last = std::find_if(held.rbegin(), held.rend(),
      [&](const Machinery::Held& one) { return one.lock == &lock && one.thread == current->index; });
  if (last != held.rend()) held.erase(std::next(last).base());
}

void Execution::ended_with_locks(const Thread& self) {
  if (ending || outcome_ == Outcome::failed || !options_.detectors.contains(Detector::held_locks)) return;
  const OwnMemory own;
  std::string message = describe(self) + " ends and still holds ";
  Where where;
  if (recording) {
    bool is_first = true;
    for (const Machinery::Held& held : machinery_->held) {
      if (held.thread != self.index) continue;
      if (!is_first) message += " and ";
      message +=
          describe(*held.lock) + in_words("locked", held.where) + " in step " + std::to_string(held.step);
      if (is_first) where = held.where;
      is_first = false;
    }
  } else {
    message += "a mutex";
  }
  message += ". Unlock before the end, or hold it by a std::lock_guard";
  note_leftover(std::move(message), where, self.key);
  begin_ending(Outcome::failed);
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads

void Execution::detach(Thread& thread, Where where) {
  ++handles_closed_;
  any_detached_ = true;
  thread.handle = Thread::Handle::detached;
  if (!recording) return;
  const OwnMemory own;
  std::vector<Where>& places = machinery_->detached_at;
  if (places.size() <= thread.index) places.resize(thread.index + std::size_t{1});
  places[thread.index] = platform::user_call_site(where);
}

void Execution::body_ended() {
  if (ending || outcome_ == Outcome::failed || !options_.detectors.contains(Detector::detached_threads))
    return;
  const OwnMemory own;
  std::string message;
  Where where;
  std::uint64_t signature = 0;
  for (unsigned t = 1; t < threads_; ++t) {
    const Thread& thread = *thread_slots_[t];
    if (thread.handle != Thread::Handle::detached || thread.state == Thread::State::ended) continue;
    signature = mix(signature, thread.key);
    message += (message.empty() ? "the body has ended, but " : ", and ") + describe(thread);
    if (recording) {
      if (where.line() == 0) where = machinery_->detached_at[t];
      const std::string& made_at = options_.trace->threads()[t].made_at;
      if (!made_at.empty()) message += ", made at " + made_at;
      message += in_words("detached", machinery_->detached_at[t]) + ", still runs";
      if (thread.pending.operation != Operation::none) {
        message += ": it is about to do " + std::string(to_string(thread.pending.operation));
        if (thread.pending.object != nullptr) message += " on " + describe(*thread.pending.object);
      }
      const std::string place = options_.trace->pending_place(thread);
      if (!place.empty()) message += " at " + place;
    } else {
      message += " still runs";
    }
  }
  if (message.empty()) return;
  message +=
      ". What it uses may be gone by then. Join it, or wait for its end before the body returns, with a "
      "semaphore, a latch or a flag";
  note_leftover(std::move(message), where, signature);
  begin_ending(Outcome::failed);
}

// ---------------------------------------------------------------------------------------------------------------------
// The end of the execution

void Execution::look_for_leaks() {
  const OwnMemory own;
  if (handles_closed_ + 1 != threads_ && options_.detectors.contains(Detector::leaked_threads))
    leaked_threads();
  if (counts_objects && outcome_ == Outcome::completed) leaked_objects();
  if (counts_memory && outcome_ == Outcome::completed) leaked_memory();
}

void Execution::leaked_threads() {
  std::string message;
  std::uint64_t signature = 0;
  for (unsigned t = 1; t < threads_; ++t) {
    const Thread& thread = *thread_slots_[t];
    if (thread.handle != Thread::Handle::open) continue;
    signature = mix(signature, thread.key);
    message += (message.empty() ? "leak: " : "\n") + describe(thread);
    if (recording) {
      const std::string& made_at = options_.trace->threads()[t].made_at;
      if (!made_at.empty()) message += ", made at " + made_at + ",";
    }
    message += " has ended and was neither joined nor detached: its hocket::thread was never destroyed";
  }
  note_leftover(std::move(message), Where{}, signature);
}

void Execution::leaked_objects() {
  const std::unordered_map<const Object*, Machinery::Made>& live = machinery_->live_objects;
  if (live.empty()) return;
  std::vector<std::pair<const Object*, Machinery::Made>> leaked(live.begin(), live.end());
  std::sort(leaked.begin(), leaked.end(),
      [](const auto& a, const auto& b) { return a.second.order < b.second.order; });
  std::string message;
  std::uint64_t signature = 0;
  for (const auto& [object, made] : leaked) {
    signature += mix(made.what, 1);
    if (!recording) continue;  // its memory may be gone, and so its kind
    message += (message.empty() ? "leak: " : "\n") + describe(*object) + in_words("made", made.where) +
               " by " + describe(*thread_slots_[made.thread]) + ", was never destroyed";
  }
  if (!recording) message = "leak: an object was never destroyed";
  note_leftover(std::move(message), leaked.front().second.where, signature);
}

}  // namespace hocket::runtime
