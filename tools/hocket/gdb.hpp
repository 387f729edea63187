// Where the scripts for debuggers are.
#pragma once

#include <string>

namespace hocket::tool {

/// The script for a debugger, "gdb" or "lldb", that belongs to this program; empty if it is not there.
std::string script_for(const std::string& debugger);

}  // namespace hocket::tool
