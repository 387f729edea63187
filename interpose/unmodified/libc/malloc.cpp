// malloc and related functions. The body's blocks come from its own heaps; what the program allocates outside
// searches comes from the outer heap. The system's heap serves libc, libraries that are loaded before this
// one is ready, and Hocket, unless Hocket has opened a heap of its own.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <malloc.h>
#include <unistd.h>

#include "../../../runtime/execution/execution.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../host/system_library.hpp"
#include "../memory/heap.hpp"
#include "../memory/outer_heap.hpp"
#include "../memory/own_heap.hpp"

// The system's own functions, under the names that glibc provides for programs that replace malloc.
extern "C" {
void* __libc_malloc(std::size_t size);
void __libc_free(void* memory);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace hocket::unmodified {

namespace {

constexpr std::size_t kUsual = 16;  ///< the alignment of malloc, in bytes

bool is_in_heap(const void* memory) {
  return HeapSpace::contains(reinterpret_cast<std::uintptr_t>(memory));
}

bool is_searching() {
  return __atomic_load_n(&runtime::searching_os_thread, __ATOMIC_RELAXED) != 0;
}

void* take_from_own_heap(std::size_t size, std::size_t alignment, bool zeroed) {
  void* const memory = own_heap.allocate(size, alignment);
  if (memory == nullptr) errno = ENOMEM;
  if (memory != nullptr && zeroed) std::memset(memory, 0, size);
  return memory;
}

/// `alignment` is a power of two.
void* take(std::size_t size, std::size_t alignment, const void* caller, bool zeroed = false) {
  // What libc allocates for itself (the buffers of stdio) outlives the execution.
  const bool is_programs = !is_in_system_library(caller);
  if (is_programs && is_from_body()) {
    void* const memory = heap().allocate(size, alignment);  // which is zeroed
    if (memory == nullptr) errno = ENOMEM;
    return memory;
  }
  if (is_programs && !is_searching()) {
    void* const memory = outer_heap().allocate(size, alignment, zeroed);
    if (memory != nullptr) return memory;
  }
  if (is_programs && own_heap.is_open() && is_searching()) [[unlikely]]
    return take_from_own_heap(size, alignment, zeroed);
  if (alignment > kUsual) return __libc_memalign(alignment, size);
  return zeroed ? __libc_calloc(1, size) : __libc_malloc(size);
}

void give_back(void* memory) {
  if (OwnHeap::contains(memory)) {
    own_heap.release(memory);
  } else if (is_from_body()) {
    heap().release(memory);
  } else if (OuterHeap::contains(memory) && !is_searching()) {
    outer_heap().release(memory);
  }
  // Otherwise the block disappears with the execution, or is in use again when the changes of the search are
  // undone.
}

std::size_t size_of(const void* memory) {
  if (OwnHeap::contains(memory)) return OwnHeap::size_of(memory);
  if (!OuterHeap::contains(memory)) return heap().size_of(memory);
  return outer_heap().find(reinterpret_cast<std::uintptr_t>(memory)).size;
}

bool is_power_of_two(std::size_t number) {
  return number != 0 && (number & (number - 1)) == 0;
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

#define HOCKET_CALLER __builtin_return_address(0)

extern "C" {

void* malloc(std::size_t size) noexcept {
  return take(size, kUsual, HOCKET_CALLER);
}

void free(void* memory) noexcept {
  if (memory == nullptr) return;
  if (!is_in_heap(memory)) {
    if (OwnHeap::contains(memory)) [[unlikely]] {
      own_heap.release(memory);
    } else {
      __libc_free(memory);
    }
    return;
  }
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  give_back(memory);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  if (size != 0 && count > std::numeric_limits<std::size_t>::max() / size) {
    errno = ENOMEM;
    return nullptr;
  }
  return take(count * size, kUsual, HOCKET_CALLER, true);
}

void* realloc(void* memory, std::size_t size) noexcept {
  if (memory == nullptr) return take(size, kUsual, HOCKET_CALLER);
  // A block of the system's heap may belong to a library.
  if (!is_in_heap(memory) && !OwnHeap::contains(memory)) return __libc_realloc(memory, size);
  if (is_from_body()) HOCKET_CALLED_FROM_BODY();
  if (size == 0) {
    give_back(memory);
    return nullptr;
  }
  void* const moved = take(size, kUsual, HOCKET_CALLER);
  if (moved == nullptr) return nullptr;
  const std::size_t before = size_of(memory);
  std::memcpy(moved, memory, before < size ? before : size);
  give_back(memory);
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
  if (!is_power_of_two(alignment)) return __libc_memalign(alignment, size);
  return take(size, alignment, HOCKET_CALLER);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (!is_power_of_two(alignment)) return __libc_memalign(alignment, size);
  return take(size, alignment, HOCKET_CALLER);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* const memory = take(size, alignment, HOCKET_CALLER);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
void* valloc(std::size_t size) noexcept {
  return take(size, static_cast<std::size_t>(getpagesize()), HOCKET_CALLER);
}
std::size_t malloc_usable_size(void* memory) noexcept {
  if (is_in_heap(memory) || OwnHeap::contains(memory)) return size_of(memory);
  return memory != nullptr ? HOCKET_REAL(malloc_usable_size)(memory) : 0;
}

}  // extern "C"
