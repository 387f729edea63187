// The values of atomics under control: every read and every write of one goes through a cell.
//
// A cell has one value, the newest, in the memory of the atomic itself, and each read finds it, because all
// operations are explored as sequentially consistent. A weaker memory model is another cell: one that keeps
// older values and asks the chooser which of them a read finds. The operations above it would stay as they
// are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/operation.hpp"
#include "hot.hpp"

namespace hocket::detail {

/// The cell of an atomic of type T. `Place` says where that is: see AtomicFace. The functions are called when
/// it is the thread's turn; those that take `counts` with what Execution::arrive() returned: while an
/// execution is being ended, operations still read and write memory, but are not modelled.
template <class Place, class T>
class ModelledCell {
  using Access = runtime::Access;
  using Operation = runtime::Operation;

 public:
  HOCKET_HOT explicit ModelledCell(const Place& place) : place_(place) {}

  /// What an operation finds that reads and writes at once, which is always the newest value; also for
  /// comparing before it is known whether the operation will write.
  [[nodiscard]] HOCKET_HOT const T& newest() const { return place_.value(); }

  /// `operation` reads with this order.
  HOCKET_HOT T read(bool counts, Operation operation, std::memory_order order) const {
    if (counts) act(operation, Access::read, order);
    return place_.value();
  }
  /// `operation` writes `desired`.
  HOCKET_HOT void write(bool counts, Operation operation, std::memory_order order, const T& desired) const {
    if (counts) act(operation, Access::write, order);
    place_.value() = desired;
  }
  /// `operation` reads the newest value and writes what `change` makes of it. Returns what it has read.
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
