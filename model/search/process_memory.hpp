// How much memory the process uses.
#pragma once

#include <cstddef>

namespace hocket::model {

/// Knows how much of the process's own memory was added since this object was made. The heap belongs to it,
/// mapped files do not. The system counts in pages, and roughly.
class ProcessMemory {
 public:
  ProcessMemory();
  ~ProcessMemory();
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  [[nodiscard]] std::size_t added() const;

 private:
  [[nodiscard]] std::size_t own_bytes() const;

  int file_;  ///< /proc/self/statm, or -1
  std::size_t at_first_;
};

}  // namespace hocket::model
