// The models of the program's mutexes, condition variables and similar objects, by address.
#pragma once

#include <cassert>
#include <cstdint>

#include "../../../runtime/diagnosis/trace.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/execution/step.hpp"
#include "../host/stacks.hpp"
#include "../memory/address_map.hpp"
#include "../memory/heap.hpp"
#include "../naming/address_names.hpp"
#include "destruction_marks.hpp"

namespace hocket::unmodified {

/// To be called before an operation on the object at `address`, which is in the HeapSpace. The object must
/// lie in a block that is in use, and freeing that block must be ordered after the operation. `what`: for
/// example "a mutex".
void use_object_in_heap(std::uintptr_t address, const char* what);
/// Records a use of the object at `address` by the current thread: the end of the life of that memory must be
/// ordered after it.
void note_use_of_object(std::uintptr_t address, const char* what);

/// The models of all objects of one kind. A model is made when its object is first used in an execution.
///
/// An object may be destroyed and another may begin in its memory, either by an initialisation function or
/// without a call, by PTHREAD_MUTEX_INITIALIZER and similar initialisers. The model of a destroyed object
/// stays, so that a later use is a failure. The next object at the same address gets its own model and its
/// own key.
template <class Model>
class Models {
 public:
  /// `what`: what the objects are, such as "a mutex"; nullptr if the models stand for annotations of an
  /// address and not for objects. `kind` distinguishes their keys from those of other kinds that may exist at
  /// the same address.
  Models(const char* what, std::uint64_t kind) : what_(what), kind_(kind) {}

  void begin() {
    by_address_.clear();
    ended_.clear();
    made_.clear();
  }

  /// The model of the object at `address`. If there is none yet, `make(pool, place)` makes it in the pool.
  template <class Object, class Make>
  Model& find(Object* object, Make&& make) {
    assert(runtime::is_on_body());
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

  /// Executes the step that destroys the object. `model` is the object's model.
  template <class Object>
  void destroy(Object* object, Model& model) {
    runtime::step::destroy(model, runtime::Where{});
    mark_destroyed(object);
  }

  /// Gives the object a name, if it has a model.
  void rename(const void* object, std::string_view name) {
    if (Model* const known = find_known(object); known != nullptr) runtime::recording::name(*known, name);
  }

  /// The object at `address` has ended or is being initialised anew.
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

  /// In a correct program, successive objects at one address are ordered. So the number of earlier ones is
  /// the same in every schedule.
  [[nodiscard]] std::uint64_t key_at(std::uintptr_t address) {
    const std::uint64_t key = key_of(address);
    const std::uint64_t which = kind_ << 32U | ended_at(address);
    return which == 0 ? key : runtime::mix(key, which);
  }
  [[nodiscard]] unsigned ended_at(std::uintptr_t address) {
    const unsigned* const ended = ended_.find(address);
    return ended != nullptr ? *ended : 0;
  }

  void name(const Model& model, std::uintptr_t address) {
    if (!runtime::run.recording) return;
    runtime::run.trace()->object_found(
        model, address, ended_at(address), name_of_found(model.kind->name, address));
  }

  const char* what_;
  std::uint64_t kind_;
  AddressMap<Model*> by_address_;
  AddressMap<unsigned> ended_;  ///< how many objects have ended at the address in this execution
  Pool<Model> made_;
};

/// The models of all kinds.
struct AllModels {
  Models<runtime::Mutex> mutexes{"a mutex", 0};  ///< also for once-flags and the guards of local statics
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

/// The object at `address` ends because the heap block that contains it is being freed. No thread may hold it
/// or be about to use it.
void end_object_in_heap(std::uintptr_t address);
/// The object at `address` ends because it is a local variable of a function that has returned. No thread may
/// hold it or be about to use it. Another object may begin there.
void leave_object(std::uintptr_t address);

}  // namespace hocket::unmodified
