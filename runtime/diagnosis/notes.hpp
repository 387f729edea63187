// The prefixes of notes of a step that are more than its result. Schedule files hold notes as text and
// recognise them by these prefixes.
#pragma once

#include <string_view>

namespace hocket::runtime::notes {

inline constexpr std::string_view kReads = "reads ";  ///< a read of a variable: "reads item = 7 queue.hpp:37"
inline constexpr std::string_view kWrites = "writes ";
inline constexpr std::string_view kUntil = "until ";  ///< the deadline of a wait or a sleep: "until 1.5 ms"
inline constexpr std::string_view kFor = "for ";  ///< how long a sleep is to be: "for 200 ms, until 1.2 s"
inline constexpr std::string_view kFails =
    "FAILS: ";  ///< the execution fails; followed by the first line of the message

}  // namespace hocket::runtime::notes
