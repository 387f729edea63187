// A warning that assert() checks nothing in the program.
#pragma once

namespace hocket {

/// Says once in a run of the program which of its instrumented sources have assertions that are compiled out,
/// if there are any. To be called before executions begin.
void warn_of_compiled_out_assertions();

}  // namespace hocket
