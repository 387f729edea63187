// addr2line, as a process beside this one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <sys/types.h>

namespace hocket::runtime::platform {

/// A process of addr2line, which reads addresses, one in a line, and prints what is known of each. Keeps no
/// memory from the heap, so that a signal handler can use it in a process that is about to end.
class Addr2line {
 public:
  /// For the file of that name; empty: for the program. `options` is a word such as "-Cfip". Returns whether
  /// there is an addr2line.
  bool start(const char* options, const char* file);
  /// The process that called start() last, of which this one may be a fork; -1: none.
  [[nodiscard]] pid_t owner() const { return owner_; }
  [[nodiscard]] bool is_running() const { return child_ > 0; }

  /// Returns whether it reads still.
  bool send(std::string_view addresses) const;
  /// There are no more addresses: it ends after its last answer.
  void end_addresses() const;
  /// Waits for a part of its answers, and returns the size; 0 if it has ended or is silent for so long.
  [[nodiscard]] std::size_t receive(std::span<char> answers, int milliseconds) const;

  /// Ends the process, if it belongs to this one; in a fork it goes on for the parent.
  void stop();

 private:
  pid_t owner_ = -1;
  pid_t child_ = -1;
  int socket_ = -1;  ///< rather than a pipe: writing to one that nobody reads would raise SIGPIPE
};

}  // namespace hocket::runtime::platform
