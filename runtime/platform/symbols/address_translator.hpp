// Places of addresses in one file, from an addr2line that runs from its first use to the end of the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "addr2line.hpp"

namespace hocket::runtime::platform {

class AddressTranslator {
 public:
  /// For the file `file`; empty means the program.
  explicit AddressTranslator(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] bool is_unavailable() const { return unavailable_; }

  struct Line {
    std::string function;  ///< demangled, or "??"
    std::string place;     ///< "file:line", with '?' for unknown parts
  };
  /// What addr2line prints for an address of the file: the functions inlined there, innermost first, and the
  /// function that they are inlined into. Empty if it does not answer.
  std::vector<Line> translate(std::uintptr_t address);

  /// Ends the addr2line process, if there is one; translate() starts it again.
  void pause();
  /// Ends the addr2line process for good.
  void stop();

 private:
  void start();
  bool receive_line(std::string& line);

  std::string file_;
  Addr2line addr2line_;
  bool unavailable_ = false;
  std::string received_;
};

}  // namespace hocket::runtime::platform
