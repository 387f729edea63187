#include "process_memory.hpp"

#include <array>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace hocket::model {

ProcessMemory::ProcessMemory()
    : file_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)), at_first_(own_bytes()) {}

ProcessMemory::~ProcessMemory() {
  if (file_ >= 0) close(file_);
}

std::size_t ProcessMemory::added() const {
  const std::size_t now = own_bytes();
  return now > at_first_ ? now - at_first_ : 0;
}

std::size_t ProcessMemory::own_bytes() const {
  std::array<char, 128> text{};
  if (file_ < 0 || pread(file_, text.data(), text.size() - 1, 0) <= 0) return 0;
  std::size_t size = 0;
  std::size_t resident = 0;
  std::size_t of_files = 0;
  if (std::sscanf(text.data(), "%zu %zu %zu", &size, &resident, &of_files) != 3 || of_files > resident)
    return 0;
  return (resident - of_files) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace hocket::model
