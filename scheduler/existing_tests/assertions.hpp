// Assertions of a test framework in a body.
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

}  // namespace hocket
