// Calls that cannot be controlled.
#pragma once

namespace hocket::unmodified {

/// Fails the execution because a body called `function`. `instead`: what the body may do instead, without a
/// full stop.
void refuse(const char* function, const char* instead);

}  // namespace hocket::unmodified
