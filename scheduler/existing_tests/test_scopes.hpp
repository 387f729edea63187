// The scopes for which a body has given a text, for example with GoogleTest's SCOPED_TRACE. Each logical
// thread has scopes of its own.
#pragma once

#include <string>

namespace hocket {

/// Notes that the current thread enters a scope. This function and the others may be called only on a fiber.
void enter_test_scope(const std::string& text);

/// Notes that the current thread leaves the scope that it entered last.
void leave_test_scope();

/// The texts of the scopes of the current thread, one per line, the last one first; none ends in '\n'.
std::string test_scopes();

}  // namespace hocket
