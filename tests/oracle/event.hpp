// An event of an execution that may order accesses to plain data or may be such an access.
#pragma once

#include <atomic>
#include <cstdint>

namespace hocket::oracle {

struct Event {
  enum class Kind : std::uint8_t {
    start,  ///< starts another thread
    join,
    lock,
    lock_shared,
    unlock,
    unlock_shared,
    acquire,  ///< acquires a semaphore
    release,
    load,  ///< of an atomic, or of a var through an atomic_ref; also a compare-exchange that fails
    store,
    update,  ///< a read-modify-write operation
    fence,
    read,   ///< of a var
    write,  ///< of a var; also its construction and destruction
  };

  unsigned thread = 0;
  Kind kind = Kind::fence;
  unsigned object = 0;  ///< start and join: the other thread
  std::memory_order order = std::memory_order_seq_cst;
};

}  // namespace hocket::oracle
