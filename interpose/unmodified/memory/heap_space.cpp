#include "heap_space.hpp"

#include <sys/mman.h>

namespace hocket::unmodified {

void HeapSpace::give_back(std::uintptr_t at, std::size_t size) {
  constexpr std::size_t kLeast = std::size_t{1} << 20U;
  constexpr std::uintptr_t kPage = 4096;
  if (size < kLeast) return;
  const auto give_back_pages = [](std::uintptr_t begin, std::uintptr_t end) {
    begin = (begin + kPage - 1) / kPage * kPage;
    end = end / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  };
  give_back_pages(at, at + size);
  give_back_pages(
      reinterpret_cast<std::uintptr_t>(state_of(at)), reinterpret_cast<std::uintptr_t>(state_of(at + size)));
}

bool HeapSpace::map(std::uintptr_t begin, std::size_t size) {
  const auto reserve = [](std::uintptr_t at, std::size_t bytes) {
    void* const wanted = reinterpret_cast<void*>(at);
    return mmap(wanted, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == wanted;
  };
  if (!reserve(begin, size)) return false;
  if (reserve(reinterpret_cast<std::uintptr_t>(state_of(begin)), size / kUnit)) return true;
  munmap(reinterpret_cast<void*>(begin), size);
  return false;
}

}  // namespace hocket::unmodified
