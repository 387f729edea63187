// The memory models that a search can explore.
#pragma once

#include <cstdint>

namespace hocket {

/// What operations of hocket:: atomics with weaker memory orders than seq_cst may do.
enum class MemoryModel : std::uint8_t {
  sc,  ///< the same as with seq_cst; their orders count only for the detection of data races
  c11  ///< all that C++20 allows, except load buffering: a load may read an older value
};

}  // namespace hocket
