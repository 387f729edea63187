// The one switch function: Boost.Context's jump, declared here so that it can be inlined into every operation.
//
// A return after a switch is mispredicted by the processor, so the call chain from the operation to the jump has to be
// flat; that is why users' code sees this header.
#pragma once

#include <boost/context/detail/fcontext.hpp>

namespace hocket::runtime::platform {

using Transfer = boost::context::detail::transfer_t;

/// Leaves the running fiber and goes on in `context`. When somebody jumps back, returns that one's context and `data`.
[[gnu::always_inline]] inline Transfer jump(void* context, void* data) {
  return boost::context::detail::jump_fcontext(context, data);
}

/// A context that will call `entry` on the stack below `top`.
inline void* make_context(void* top, std::size_t size, void (*entry)(Transfer)) {
  return boost::context::detail::make_fcontext(top, size, entry);
}

}  // namespace hocket::runtime::platform
