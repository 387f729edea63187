#include "object_lives.hpp"

#include <atomic>
#include <cstdint>
#include <string>

#include "../diagnosis/source_text.hpp"
#include "../diagnosis/trace.hpp"
#include "../platform/static_storage.hpp"
#include "../platform/symbols/call_site.hpp"
#include "../threads/host.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

namespace {

std::atomic<std::uint64_t> outside_objects_made{0};

/// Whether an earlier execution has made the object and it still exists.
bool is_left_over(const Object& object) {
  const auto word = static_cast<std::uint64_t>(object.life);
  return word > static_cast<std::uint64_t>(Life::first_execution) &&
         word < static_cast<std::uint64_t>(run.life);
}

}  // namespace

void ObjectLives::construct(Object& object, Where where) {
  if (!is_controlled()) {
    object.life = Life::outside;
    object.key = mix(0, ++outside_objects_made);
    return;
  }
  // A function-local static is made in the first execution that reaches it and then stays: it is an outside
  // object. Other objects, such as those in a std::optional, are made in each execution and must have the
  // same key in each.
  if (platform::is_in_static_storage(&object)) {
    const OwnMemory own;
    const std::uint32_t so_many = ++run.cold->objects.made_in_static_storage[&object];
    const std::uintptr_t place =
        reinterpret_cast<std::uintptr_t>(&object) - reinterpret_cast<std::uintptr_t>(&outside_objects_made);
    object.life = Life::outside;
    object.key = mix(mix(3, place), so_many);
    if (run.recording) run.options.trace->object_replaced(object);
    return;
  }
  object.life = run.life;
  if (run.host != nullptr) [[unlikely]]
    run.host->memory.made(object);
  object.key = fold_multiply(
      run.current->key ^ 0x2545f4914f6cdd1dU, ++run.current->objects_created * 0x9e3779b97f4a7c15U);
  if (is_sabotaged(Sabotage::objects_named_by_creation)) {
    std::uint64_t created = 0;
    for (unsigned t = 0; t < threads_.count(); ++t) created += threads_[t].objects_created;
    object.key = mix(2, created);
  }
  are_shared_ |= threads_.count() > 1 && !object.kind->is_plain_data;  // vars have a shadow of their own
  if (run.notes_lives) [[unlikely]]
    note_made(object, where);
}

void ObjectLives::note_made(Object& object, Where where) {
  if (run.counts_objects) {
    const OwnMemory own;
    run.cold->counted.objects[&object] = {run.current->index, run.cold->counted.made++, object.key,
        run.recording ? platform::user_call_site(where) : where};
  }
  if (run.recording) run.options.trace->object_made(object, *run.current, where);
  if (!object.kind->is_plain_data) execution.races.began_life(object, where);
}

bool ObjectLives::is_left_from_earlier_execution(const Object& object) {
  if (object.life == Life::outside) return !run.cold->objects.made_in_static_storage.contains(&object);
  return is_left_over(object);
}

bool ObjectLives::first_touch(Object& object, Operation operation, Where where) {
  if (run.ending) {
    verdict_.end_here();
    return false;
  }
  if (object.life == Life::outside || is_left_over(object)) {
    const OwnMemory own;
    if (run.host != nullptr) {
      run.host->memory.made(object);
      if (run.host->memory.puts_back(object)) {
        object.life = run.life;
        object.version = 0;
        object.clocks = 0;
        return true;
      }
    }
    ColdState& m = *run.cold;
    const bool is_known = object.place_outside != 0 && object.place_outside <= m.objects.outside.size() &&
                          m.objects.outside[object.place_outside - 1].object == &object;
    if (!is_known) {
      m.objects.outside.push_back({&object, object.kind->save(object)});
      object.place_outside = static_cast<std::uint32_t>(m.objects.outside.size());
    }
    m.objects.touched.push_back(object.place_outside - 1);
    object.life = run.life;
    object.version = 0;
    object.clocks = 0;
    return true;
  }
  const OwnMemory own;
  std::string what =
      describe(*run.current) +
      (operation == Operation::none ? " uses " : " performs " + std::string(to_string(operation)) + " on ");
  const auto end = run.cold->recorded.destroyed_by.find(&object);
  if (object.life == Life::destroyed) {
    what += (run.recording ? describe(object) : std::string("an object")) + ", which has been destroyed";
  } else if (end != run.cold->recorded.destroyed_by.end()) {
    what += describe(object) + ", which has been destroyed and its memory reused";
  } else {
    what += "an invalid object: it was destroyed and its memory reused, or it was never constructed";
  }
  if (end != run.cold->recorded.destroyed_by.end()) what += ", by " + end->second;
  verdict_.fail(FailureKind::use_after_destruction, what, where);
  return false;
}

void ObjectLives::restore_outside_objects() {
  ColdState& m = *run.cold;
  for (const std::uint32_t place : m.objects.touched) {
    const auto& [object, saved] = m.objects.outside[place];
    if (object == nullptr) continue;
    object->kind->restore(*object, saved);
    object->life = Life::outside;
  }
  m.objects.touched.clear();
  if (!m.objects.made_in_static_storage.empty()) m.objects.made_in_static_storage.clear();
}

void step::note_end_of(const Object& object, Where where) {
  const OwnMemory own;
  run.cold->recorded.destroyed_by[&object] = describe(*run.current) + at(user_place_of(where));
}

void step::forget_known(Object& object) {
  if (object.place_outside != 0) {
    auto& [known, saved] = run.cold->objects.outside[object.place_outside - 1];
    if (known == &object) {
      object.kind->discard(saved);
      known = nullptr;
    }
  }
  if (run.counts_objects && is_controlled()) run.cold->counted.objects.erase(&object);
}

void ObjectLives::forget_outside_objects() {
  ColdState& m = *run.cold;
  for (const auto& [object, saved] : m.objects.outside) {
    if (object == nullptr) continue;
    object->place_outside = 0;
    object->kind->discard(saved);
  }
  m.objects.outside.clear();
}

}  // namespace hocket::runtime
