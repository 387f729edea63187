// Orders with which an execution runs in place of those that the code asks for, to see what difference they
// make.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "../terms/operation.hpp"

namespace hocket::runtime {

/// A change to the operations of one kind in one line of the source.
struct RaisedOrder {
  std::string place;  ///< "file.cpp:12"
  unsigned line = 0;  ///< that of the place, which is quickly compared
  Operation operation = Operation::none;
  std::memory_order order = std::memory_order_seq_cst;  ///< no operation gets a weaker one than it asks for
  bool is_fence = false;  ///< a fence of that order before the operation, which keeps its own
};

using RaisedOrders = std::vector<RaisedOrder>;

}  // namespace hocket::runtime
