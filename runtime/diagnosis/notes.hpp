// How the notes of a step begin that are more than its result. Schedule files hold them as text, from which
// they are told apart again.
#pragma once

#include <string_view>

namespace hocket::runtime::notes {

inline constexpr std::string_view kReads = "reads ";  ///< a variable: "reads item = 7  queue.hpp:37"
inline constexpr std::string_view kWrites = "writes ";
inline constexpr std::string_view kFails = "FAILS: ";  ///< the execution, with the first line of the message

}  // namespace hocket::runtime::notes
