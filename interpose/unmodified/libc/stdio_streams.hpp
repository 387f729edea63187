// The stdio streams that the body opens.
#pragma once

#include <cstdint>
#include <cstdio>

#include "../../../runtime/execution/execution_options.hpp"

namespace hocket::unmodified {

/// Closes the streams that the execution has left open. Otherwise each would keep a file descriptor, and its
/// buffer would be written when the process ends. If the execution was cut short, the buffers are discarded.
/// If nothing is restored, those of an execution that came to its end stay.
void close_streams_of_body(const runtime::ExecutionOptions& options);

enum class OnStream : std::uint8_t { takes, gives, closes };

/// To be called before a call of the program on a stream, from a body: makes its step if the file behind it
/// is an inner one. A call that takes waits until there is something, if the stream has nothing in its
/// buffer. `function`: its name, for reports.
void step_on_stream(const char* function, std::FILE* stream, OnStream does);

}  // namespace hocket::unmodified
