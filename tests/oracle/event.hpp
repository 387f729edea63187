// What happens in an execution, as far as it may order accesses to plain data or be one.
#pragma once

#include <atomic>
#include <cstdint>

namespace hocket::oracle {

struct Event {
  enum class Kind : std::uint8_t {
    start,  ///< of another thread
    join,
    lock,
    lock_shared,
    unlock,
    unlock_shared,
    acquire,  ///< of a semaphore
    release,
    load,  ///< of an atomic, or of a var by an atomic_ref; a compare-exchange that fails, too
    store,
    update,  ///< reads and writes at once
    fence,
    read,   ///< of a var
    write,  ///< of a var; its construction and its destruction, too
  };

  unsigned thread = 0;
  Kind kind = Kind::fence;
  unsigned object = 0;  ///< start and join: the other thread
  std::memory_order order = std::memory_order_seq_cst;
};

}  // namespace hocket::oracle
