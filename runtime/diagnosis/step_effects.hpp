// What a recorded step did to its object.
#pragma once

#include "recorded_steps.hpp"

namespace hocket::runtime {

/// Whether the step was an attempt that did not succeed: a try, a compare-exchange, or a wait that expired.
/// Knows it of steps that were read from a file, too.
bool has_failed(const RecordedChoice& step);

/// Whether the step may have changed its object, so that its order with every other step on it matters.
bool writes(const RecordedChoice& step);

}  // namespace hocket::runtime
