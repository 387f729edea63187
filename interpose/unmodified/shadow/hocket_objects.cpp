#include "hocket_objects.hpp"

#include <iterator>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../restore/own_data.hpp"
#include "cells.hpp"

namespace hocket::unmodified {

void HocketObjects::add(const runtime::Object& object) {
  const runtime::OwnMemory own;
  const auto begin = reinterpret_cast<std::uintptr_t>(&object);
  const std::size_t size = object.kind->size;
  by_address_.erase(by_address_.lower_bound(begin), by_address_.lower_bound(begin + size));
  by_address_[begin] = {&object, size};
  has_any = true;
  cells().for_each_in(begin, size, [](Cell& cell) { cell.flags |= Cell::kOwnedByHocket; });
}

bool HocketObjects::hold(std::uintptr_t address, std::size_t size) const {
  const auto next = by_address_.upper_bound(address);
  if (next == by_address_.begin()) return false;
  const auto& [begin, extent] = *std::prev(next);
  return address + size <= begin + extent.size && extent.object->life == runtime::run.life;
}

HocketObjects& hocket_objects() {
  static auto* const all = new HocketObjects;
  return *all;
}

bool is_in_own_data(std::uintptr_t address) {
  return is_own_data(address) || runtime::execution.keeps(address);
}

}  // namespace hocket::unmodified
