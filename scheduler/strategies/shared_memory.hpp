// Memory that a process shares with those that it makes by fork(). It is zero, and takes room when it is
// written.
#pragma once

#include <cerrno>
#include <cstddef>
#include <system_error>

#include <sys/mman.h>

namespace hocket {

class SharedMemory {
 public:
  /// Throws std::system_error.
  explicit SharedMemory(std::size_t size)
      : size_(size),
        memory_(::mmap(
            nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED)
      throw std::system_error(errno, std::generic_category(), "hocket: no memory that jobs can share");
  }
  ~SharedMemory() { ::munmap(memory_, size_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  std::size_t size_;
  void* memory_;
};

}  // namespace hocket
