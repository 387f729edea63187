// Whether an exception thrown now would end in std::terminate.
#pragma once

namespace hocket::runtime::platform {

/// Looks at the calling stack, innermost frame first. True if an exception that nobody catches by type would
/// reach a noexcept function (or one without unwind information) before a catch (...) or the bottom of the
/// fiber's stack.
bool would_terminate();

}  // namespace hocket::runtime::platform
