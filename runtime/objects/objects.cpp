// The life of objects: construction, first use in an execution, destruction; objects that live outside the
// body.
#include "objects.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "../diagnosis/misuse.hpp"
#include "../diagnosis/source_text.hpp"
#include "../diagnosis/trace.hpp"
#include "../execution/allocations.hpp"
#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"
#include "../platform/static_storage.hpp"
#include "../platform/symbols/call_site.hpp"

namespace hocket::runtime {

namespace {

template <class Lock>
std::uint64_t sections_of(const Object& lock) {
  return static_cast<const Lock&>(lock).state.sections.ended;
}

template <class Model>
constexpr ObjectKind plain_kind(
    const char* name, std::uint64_t (*fingerprint)(const Object&), const char* (*objection)(const Object&)) {
  ObjectKind kind{name, &PlainSnapshot<Model>::save, &PlainSnapshot<Model>::restore,
      &PlainSnapshot<Model>::discard, fingerprint, objection, false, nullptr, sizeof(Model)};
  if constexpr (requires(const Model& model) { model.state.sections; }) kind.sections = &sections_of<Model>;
  return kind;
}

std::uint64_t fingerprint_of_mutex(const Object& object) {
  const std::uint16_t owner = static_cast<const Mutex&>(object).state.owner;
  if (owner == kNobody) return 0;
  return owner == kOutside ? kHeldOutside : execution.thread(owner).key;
}
std::uint64_t fingerprint_of_shared_mutex(const Object& object) {
  const SharedMutexState& state = static_cast<const SharedMutex&>(object).state;
  return state.owner != kNobody ? kHeldAlone : state.is_shared() ? kHeldShared : 0;
}
std::uint64_t fingerprint_of_semaphore(const Object& object) {
  return static_cast<std::uint64_t>(static_cast<const Semaphore&>(object).state.count);
}
std::uint64_t fingerprint_of_condition(const Object&) {
  return 0;  // who waits is told by the threads
}

const char* objection_to_mutex(const Object& object) {
  return static_cast<const Mutex&>(object).state.owner != kNobody ? "is locked" : nullptr;
}
const char* objection_to_shared_mutex(const Object& object) {
  const SharedMutexState& state = static_cast<const SharedMutex&>(object).state;
  return state.owner != kNobody || state.is_shared() ? "is locked" : nullptr;
}
const char* objection_to_semaphore(const Object& object) {
  const SemaphoreState& state = static_cast<const Semaphore&>(object).state;
  return state.count == 0 && !state.waiting.empty() ? "is waited for" : nullptr;
}
const char* objection_to_condition(const Object& object) {
  return static_cast<const ConditionVariable&>(object).state.waiters.empty() ? nullptr : "is waited for";
}

constexpr ObjectKind kClockKind{"clock", [](const Object&) -> void* { return nullptr; },
    [](Object&, const void*) {}, [](void*) {},
    [](const Object& clock) -> std::uint64_t { return clock.version; }};

std::atomic<std::uint64_t> outside_objects_made{0};

}  // namespace

constexpr ObjectKind kMutexKind = plain_kind<Mutex>("mutex", fingerprint_of_mutex, objection_to_mutex);
constexpr ObjectKind kRecursiveMutexKind =
    plain_kind<Mutex>("recursive mutex", fingerprint_of_mutex, objection_to_mutex);
constexpr ObjectKind kSharedMutexKind =
    plain_kind<SharedMutex>("shared mutex", fingerprint_of_shared_mutex, objection_to_shared_mutex);
constexpr ObjectKind kSemaphoreKind =
    plain_kind<Semaphore>("semaphore", fingerprint_of_semaphore, objection_to_semaphore);
constexpr ObjectKind kConditionVariableKind =
    plain_kind<ConditionVariable>("condition variable", fingerprint_of_condition, objection_to_condition);
constexpr ObjectKind kAnnotationKind{"annotation", [](const Object&) -> void* { return nullptr; },
    [](Object&, const void*) {}, [](void*) {}, [](const Object&) -> std::uint64_t { return 0; }};

Mutex::Mutex(Where where, bool recursive) : Object(recursive ? kRecursiveMutexKind : kMutexKind, where) {
  state.recursive = recursive;
}
Mutex::Mutex(FoundAt place, bool recursive) : Object(recursive ? kRecursiveMutexKind : kMutexKind, place) {
  state.recursive = recursive;
}
SharedMutex::SharedMutex(Where where) : Object(kSharedMutexKind, where) {}
SharedMutex::SharedMutex(FoundAt place) : Object(kSharedMutexKind, place) {}
Semaphore::Semaphore(std::ptrdiff_t count, std::ptrdiff_t the_most, FoundAt place)
    : Object(kSemaphoreKind, place), most(the_most) {
  state.count = count;
}
Semaphore::Semaphore(std::ptrdiff_t count, std::ptrdiff_t the_most, Where where)
    : Object(kSemaphoreKind, where), most(the_most) {
  state.count = count;
  if (count >= 0 && count <= most) return;
  if (!is_controlled()) return;  // undefined there, as the standard's
  execution.fail(FailureKind::misuse,
      execution.describe(*execution.current) + " creates " + execution.describe(*this) + " with " +
          std::to_string(count) + " permits; it must have 0 to " + std::to_string(most),
      where);
}
ConditionVariable::ConditionVariable(bool the_one_mutex, Where where)
    : Object(kConditionVariableKind, where), one_mutex(the_one_mutex) {}
ConditionVariable::ConditionVariable(bool the_one_mutex, FoundAt place)
    : Object(kConditionVariableKind, place), one_mutex(the_one_mutex) {}
Annotation::Annotation(FoundAt place) : Object(kAnnotationKind, place) {}

bool can_take(const ObjectKind& kind, std::uint64_t state, Need need, std::uint64_t thread) {
  switch (need) {
    case Need::lock:
      return state == 0 || (&kind == &kRecursiveMutexKind && state == thread);
    case Need::shared_lock:
      return state != kHeldAlone;
    case Need::count:
      return state != 0;
    case Need::nothing:
    case Need::notification:
    case Need::notification_and_lock:
      break;
  }
  return true;
}

ColdState::Clock::Clock() : Object(kClockKind, Where{}) {}

void Execution::construct(Object& object, Where where) {
  if (!is_controlled()) {
    object.life = Life::outside;
    object.key = mix(0, ++outside_objects_made);
    return;
  }
  // A function-local static is made in the first execution that comes by and lives on: it is an outside
  // object. Others, as in a std::optional, are made in each execution, and are to have the same key in each.
  if (platform::is_in_static_storage(&object)) {
    const OwnMemory own;
    const std::uint32_t so_many = ++cold_state_->made_in_static_storage[&object];
    const std::uintptr_t place =
        reinterpret_cast<std::uintptr_t>(&object) - reinterpret_cast<std::uintptr_t>(&outside_objects_made);
    object.life = Life::outside;
    object.key = mix(mix(3, place), so_many);
    return;
  }
  object.life = life;
  if (host != nullptr) [[unlikely]]
    host->made(object);
  object.key =
      fold_multiply(current->key ^ 0x2545f4914f6cdd1dU, ++current->objects_created * 0x9e3779b97f4a7c15U);
  if (is_sabotaged(Sabotage::objects_named_by_creation)) {
    std::uint64_t created = 0;
    for (unsigned t = 0; t < threads_; ++t) created += thread_slots_[t]->objects_created;
    object.key = mix(2, created);
  }
  if (counts_objects || recording) [[unlikely]]
    note_made(object, where);
}

void Execution::note_made(const Object& object, Where where) {
  if (counts_objects) {
    const OwnMemory own;
    cold_state_->live_objects[&object] = {
        current->index, cold_state_->made++, object.key, recording ? platform::user_call_site(where) : where};
  }
  if (recording) options_.trace->object_made(object, *current, where);
}

// Whether an earlier execution has made it, and it lives on.
bool Execution::is_left_over(const Object& object) const {
  const auto word = static_cast<std::uint64_t>(object.life);
  return word > static_cast<std::uint64_t>(Life::first_execution) && word < static_cast<std::uint64_t>(life);
}

// Whether the object is older than this execution, which has not touched it so far. If the body constructs
// objects in global storage, every execution after the first destroys the previous execution's object: that
// destruction is not a step.
bool Execution::is_from_earlier_execution(const Object& object) const {
  if (object.life == Life::outside) return !cold_state_->made_in_static_storage.contains(&object);
  return is_left_over(object);
}

bool Execution::first_touch(Object& object, Operation operation, Where where) {
  if (ending) {
    end_here();
    return false;
  }
  if (object.life == Life::outside || is_left_over(object)) {
    const OwnMemory own;
    if (host != nullptr) {
      host->made(object);
      if (host->puts_back(object)) {
        object.life = life;
        object.version = 0;
        object.clocks = 0;
        return true;
      }
    }
    ColdState& m = *cold_state_;
    const bool is_known = object.outsider != 0 && object.outsider <= m.outside_objects.size() &&
                          m.outside_objects[object.outsider - 1].object == &object;
    if (!is_known) {
      m.outside_objects.push_back({&object, object.kind->save(object)});
      object.outsider = static_cast<std::uint32_t>(m.outside_objects.size());
    }
    m.touched.push_back(object.outsider - 1);
    object.life = life;
    object.version = 0;
    object.clocks = 0;
    return true;
  }
  const OwnMemory own;
  std::string what =
      describe(*current) +
      (operation == Operation::none ? " uses " : " performs " + std::string(to_string(operation)) + " on ");
  const auto end = cold_state_->destroyed.find(&object);
  if (object.life == Life::destroyed) {
    what += (recording ? describe(object) : std::string("an object")) + ", which has been destroyed";
  } else if (end != cold_state_->destroyed.end()) {
    what += describe(object) + ", which has been destroyed and its memory reused";
  } else {
    what += "an invalid object: it was destroyed and its memory reused, or it was never constructed";
  }
  if (end != cold_state_->destroyed.end()) what += ", by " + end->second;
  fail(FailureKind::use_after_destruction, what, where);
  return false;
}

void Execution::restore_outside_objects() {
  ColdState& m = *cold_state_;
  for (const std::uint32_t place : m.touched) {
    const auto& [object, saved] = m.outside_objects[place];
    if (object == nullptr) continue;
    object->kind->restore(*object, saved);
    object->life = Life::outside;
  }
  m.touched.clear();
  if (!m.made_in_static_storage.empty()) m.made_in_static_storage.clear();
}

void Execution::forget_outside_objects() {
  if (host != nullptr) host->begin_search();
  ColdState& m = cold_state();
  for (const auto& [object, saved] : m.outside_objects) {
    if (object == nullptr) continue;
    object->outsider = 0;
    object->kind->discard(saved);
  }
  m.outside_objects.clear();
  passes_over_races_ = false;
  passes_over_failures_ = false;
  priced_poll_ = met_attempt_ = nullptr;
  has_lone_attempts_ = false;
}

void Execution::destroy(Object& object, Where where) {
  if (!is_controlled()) {
    outside_operation();
  } else if (!is_from_earlier_execution(object) && arrive(object, Operation::destroy, true, where)) {
    const char* objection = object.kind->objection_to_destruction != nullptr
                                ? object.kind->objection_to_destruction(object)
                                : nullptr;
    if (objection != nullptr) {
      misuse::ended_while(*this, object, misuse::End::destruction, objection, where);
    } else {
      act(object, Operation::destroy, Access::write);
      if (recording) note_end_of(object, where);
      if (live_ > 1) {
        forget_reads_of(object);
        if (!misuse::ended_in_use(*this, object, misuse::End::destruction, where)) leave_ghost_of(object);
      }
    }
  }
  forget(object);
}

void Execution::note_end_of(const Object& object, Where where) {
  const OwnMemory own;
  cold_state_->destroyed[&object] = describe(*current) + at(user_place_of(where));
}

void Execution::forget_known(Object& object) {
  if (object.outsider != 0) {
    auto& [known, saved] = cold_state_->outside_objects[object.outsider - 1];
    if (known == &object) {
      object.kind->discard(saved);
      known = nullptr;
    }
  }
  if (counts_objects && is_controlled()) cold_state_->live_objects.erase(&object);
}

// Its memory may be gone when a thread that has read it yields again.
void Execution::forget_reads_of(const Object& object) {
  for (unsigned t = 0; t < threads_; ++t) {
    Thread& thread = *thread_slots_[t];
    for (std::vector<Thread::Read>* reads : {&thread.reads_since_yield, &thread.awaited}) {
      for (Thread::Read& read : *reads) {
        if (read.object == &object) read.object = nullptr;
      }
    }
    if (thread.is_guarded && thread.state == Thread::State::stopped) refresh(thread);
  }
}

// A waiter that has been notified and knows of no mutex still has to go on from its wait, which is an action
// on the condition variable; and one whose time runs out stops once more, for what it waited.
void Execution::leave_ghost_of(const Object& object) {
  Object* ghost = nullptr;
  for (unsigned t = 0; t < threads_; ++t) {
    Pending& pending = thread_slots_[t]->pending;
    const bool waits = thread_slots_[t]->state == Thread::State::stopped && pending.object == &object &&
                       pending.operation == Operation::condition_reacquire &&
                       (pending.second == nullptr || pending.timed);
    if (!waits) continue;
    if (ghost == nullptr) {
      const OwnMemory own;
      std::byte* const bytes = cold_state_->ghosts.emplace_back().bytes;
      std::memcpy(bytes, &object, sizeof(Object));
      ghost = std::launder(reinterpret_cast<Object*>(bytes));
      if (recording) options_.trace->name_object(*ghost, describe(object));
    }
    pending.object = ghost;
  }
}

void Execution::forget_weaker_orders() {
  std::fill(std::begin(noted_orders), std::end(noted_orders), 0);
  if (cold_state_ != nullptr) cold_state_->weaker_orders.clear();
}

void Execution::name(const Object& object, std::string_view name) {
  if (!is_controlled()) return;
  if (recording) options_.trace->name_object(object, name);
  if (options_.notes_callers) cold_state_->weaker_orders.name(object, name);
}

void Execution::name(const Thread& thread, std::string_view name) {
  if (is_controlled() && recording) options_.trace->name_thread(thread, name);
}

void Execution::name_memory(const void* object, std::string_view name) {
  if (!is_controlled() || host == nullptr) return;
  if (recording) host->name(object, name);
  if (options_.notes_callers) cold_state_->weaker_orders.name_memory(object, name);
}

void Execution::note_value(std::string_view text) {
  options_.trace->note(text);
}

void Execution::note_outcome(bool succeeded, std::string_view found) {
  options_.trace->outcome(succeeded, found);
}

void Execution::note_access(const Object& object, Access access, std::string_view text, Where where) {
  options_.trace->access(object, access, text, where);
}

void outside_operation() {
  if (searching_os_thread == 0 || searching_os_thread == platform::os_thread_id()) return;
  constexpr std::string_view kMessage =
      "hocket: an OS thread that is not under control used a hocket:: object while a search was running.\n"
      "Inside the body, make threads with hocket::thread; outside it, let no other thread use hocket:: "
      "objects\n"
      "until explore() has returned.\n";
  static_cast<void>(!write(real_stderr, kMessage.data(), kMessage.size()));
  std::abort();
}

}  // namespace hocket::runtime
