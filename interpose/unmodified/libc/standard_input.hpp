// Standard input, of which each execution of a program reads the same.
#pragma once

#include <sys/types.h>

namespace hocket::unmodified {

/// What comes from a terminal can be read once only. What comes through a pipe is read to its end before the
/// first execution, if it begins to come soon; if not, a warning says that only one execution will find it.
class StandardInput {
 public:
  /// Throws std::runtime_error where the pipe gives more than can be kept, std::system_error where it cannot
  /// be read.
  StandardInput();

  /// Before an execution.
  void rewind() const;

 private:
  off_t begin_;  ///< where it stood when the search began; -1: it can be read once only
};

}  // namespace hocket::unmodified
