// The hocket:: objects of the running execution, by where they lie: instrumented code may use those as well.
//
// What they hold is the runtime's: it is read and written by every thread, without any order, as soon as it
// is that thread's turn. So the hooks pass over accesses to it, which inline functions of Hocket's headers
// make.
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

  /// `object` is in order from now on. What was known of other objects in its place is forgotten.
  void add(const runtime::Object& object);

  /// Whether all these bytes lie in an object whose life has not ended.
  [[nodiscard]] bool hold(std::uintptr_t address, std::size_t size) const;

 private:
  struct Extent {
    const runtime::Object* object;
    std::size_t size;
  };
  std::map<std::uintptr_t, Extent> by_address_;
};

HocketObjects& hocket_objects();

/// Whether these bytes are Hocket's: its static data, what it keeps for threads, or a hocket:: object. Slow
/// where they are not.
bool is_of_hocket(std::uintptr_t address, std::size_t size);

}  // namespace hocket::unmodified
