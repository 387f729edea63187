// The memory order of an atomic load made by a function of the program. It has to be found without executing
// a step, because std::atomic::wait gets the load as a function.
#pragma once

namespace hocket::unmodified {

/// Where to store the memory order of an atomic load that is not a step; usually nullptr. See
/// hocket_std_begin_order().
extern int* order_of_load;

inline void note_order_of_load(int order) {
  if (order_of_load != nullptr) *order_of_load = order;
}

}  // namespace hocket::unmodified
