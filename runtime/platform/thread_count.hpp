// How many threads of the system this process has.
#pragma once

#include <cstddef>

namespace hocket::runtime::platform {

/// The number of threads beside `known` ones and the ticker's. One that has just ended may still be listed,
/// so this looks again for some milliseconds where there seem to be any.
std::size_t threads_beside(std::size_t known);

}  // namespace hocket::runtime::platform
