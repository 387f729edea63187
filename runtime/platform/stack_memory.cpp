#include "stack_memory.hpp"

#include <cerrno>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

namespace hocket::runtime::platform {

StackMemory map_stack(std::size_t bytes, void* top) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t usable = (bytes + page - 1) / page * page;
  // The guard must be wider than what a function can skip without touching it: compilers probe each page of
  // large frames only on request.
  const std::size_t guard = 16 * page;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* memory = MAP_FAILED;
  if (top != nullptr) {
    char* const wanted = static_cast<char*>(top) - usable - guard;
    memory = mmap(wanted, guard + usable, PROT_NONE, kFlags | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != MAP_FAILED && memory != wanted) {  // by a kernel that does not know the flag
      munmap(memory, guard + usable);
      memory = MAP_FAILED;
    }
  }
  if (memory == MAP_FAILED) memory = mmap(nullptr, guard + usable, PROT_NONE, kFlags, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "hocket: no memory for a fiber's stack");
  }
  char* const low = static_cast<char*>(memory);
  if (mprotect(low + guard, usable, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    munmap(memory, guard + usable);
    throw std::system_error(error, std::generic_category(), "hocket: no memory for a fiber's stack");
  }
  return {low, low + guard, low + guard + usable};
}

void unmap_stack(StackMemory& stack) {
  if (stack.guard != nullptr) munmap(stack.guard, static_cast<std::size_t>(stack.top - stack.guard));
  stack = {};
}

}  // namespace hocket::runtime::platform
