#include "heap_space.hpp"

#include <sys/mman.h>

namespace hocket::unmodified {

bool HeapSpace::map(std::uintptr_t begin, std::size_t size) {
  const auto reserve = [](std::uintptr_t at, std::size_t bytes) {
    void* const wanted = reinterpret_cast<void*>(at);
    return mmap(wanted, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == wanted;
  };
  return reserve(begin, size) && reserve(reinterpret_cast<std::uintptr_t>(state_of(begin)), size / kUnit);
}

}  // namespace hocket::unmodified
