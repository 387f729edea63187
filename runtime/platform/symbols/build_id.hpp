// The identity of this program: what a schedule file stores about the binary that wrote it.
#pragma once

#include <string>

namespace hocket::runtime::platform {

/// The GNU build id of the main program, in lower-case hexadecimal; empty if it was linked without one. Takes
/// the loader's lock and allocates, so a crash handler needs it called in advance.
std::string build_id_of_this_program();

/// The absolute path from which the main program was started; empty if the system does not report it.
std::string path_of_this_program();

}  // namespace hocket::runtime::platform
