// Running another program for the user, who does not notice that there are two processes.
#pragma once

#include <string>
#include <vector>

#include "../../runtime/platform/ending.hpp"

namespace hocket {

/// Where what the program prints goes.
enum class Output : bool { shown, dropped };

/// How a program ended.
struct ProgramEnd : runtime::platform::Ending {
  int error = 0;  ///< an error number if the program could not be run
};

/// Runs `path` with this process's environment, and waits for its end. `words` are its arguments, beginning
/// with its name. The program handles Ctrl-C and Ctrl-\ of the terminal; a SIGINT, SIGQUIT, SIGTERM or SIGHUP
/// that only this process gets is forwarded to it.
ProgramEnd run_program(
    const std::string& path, std::vector<std::string> words, Output output = Output::shown);

}  // namespace hocket
