// The models of the program's mutexes, condition variables and the like, by their addresses.
#pragma once

#include <cstdint>

#include <hocket/interpose/unmodified/address_map.hpp>
#include <hocket/interpose/unmodified/heap.hpp>
#include <hocket/interpose/unmodified/place.hpp>
#include <hocket/runtime/allocations.hpp>
#include <hocket/runtime/execution.hpp>

namespace hocket::unmodified {

/// Before an operation on the object at `address`, "a mutex": it must be in a block that is in use, and to
/// free the block must be ordered after the operation.
void use_object_in_heap(std::uintptr_t address, const char* what);

/// Those of one kind. A model is made when its object is first used in an execution.
template <class Model>
class Models {
 public:
  /// `what` they are, as in "a mutex"; nullptr: no objects, but something that is said of an address.
  explicit Models(const char* what) : what_(what) {}

  void begin() {
    by_address_.clear();
    made_.clear();
  }

  /// The model of the object at `address`. `make(pool, place)` makes it in the pool.
  template <class Make>
  Model& find(const void* object, Make&& make) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    if (what_ != nullptr && HeapSpace::contains(address)) [[unlikely]]
      use_object_in_heap(address, what_);
    Model** const known = by_address_.find(address);
    if (known != nullptr && *known != nullptr) [[likely]]
      return **known;
    const runtime::OwnMemory own;
    Model& model = make(made_, runtime::FoundAt{key_of(address)});
    by_address_.insert(address) = &model;
    name(model, address);
    return model;
  }

  /// If it is known.
  void rename(const void* object, std::string_view name) {
    if (Model* const known = find_known(object); known != nullptr) runtime::execution.name(*known, name);
  }

  /// The object at `address` is no more, or begins anew.
  void forget(const void* object) {
    if (Model** const known = by_address_.find(reinterpret_cast<std::uintptr_t>(object)); known != nullptr)
      *known = nullptr;
  }
  [[nodiscard]] Model* find_known(const void* object) {
    Model** const known = by_address_.find(reinterpret_cast<std::uintptr_t>(object));
    return known != nullptr ? *known : nullptr;
  }

 private:
  static void name(const Model& model, std::uintptr_t address) {
    if (!runtime::execution.recording) return;
    runtime::execution.name(model, name_of(model.kind->name, address));
  }

  const char* what_;
  AddressMap<Model*> by_address_;
  Pool<Model> made_;
};

/// All kinds.
struct AllModels {
  Models<runtime::Mutex> mutexes{"a mutex"};  ///< also of once-flags and of the guards of local statics
  Models<runtime::SharedMutex> shared_mutexes{"a shared mutex"};
  Models<runtime::ConditionVariable> conditions{"a condition variable"};
  Models<runtime::Semaphore> semaphores{"a semaphore"};
  Models<runtime::Annotation> annotations{nullptr};

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

}  // namespace hocket::unmodified
