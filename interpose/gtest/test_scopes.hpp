// The scopes that a body has said a text about, as by GoogleTest's SCOPED_TRACE: of each logical thread its
// own.
#pragma once

#include <string>

namespace hocket {

/// The current thread enters a scope. On a fiber only, like the others.
void enter_test_scope(const std::string& text);

/// It leaves the last one that it has entered.
void leave_test_scope();

/// The texts of those that it is in, the last one first, a line each; none ends in '\n'.
std::string test_scopes();

}  // namespace hocket
