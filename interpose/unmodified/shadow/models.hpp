// The models of the program's mutexes, condition variables and the like, by their addresses.
#pragma once

#include <cstdint>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../host/stacks.hpp"
#include "../memory/address_map.hpp"
#include "../memory/heap.hpp"
#include "../naming/address_names.hpp"
#include "destruction_marks.hpp"

namespace hocket::unmodified {

/// Before an operation on the object at `address`, "a mutex", which is in the HeapSpace: it must be in a
/// block that is in use, and to free the block must be ordered after the operation.
void use_object_in_heap(std::uintptr_t address, const char* what);
/// The end of the memory at `address` must be ordered after what the current thread does there now.
void note_use_of_object(std::uintptr_t address, const char* what);

/// The models of one kind. A model is made when its object is first used in an execution.
///
/// An object may be destroyed and its memory become another one, by a function that initialises it or without
/// a call, by PTHREAD_MUTEX_INITIALIZER and its like. The model of one that is destroyed stays, so that
/// a later use is a failure; the next in its place gets a model and a key of its own.
template <class Model>
class Models {
 public:
  /// `what` they are, as in "a mutex"; nullptr: no objects, but something that is said of an address. `kind`
  /// tells their keys from those of other kinds, of which there may be one at the same address.
  Models(const char* what, std::uint64_t kind) : what_(what), kind_(kind) {}

  void begin() {
    by_address_.clear();
    ended_.clear();
    made_.clear();
  }

  /// The model of the object at `address`. `make(pool, place)` makes it in the pool.
  template <class Object, class Make>
  Model& find(Object* object, Make&& make) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    if (what_ != nullptr && HeapSpace::contains(address)) [[unlikely]]
      use_object_in_heap(address, what_);
    if (what_ != nullptr && StackSpace::contains(address)) [[unlikely]]
      use_object_on_stack(address, what_);
    Model** const known = by_address_.find(address);
    if (known != nullptr && *known != nullptr) [[likely]] {
      if ((*known)->life != runtime::Life::destroyed || !is_made_again(object)) [[likely]]
        return **known;
      forget(address);
    }
    const runtime::OwnMemory own;
    Model& model = make(made_, runtime::FoundAt{key_at(address)});
    by_address_.insert(address) = &model;
    name(model, address);
    if (is_marked_destroyed(object)) model.end_life();  // by an earlier execution, or before the search
    return model;
  }

  /// The step that destroys the object, whose model this is.
  template <class Object>
  void destroy(Object* object, Model& model) {
    runtime::execution.destroy(model, runtime::Where{});
    mark_destroyed(object);
  }

  /// If it is known.
  void rename(const void* object, std::string_view name) {
    if (Model* const known = find_known(object); known != nullptr) runtime::execution.name(*known, name);
  }

  /// The object at `address` is no more, or begins anew.
  void forget(const volatile void* object) { forget(reinterpret_cast<std::uintptr_t>(object)); }
  [[nodiscard]] Model* find_known(const volatile void* object) {
    Model** const known = by_address_.find(reinterpret_cast<std::uintptr_t>(object));
    return known != nullptr ? *known : nullptr;
  }

 private:
  void forget(std::uintptr_t address) {
    Model** const known = by_address_.find(address);
    if (known == nullptr || *known == nullptr) return;
    *known = nullptr;
    const runtime::OwnMemory own;
    ++ended_.insert(address);
  }

  /// Those that follow each other at an address are ordered, if the program is right, so their number is the
  /// same whatever the schedule.
  [[nodiscard]] std::uint64_t key_at(std::uintptr_t address) {
    const std::uint64_t key = key_of(address);
    const unsigned* const ended = ended_.find(address);
    const std::uint64_t which = kind_ << 32U | (ended != nullptr ? *ended : 0);
    return which == 0 ? key : runtime::mix(key, which);
  }

  static void name(const Model& model, std::uintptr_t address) {
    if (!runtime::execution.recording) return;
    runtime::execution.name(model, name_of(model.kind->name, address));
  }

  const char* what_;
  std::uint64_t kind_;
  AddressMap<Model*> by_address_;
  AddressMap<unsigned> ended_;  ///< how many there have been at an address before the one that is there now
  Pool<Model> made_;
};

/// All kinds.
struct AllModels {
  Models<runtime::Mutex> mutexes{"a mutex", 0};  ///< also of once-flags and of the guards of local statics
  Models<runtime::SharedMutex> shared_mutexes{"a shared mutex", 1};
  Models<runtime::ConditionVariable> conditions{"a condition variable", 2};
  Models<runtime::Semaphore> semaphores{"a semaphore", 3};
  Models<runtime::Annotation> annotations{nullptr, 4};

  void begin() {
    mutexes.begin();
    shared_mutexes.begin();
    conditions.begin();
    semaphores.begin();
    annotations.begin();
  }
};

AllModels& models();

/// The object at `address` goes with the block of the heap that it lies in, which is being freed: nobody may
/// hold it or be about to use it.
void end_object_in_heap(std::uintptr_t address);
/// The function has returned whose local variable the object is: likewise. Another one may begin there.
void leave_object(std::uintptr_t address);

}  // namespace hocket::unmodified
