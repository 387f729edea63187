// Whether prepared text is still as it was prepared: the body may write beyond its own blocks.
#pragma once

#include <cstdint>
#include <string_view>

#include "../../runtime/terms/action_hash.hpp"

namespace hocket {

/// The seal of what `seal` stands for, followed by `text`. Allocates nothing.
inline std::uint64_t with_text(std::uint64_t seal, std::string_view text) {
  for (const char character : text) seal = runtime::mix(seal, static_cast<unsigned char>(character));
  return runtime::mix(seal, text.size());
}

}  // namespace hocket
