// malloc and its like: the body's blocks come from its own heaps, all others from the system's.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <malloc.h>
#include <unistd.h>

#include <hocket/interpose/unmodified/entry.hpp>
#include <hocket/interpose/unmodified/heap.hpp>
#include <hocket/interpose/unmodified/real.hpp>
#include <hocket/interpose/unmodified/system_library.hpp>

// The system's own, under the names by which glibc lets others take its place.
extern "C" {
void* __libc_malloc(std::size_t size);
void __libc_free(void* memory);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace hocket::unmodified {

namespace {

constexpr std::size_t kUsual = 16;  ///< bytes, the alignment of malloc

bool is_in_heap(const void* memory) {
  return Heap::contains(reinterpret_cast<std::uintptr_t>(memory));
}

/// What libc allocates for itself (the buffers of stdio) outlives the execution.
bool is_for_body(const void* caller) {
  return is_from_body() && !is_in_system_library(caller);
}

void* take(std::size_t size, std::size_t alignment) {
  void* const memory = heap().allocate(size, alignment);
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

bool is_power_of_two(std::size_t number) {
  return number != 0 && (number & (number - 1)) == 0;
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

#define HOCKET_IS_FOR_BODY is_for_body(__builtin_return_address(0))

extern "C" {

void* malloc(std::size_t size) noexcept {
  return HOCKET_IS_FOR_BODY ? take(size, kUsual) : __libc_malloc(size);
}

void free(void* memory) noexcept {
  if (memory == nullptr) return;
  if (!is_in_heap(memory)) {
    __libc_free(memory);
    return;
  }
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  heap().release(memory);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  if (!HOCKET_IS_FOR_BODY) return __libc_calloc(count, size);
  if (size != 0 && count > std::numeric_limits<std::size_t>::max() / size) {
    errno = ENOMEM;
    return nullptr;
  }
  return take(count * size, kUsual);  // which is zero
}

void* realloc(void* memory, std::size_t size) noexcept {
  const bool for_body = HOCKET_IS_FOR_BODY;
  if (!is_in_heap(memory) && !(memory == nullptr && for_body)) return __libc_realloc(memory, size);
  if (memory == nullptr) return take(size, kUsual);
  if (size == 0) {
    free(memory);
    return nullptr;
  }
  void* const moved = for_body ? take(size, kUsual) : __libc_malloc(size);
  if (moved == nullptr) return nullptr;
  const std::size_t before = heap().size_of(memory);
  std::memcpy(moved, memory, before < size ? before : size);
  free(memory);
  return moved;
}

void* reallocarray(void* memory, std::size_t count, std::size_t size) noexcept {
  if (size != 0 && count > std::numeric_limits<std::size_t>::max() / size) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(memory, count * size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (!HOCKET_IS_FOR_BODY || !is_power_of_two(alignment)) return __libc_memalign(alignment, size);
  return take(size, alignment);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (!HOCKET_IS_FOR_BODY || !is_power_of_two(alignment)) return __libc_memalign(alignment, size);
  return take(size, alignment);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* const memory = HOCKET_IS_FOR_BODY ? take(size, alignment) : __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
void* valloc(std::size_t size) noexcept {
  const auto page = static_cast<std::size_t>(getpagesize());
  return HOCKET_IS_FOR_BODY ? take(size, page) : __libc_memalign(page, size);
}
std::size_t malloc_usable_size(void* memory) noexcept {
  if (is_in_heap(memory)) return heap().size_of(memory);
  return memory != nullptr ? HOCKET_REAL(malloc_usable_size)(memory) : 0;
}

}  // extern "C"
