#include <hocket/interpose/unmodified/models.hpp>

#include <hocket/interpose/unmodified/cells.hpp>
#include <hocket/runtime/misuse.hpp>

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::Where;

template <class Model>
void end(Models<Model>& all, const void* object) {
  Model* const model = all.find_known(object);
  if (model == nullptr) return;
  const auto objects_to = model->kind->objection_to_destruction;
  if (const char* objection = objects_to != nullptr ? objects_to(*model) : nullptr; objection != nullptr) {
    runtime::misuse::destroyed_while(execution, *model, objection, Where{});
  } else {
    runtime::misuse::destroyed_in_use(execution, *model, Where{});
  }
  all.forget(object);
}

}  // namespace

AllModels& models() {
  static auto* const all = new AllModels;
  return *all;
}

// An operation is to the block what an atomic access is: operations need no order among themselves.
void use_object_in_heap(std::uintptr_t address, const char* what) {
  heap().check_object(address, what);
  if (execution.thread_count() == 1) return;
  Cell& cell = cells().find(address, 1);
  cell.used_as = what;
  execution.access(cell, runtime::VarAccess::atomic_write, Where{});
  if (cell.has(Cell::kOverlaps)) Cells::check_others(cell, runtime::VarAccess::atomic_write);
}

void end_object_in_heap(std::uintptr_t address) {
  const void* const object = reinterpret_cast<const void*>(address);
  end(models().mutexes, object);
  end(models().shared_mutexes, object);
  end(models().conditions, object);
  end(models().semaphores, object);
}

}  // namespace hocket::unmodified
