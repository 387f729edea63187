// Standard input. Each execution of a program reads the same input.
#pragma once

#include <sys/types.h>

namespace hocket::unmodified {

/// Input from a terminal can be read only once. Input from a pipe is read to its end before the first
/// execution, if it begins to arrive soon; if not, a warning says that only one execution will read it.
class StandardInput {
 public:
  /// Throws std::runtime_error if the pipe delivers more than can be kept, and std::system_error if it cannot
  /// be read.
  StandardInput();

  /// Called before an execution: goes back to where the input was when the search began.
  void rewind() const;

 private:
  off_t begin_;  ///< the position when the search began; -1 if it can be read only once
};

}  // namespace hocket::unmodified
