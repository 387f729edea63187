// The size of the machine's memory.
#pragma once

#include <cstddef>

namespace hocket::runtime::platform {

/// In bytes. The limit of a control group, if there is one, may be lower.
std::size_t physical_memory();

}  // namespace hocket::runtime::platform
