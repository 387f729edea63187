// What a test framework asserts in a body, and the scopes for which the body has given a text, for example
// with GoogleTest's SCOPED_TRACE. Each logical thread has scopes of its own.
#pragma once

#include <string>

namespace hocket {

/// Whether the calling code runs in a body, on a fiber.
bool is_in_body();

/// Whether the current execution has failed already.
bool has_failed();

/// An assertion of the current execution has failed. The execution has failed, too, and its thread keeps
/// running. This function and the others may be called only in a body.
void note_failed_assertion(std::string message, const char* file, int line);

/// The body asks to be skipped; its thread keeps running.
void note_skipping(const std::string& reason, const char* file, int line);

/// Notes that the current thread enters a scope. This function and the others may be called only on a fiber.
void enter_test_scope(const std::string& text);

/// Notes that the current thread leaves the scope that it entered last.
void leave_test_scope();

/// The texts of the scopes of the current thread, one per line, the last one first; none ends in '\n'.
std::string test_scopes();

}  // namespace hocket
