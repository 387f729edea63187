// hocket::new_delete: the program's operator new and operator delete, which note the memory that bodies
// allocate and free.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "memory.hpp"

namespace {

void* take(std::size_t size, std::size_t alignment) {
  if (size == 0) size = 1;
  for (;;) {
    void* const memory = alignment <= alignof(std::max_align_t)
                             ? std::malloc(size)
                             : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory != nullptr) {
      hocket::note_allocation(memory, size, {});
      return memory;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) return nullptr;
    handler();
  }
}

void* take_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = take(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* take_or_null(std::size_t size, std::size_t alignment) noexcept {
  try {
    return take(size, alignment);
  } catch (const std::bad_alloc&) {  // thrown by the new handler
    return nullptr;
  }
}

void give_back(void* memory) noexcept {
  hocket::note_release(memory);
  std::free(memory);
}

constexpr std::size_t kUsual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) {
  return take_or_throw(size, kUsual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return take_or_null(size, kUsual);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
  return take_or_null(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size) {
  return take_or_throw(size, kUsual);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return take_or_null(size, kUsual);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
  return take_or_null(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  give_back(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/, const std::nothrow_t& /*tag*/) noexcept {
  give_back(memory);
}
void operator delete[](void* memory) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/, const std::nothrow_t& /*tag*/) noexcept {
  give_back(memory);
}
