// Stops the process for a debugger, by SIGTRAP: here, or where a fiber that stands still goes on.
#pragma once

namespace hocket::runtime::platform {

/// Raises SIGTRAP. The caller's frame is the next one.
void stop_for_debugger();

/// The fiber that was left with `context` and has been begun will raise SIGTRAP when it goes on, on its own
/// stack, where a debugger can follow its frames. Returns false if that cannot be done on this processor.
bool stop_when_resumed(void*& context);

}  // namespace hocket::runtime::platform
