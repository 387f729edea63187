// The lifetime of objects: construction, first use in an execution, destruction; objects that live outside
// the body.
#include "objects.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"

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
  return 0;  // the threads themselves record which of them wait
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
  if (!is_controlled()) return;  // undefined behaviour there, as in the standard
  step::fail(FailureKind::misuse,
      describe(*run.current) + " creates " + describe(*this) + " with " + std::to_string(count) +
          " permits; it must have 0 to " + std::to_string(most),
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
    case Need::time:
      break;
  }
  return true;
}

ColdState::Clock::Clock() : Object(kClockKind, Where{}) {}

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
