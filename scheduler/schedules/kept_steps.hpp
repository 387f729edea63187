// Which steps of a very long schedule a file has in full. Of the others it has the numbers of their choices,
// which is all that a replay needs.
#pragma once

#include <vector>

#include "schedule.hpp"

namespace hocket {

/// For each choice whether the file leaves its details out. Those of a schedule that comes from a file are
/// left out if they were there. Otherwise, of very many, the first ones, the last ones and those that a
/// reader is shown stay.
std::vector<bool> left_out_choices(const Schedule& schedule);

}  // namespace hocket
