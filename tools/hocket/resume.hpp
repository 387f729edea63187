// `hocket run --checkpoint`: a search whose parts are kept, and that `hocket resume` goes on with.
#pragma once

#include "commands.hpp"

namespace hocket::tool {

/// Carries out `command`, which has a folder, with so many processes at the same time. Its options are in the
/// environment already.
int run_with_checkpoint(const RunCommand& command, unsigned jobs);

}  // namespace hocket::tool
