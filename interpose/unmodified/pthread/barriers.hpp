// The state of pthread barriers.
#pragma once

namespace hocket::unmodified {

/// Forgets the barriers of the last execution.
void forget_barriers();

}  // namespace hocket::unmodified
