// What the C++ memory model adds to an execution: older values, and which of them may still be read.
//
// Threads run one after the other, and each operation reads a store that was made before it. So what is shown
// is RC11: all that C++20 allows except for values that a thread reads before they are stored (load
// buffering), and a little that its text forbids for seq_cst and processors do (seq_cst_order.hpp). The price
// of anything but the newest store is 1, so the least surprising executions come first.
#pragma once

#include <cstdint>
#include <vector>

#include "atomic_request.hpp"
#include "seq_cst_order.hpp"
#include "store_history.hpp"

namespace hocket::runtime {

struct WeakMemory {
  StoreHistories histories;
  SeqCstOrder seq_cst;
  /// A store that may be chosen.
  struct Offer {
    std::uint32_t place;
    // Of a compare-exchange that finds its expected value there:
    bool must_fail;  ///< it may not write
    bool may_fail;   ///< for no reason
  };
  std::vector<Offer> offers;  ///< the newest store first
  Offer chosen{};
  StoreHistory* chosen_in = nullptr;  ///< the history in which it is
  std::uint32_t stale = 0;            ///< how often another one than the newest was chosen, in this execution

  void begin() {
    histories.begin();
    seq_cst.begin();
    stale = 0;
  }

  /// Fills in `offers` for an operation of a thread.
  void find_offers(const AtomicRequest& request, const StoreHistory& history, unsigned thread,
      const VectorClock& known, unsigned threads);
  /// Removes those of `stores` that are not the newest of their history.
  void drop_older_offers(const StoreHistory& history, const std::vector<const Store*>& stores);
};

}  // namespace hocket::runtime
