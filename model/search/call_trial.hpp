// Calls of a model's members that a child process makes first, since one of them has ended the process: see
// supervised_check.hpp, and detail::dies_in_trial().
#pragma once

#include <cstdint>

namespace hocket::model {

/// A call that has ended the process before, as it seems.
struct SuspectedCall {
  std::uint64_t number = 0;
  int signal = 0;  ///< that ended the process; 0: it was no signal
};

/// The current thread has its calls tried, from this one on, until it returns after all, or until the
/// thread's WatchedCalls end. If it returns, and its signal may be from anybody, the process ends by the
/// signal.
void try_calls(const SuspectedCall& from);

/// While an object of this class exists, the calls of the current thread are tried, if that is wanted: as
/// where a path is followed that ends the process.
class TriedCalls {
 public:
  explicit TriedCalls(bool are_tried);
  ~TriedCalls();
  TriedCalls(const TriedCalls&) = delete;
  TriedCalls& operator=(const TriedCalls&) = delete;

 private:
  std::uint64_t first_before_;
};

}  // namespace hocket::model
