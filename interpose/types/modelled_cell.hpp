// The values of atomics under control: every read and every write of an atomic goes through a cell.
//
// A cell holds one value, the newest one, in the memory of the atomic itself, and every read returns it,
// because all operations are explored as sequentially consistent. To support a weaker memory model, replace
// the cell by one that keeps older values and asks the chooser which of them a read returns. The operations
// that use the cell would not change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/operation.hpp"
#include "hot.hpp"

namespace hocket::detail {

/// The cell of an atomic of type T. `Place` says where the value is stored: see AtomicFace. The functions are
/// called when it is the thread's turn to run. The parameter `counts` is the result of Execution::arrive():
/// while an execution is being ended, operations still read and write memory but are not modelled.
template <class Place, class T>
class ModelledCell {
  using Access = runtime::Access;
  using Operation = runtime::Operation;

 public:
  HOCKET_HOT explicit ModelledCell(const Place& place) : place_(place) {}

  /// The value that a read-modify-write operation reads, which is always the newest one. It is also used to
  /// compare before it is known whether the operation will write.
  [[nodiscard]] HOCKET_HOT const T& newest() const { return place_.value(); }

  /// Reads the value for `operation` with this memory order.
  HOCKET_HOT T read(bool counts, Operation operation, std::memory_order order) const {
    if (counts) act(operation, Access::read, order);
    return place_.value();
  }
  /// Writes `desired` for `operation`.
  HOCKET_HOT void write(bool counts, Operation operation, std::memory_order order, const T& desired) const {
    if (counts) act(operation, Access::write, order);
    place_.value() = desired;
  }
  /// Reads the newest value for `operation` and writes `change(value)`. Returns the value that was read.
  template <class Change>
  HOCKET_HOT T update(bool counts, Operation operation, std::memory_order order, Change change) const {
    if (counts) act(operation, Access::write, order);
    const T before = place_.value();
    place_.value() = change(before);
    return before;
  }

 private:
  HOCKET_HOT void act(Operation operation, Access access, std::memory_order order) const {
    place_.prepare();
    runtime::execution.act(place_.object(), operation, access, order);
  }

  const Place& place_;
};

}  // namespace hocket::detail
