// The functions that Hocket's own relocatable objects call instead of those that this library defines for the
// program. The names are substituted when the library is linked (cmake/HocketUnmodified.cmake).
#include <cstddef>
#include <cstdlib>
#include <new>

#include "../host/next_symbol.hpp"
#include "../memory/own_heap.hpp"

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
int __cxa_guard_acquire(long long* guard);
void __cxa_guard_release(long long* guard);
void __cxa_guard_abort(long long* guard);

void* hocket_own_new(std::size_t size);
void* hocket_own_new_array(std::size_t size);
void* hocket_own_aligned_new(std::size_t size, std::align_val_t alignment);
void* hocket_own_aligned_new_array(std::size_t size, std::align_val_t alignment);
int hocket_own_guard_acquire(long long* guard);
void hocket_own_guard_release(long long* guard);
void hocket_own_guard_abort(long long* guard);

void* hocket_own_new(std::size_t size) {
  using hocket::unmodified::own_heap;
  void* const memory = own_heap.is_open() ? own_heap.allocate(size, alignof(std::max_align_t))
                                          : __libc_malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* hocket_own_aligned_new(std::size_t size, std::align_val_t alignment) {
  using hocket::unmodified::own_heap;
  const auto multiple = static_cast<std::size_t>(alignment);
  void* const memory = own_heap.is_open() ? own_heap.allocate(size, multiple)
                                          : __libc_memalign(multiple, size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// A separate name is needed for each function, because a symbol can replace only one other symbol.
void* hocket_own_new_array(std::size_t size) {
  return hocket_own_new(size);
}
void* hocket_own_aligned_new_array(std::size_t size, std::align_val_t alignment) {
  return hocket_own_aligned_new(size, alignment);
}
int hocket_own_guard_acquire(long long* guard) {
  return HOCKET_REAL(__cxa_guard_acquire)(guard);
}
void hocket_own_guard_release(long long* guard) {
  HOCKET_REAL(__cxa_guard_release)(guard);
}
void hocket_own_guard_abort(long long* guard) {
  HOCKET_REAL(__cxa_guard_abort)(guard);
}

}  // extern "C"
