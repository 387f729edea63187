// Another program, run as a separate process that answers questions through a socket.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <sys/types.h>

namespace hocket::runtime::platform {

/// The words of a command, as posix_spawn() wants them: the last is a null pointer.
using CommandWords = std::array<char*, 5>;

/// A word of a command. exec does not change it.
inline char* word(const char* text) {
  return const_cast<char*>(text);
}

/// A process that reads questions from a socket and writes answers to it. Uses no heap memory, so that a
/// signal handler can use it in a process that is about to end.
class SocketProgram {
 public:
  /// Runs the first of the commands whose program exists. Returns whether there is one.
  [[nodiscard]] bool start(std::span<const CommandWords> commands);
  /// The process that called start() last, of which this one may be a fork; -1 if there is none.
  [[nodiscard]] pid_t owner() const { return owner_; }
  [[nodiscard]] bool is_running() const { return child_ > 0; }

  /// Returns whether the program still reads.
  [[nodiscard]] bool send(std::string_view text) const;
  /// Announces that there are no more questions: the program ends after its last answer.
  void end_questions() const;
  /// Waits for a part of its answers and returns the size; 0 if it has ended or sends nothing for
  /// `milliseconds`.
  [[nodiscard]] std::size_t receive(std::span<char> answers, int milliseconds) const;

  /// Ends the process if it belongs to this process; in a fork it keeps running for the parent.
  void stop();

 private:
  pid_t owner_ = -1;
  pid_t child_ = -1;
  int socket_ = -1;  ///< not a pipe: writing to a pipe without a reader would raise SIGPIPE
};

}  // namespace hocket::runtime::platform
