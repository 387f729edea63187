// Whether an exception thrown now would end in std::terminate.
#pragma once

namespace hocket::runtime::platform {

/// Walks the calling stack, innermost frame first. Returns true if an exception that no handler catches by
/// type would reach a noexcept function (or one without unwind information) before a catch (...) or the
/// bottom of the fiber's stack.
bool would_terminate();

}  // namespace hocket::runtime::platform
