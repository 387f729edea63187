// What tools must know of a sample program to run it: the body that passes and the bodies that contain a bug.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

namespace samples {

/// A sample program with one of its bugs.
struct Seeded {
  const char* name;            ///< name of the bug
  unsigned bound;              ///< the fewest preemptions with which the bug shows
  hocket::FailureKind kind;    ///< how it shows
  const char* words;           ///< of the message of that failure
  std::function<void()> body;  ///< differs from the correct program in the seeded lines only
};

struct SampleProgram {
  std::string name;
  unsigned threads;  ///< logical threads of an execution, including the body's own
  std::function<void()> body;
  std::vector<Seeded> bugs;
};

}  // namespace samples
