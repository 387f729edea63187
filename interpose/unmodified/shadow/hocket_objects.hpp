// The hocket:: objects of the running execution, by address. Instrumented code may use such objects, too.
//
// Their contents belong to the runtime: every thread reads and writes them, without any modelled ordering,
// whenever it is that thread's turn. The hooks therefore ignore accesses to them, which come from inline
// functions in Hocket's headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "../../../runtime/objects/object.hpp"

namespace hocket::unmodified {

class HocketObjects {
 public:
  void begin() {
    if (!by_address_.empty()) by_address_.clear();
  }

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
};

HocketObjects& hocket_objects();

/// Whether these bytes belong to Hocket: its static data, the data it keeps for threads, or a hocket::
/// object. Slow if they do not.
bool is_of_hocket(std::uintptr_t address, std::size_t size);

}  // namespace hocket::unmodified
