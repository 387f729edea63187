// The system calls of futexes.
#pragma once

#include <optional>

namespace hocket::unmodified {

/// What syscall() is to return for a call of the body. No value if it is not one of futexes.
std::optional<long> futex_call_of_body(long number, const long (&arguments)[6]);

}  // namespace hocket::unmodified
