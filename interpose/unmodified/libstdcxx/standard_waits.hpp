// The order of an atomic load that a function of the program makes, found without making it:
// std::atomic::wait is given the load as a function.
#pragma once

namespace hocket::unmodified {

/// Where to write the memory order of an atomic load that is no step; mostly nullptr. See
/// hocket_std_begin_order().
extern int* order_of_load;

inline void note_order_of_load(int order) {
  if (order_of_load != nullptr) *order_of_load = order;
}

}  // namespace hocket::unmodified
