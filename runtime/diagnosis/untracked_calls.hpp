// Calls of system functions that reach state which is not followed: those by which an execution depends on an
// order that is not explored.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace hocket::runtime {

struct UntrackedCall {
  const char* function;  ///< the linker's name
  const char* kind;      ///< of the state that it reaches
  const void* code;      ///< where the call returns to
};

/// Those of a search. Child processes add to it, too: it is in memory that they share.
struct UntrackedCalls {
  std::array<UntrackedCall, 64> calls{};
  std::size_t count = 0;

  /// Adds a call unless it is there. More than there is room for are left out.
  void add(const UntrackedCall& call);
};

/// nullptr if there have been none in this process.
extern constinit UntrackedCalls* untracked_calls;

/// Adds one to those of the search.
void add_untracked_call(const UntrackedCall& call);

[[nodiscard]] inline bool has_untracked_calls() {
  return untracked_calls != nullptr && untracked_calls->count != 0;
}

/// "the state of rand (rand at x.cpp:9, rand at y.cpp:4)"; empty if there were none.
std::string untracked_calls_in_words();

}  // namespace hocket::runtime
