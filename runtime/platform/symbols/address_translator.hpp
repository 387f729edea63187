// addr2line, which runs beside the process from the first need to its end: places of addresses in one file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace hocket::runtime::platform {

/// addr2line, and the socket that is both its input and its output. A socket, because writing to one whose
/// other end is gone can be told not to raise SIGPIPE.
class AddressTranslator {
 public:
  /// For the file of that name; empty: for the program.
  explicit AddressTranslator(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] bool is_unavailable() const { return unavailable_; }

  /// The lines that addr2line prints for an address of the file: "file:line" of the functions that are
  /// inlined there, innermost first, and of the one that they are inlined into. Empty when it does not
  /// answer.
  std::vector<std::string> translate(std::uintptr_t address);

  /// Ends the process, if there is one; translate() starts it again.
  void pause();
  /// Ends the process, for good.
  void stop();

 private:
  void start();
  bool spawn();
  bool send_all(std::string_view text);
  bool receive_line(std::string& line);

  std::string file_;
  pid_t owner_ = -1;
  pid_t child_ = -1;
  int socket_ = -1;
  bool unavailable_ = false;
  std::string received_;
};

}  // namespace hocket::runtime::platform
