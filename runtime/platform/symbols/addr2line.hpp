// addr2line, run as a separate process.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <sys/types.h>

namespace hocket::runtime::platform {

/// An addr2line process, which reads addresses, one per line, and prints what is known about each. Uses no
/// heap memory, so that a signal handler can use it in a process that is about to end.
class Addr2line {
 public:
  /// Starts addr2line for `file`, or for the program if that is empty. `options` is a word such as "-Cfip".
  /// Returns whether addr2line is available.
  bool start(const char* options, const char* file);
  /// The process that called start() last, of which this one may be a fork; -1 if there is none.
  [[nodiscard]] pid_t owner() const { return owner_; }
  [[nodiscard]] bool is_running() const { return child_ > 0; }

  /// Returns whether addr2line still reads.
  bool send(std::string_view addresses) const;
  /// Announces that there are no more addresses: addr2line ends after its last answer.
  void end_addresses() const;
  /// Waits for a part of its answers and returns the size; 0 if it has ended or sends nothing for
  /// `milliseconds`.
  [[nodiscard]] std::size_t receive(std::span<char> answers, int milliseconds) const;

  /// Ends the addr2line process if it belongs to this process; in a fork it keeps running for the parent.
  void stop();

 private:
  pid_t owner_ = -1;
  pid_t child_ = -1;
  int socket_ = -1;  ///< not a pipe: writing to a pipe without a reader would raise SIGPIPE
};

}  // namespace hocket::runtime::platform
