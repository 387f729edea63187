// addr2line, run as a separate process.
#pragma once

#include "socket_program.hpp"

namespace hocket::runtime::platform {

/// An addr2line process, which reads addresses, one per line, and prints what is known about each.
class Addr2line : public SocketProgram {
 public:
  /// Starts addr2line for `file`, or for the program if that is empty. `options` is a word such as "-Cfip".
  /// Returns whether addr2line is available.
  bool start(const char* options, const char* file);
};

}  // namespace hocket::runtime::platform
