#include "models.hpp"

#include "../../../runtime/diagnosis/misuse.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "cells.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::Where;

/// Checks an object that ends together with the memory it lies in: no thread may hold it or be about to use
/// it.
void check_end(const runtime::Object* model, runtime::misuse::End how) {
  if (model == nullptr || model->life == runtime::Life::destroyed) return;
  const auto objects_to = model->kind->objection_to_destruction;
  if (const char* objection = objects_to != nullptr ? objects_to(*model) : nullptr; objection != nullptr) {
    runtime::misuse::ended_while(*model, how, objection, Where{});
  } else {
    runtime::misuse::ended_in_use(*model, how, Where{});
  }
}

/// Calls `visit(models)` for each kind of objects.
template <class Visit>
void for_each_kind(Visit&& visit) {
  visit(models().mutexes);
  visit(models().shared_mutexes);
  visit(models().conditions);
  visit(models().semaphores);
}

}  // namespace

AllModels& models() {
  static auto* const all = new AllModels;
  return *all;
}

// To the heap block, an operation is like an atomic access: operations need not be ordered with each other.
void use_object_in_heap(std::uintptr_t address, const char* what) {
  heap().check_object(address, what);
  if (execution.thread_count() != 1) note_use_of_object(address, what);
}

void note_use_of_object(std::uintptr_t address, const char* what) {
  Cell& cell = cells().find(address, 1);
  cell.used_as = what;
  runtime::step::access(cell, runtime::VarAccess::atomic_write, Where{});
  if (cell.has(Cell::kOverlaps)) Cells::check_others(cell, runtime::VarAccess::atomic_write);
}

void end_object_in_heap(std::uintptr_t address) {
  const void* const object = reinterpret_cast<const void*>(address);
  for_each_kind([&](auto& all) {
    check_end(all.find_known(object), runtime::misuse::End::destruction);
    all.forget(object);
  });
}

void leave_object(std::uintptr_t address) {
  const void* const object = reinterpret_cast<const void*>(address);
  for_each_kind(
      [&](auto& all) { check_end(all.find_known(object), runtime::misuse::End::return_from_function); });
}

}  // namespace hocket::unmodified
