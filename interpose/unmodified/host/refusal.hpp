// Calls that cannot be controlled.
#pragma once

namespace hocket::unmodified {

/// The execution fails, since a body calls `function`. `instead`: what it may do, without a full stop.
void refuse(const char* function, const char* instead);

}  // namespace hocket::unmodified
