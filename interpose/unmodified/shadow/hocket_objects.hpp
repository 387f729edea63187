// The hocket:: objects of the running execution, by address. Instrumented code may use such objects, too.
//
// Their contents belong to the runtime: every thread reads and writes them, without any modelled ordering,
// whenever it is that thread's turn. The hooks therefore ignore accesses to them, which come from inline
// functions in Hocket's headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "../../../runtime/execution/run.hpp"
#include "../../../runtime/objects/object.hpp"
#include "../memory/heap_space.hpp"

namespace hocket::unmodified {

class HocketObjects {
 public:
  void begin() {
    if (has_any) by_address_.clear();
    has_any = false;
  }
  /// Whether the execution has made any.
  [[nodiscard]] static bool are_any() { return has_any; }

  /// Registers `object`, whose life has begun. Forgets any earlier objects at the same place.
  void add(const runtime::Object& object);

  /// Whether all these bytes lie in one object whose life has not ended.
  [[nodiscard]] bool hold(std::uintptr_t address, std::size_t size) const;

 private:
  struct Extent {
    const runtime::Object* object;
    std::size_t size;
  };
  std::map<std::uintptr_t, Extent> by_address_;
  static inline constinit bool has_any = false;
};

HocketObjects& hocket_objects();

/// Whether the address is in Hocket's static data, or in the data it keeps for threads.
bool is_in_own_data(std::uintptr_t address);

/// Whether these bytes belong to Hocket: they are there, or in a hocket:: object.
[[nodiscard]] inline bool is_of_hocket(std::uintptr_t address, std::size_t size) {
  const runtime::platform::StackMemory& stack = runtime::run.current->stack;
  const bool is_usual =
      HeapSpace::contains(address) || address - reinterpret_cast<std::uintptr_t>(stack.bottom) < stack.size();
  if (is_usual && !HocketObjects::are_any()) [[likely]]
    return false;
  return hocket_objects().hold(address, size) || (!is_usual && is_in_own_data(address));
}

}  // namespace hocket::unmodified
