// Which program this is: what a schedule file remembers of the binary that wrote it.
#pragma once

#include <string>

namespace hocket::runtime::platform {

/// The GNU build id of the main program, in lower-case hexadecimal; empty when it was linked without one.
/// Takes the loader's lock and allocates, so a crash handler must have asked before.
std::string build_id_of_this_program();

/// The absolute path from which the main program was started; empty when the system does not tell.
std::string path_of_this_program();

}  // namespace hocket::runtime::platform
