// mmap and related functions, for code that has an allocator of its own. What a body maps for itself alone is
// a block of its heap: at the same address in every execution, with a name that does not depend on the
// schedule, and gone when the execution is over.
#include "mapped_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>

#include <sys/mman.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../memory/heap.hpp"
#include "../restore/instrumented_objects.hpp"
#include "../restore/kept_states.hpp"
#include "../restore/outer_maps.hpp"
#include "../restore/shared_maps.hpp"

namespace hocket::unmodified {

namespace {

constexpr std::size_t kPage = 4096;  ///< bytes, on x86-64

std::size_t in_whole_pages(std::size_t size) {
  return (size + kPage - 1) / kPage * kPage;
}

bool is_in_heap(const void* memory) {
  return Heap::contains(reinterpret_cast<std::uintptr_t>(memory));
}

/// Whether the system is asked for memory of the process's own, and for nothing else.
bool is_for_memory_alone(const MapRequest& request) {
  // What is larger is mapped to be used in parts, and its state would take long to set.
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  // A body has no second process with which it could share memory without a name.
  constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS;
  constexpr int kSharedWithNobody = MAP_SHARED | MAP_ANONYMOUS;
  constexpr int kWithoutMeaningHere = MAP_NORESERVE | MAP_POPULATE | MAP_STACK;
  const int kind = request.flags & ~kWithoutMeaningHere;
  return request.size != 0 && request.size <= kMost && request.protection == (PROT_READ | PROT_WRITE) &&
         (kind == kOwn || kind == kSharedWithNobody);
}

/// Grows or shrinks memory as mremap() does with MREMAP_MAYMOVE.
void* resize(void* memory, std::size_t before, std::size_t size) {
  if (in_whole_pages(size) <= in_whole_pages(before)) return memory;
  const std::optional<void*> moved =
      map_for_body({size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS});
  if (!moved || *moved == MAP_FAILED) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  std::memcpy(*moved, memory, before);
  unmap_for_body(memory, before);
  return *moved;
}

}  // namespace

std::optional<void*> map_for_body(const MapRequest& request) {
  if (!is_for_memory_alone(request)) return {};
  void* const memory = heap().allocate(in_whole_pages(request.size), kPage);
  if (memory == nullptr) return {};
  return memory;
}

std::optional<int> unmap_for_body(void* memory, std::size_t size) {
  if (!is_in_heap(memory)) return {};
  // A part of a block stays until the whole block goes.
  if (heap().size_of(memory) == in_whole_pages(size)) heap().release(memory);
  return 0;
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

namespace {

/// mmap() of the program; `real` is the system's.
template <class Real>
void* map(Real real, void* address, const MappedFile& file) {
  const bool is_of_program = is_instrumented_code(file.caller);
  const bool is_controlled = hocket::runtime::is_controlled();
  if (is_from_body() && is_of_program) {
    HOCKET_CALLED_FROM_BODY();
    if (const std::optional<void*> memory = map_for_body({file.size, file.protection, file.flags}))
      return *memory;
    if (const std::optional<void*> memory = map_again(file)) return *memory;
  }
  void* const memory = real(address, file.size, file.protection, file.flags, file.descriptor, file.offset);
  if (memory == MAP_FAILED || !is_of_program || (is_controlled && !is_from_body())) return memory;
  const auto flags = static_cast<unsigned>(file.flags);
  const bool is_private = (flags & MAP_TYPE) == MAP_PRIVATE;
  const bool is_file = (flags & MAP_ANONYMOUS) == 0;
  if (!is_private || is_file) note_shared_map(memory, file);
  if (!is_file && !is_controlled) note_outer_map(memory, file.size);
  return memory;
}

/// Whether the memory is from before the search and needed by the next execution.
bool is_needed_again(const void* memory) {
  return is_to_be_undone() && is_in_outer_map(memory);
}

}  // namespace

extern "C" {

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return map(
      HOCKET_REAL(mmap), address, {size, protection, flags, file, offset, __builtin_return_address(0)});
}
void* mmap64(void* address, std::size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  return map(
      HOCKET_REAL(mmap64), address, {size, protection, flags, file, offset, __builtin_return_address(0)});
}

int munmap(void* memory, std::size_t size) noexcept {
  if (is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    if (const std::optional<int> result = unmap_for_body(memory, size)) return *result;
    if (const std::optional<int> result = unmap_shared(memory, size)) return *result;
    if (is_needed_again(memory)) return 0;
  } else if (!hocket::runtime::is_controlled()) {
    forget_outer_map(memory, size);
    forget_shared_map(memory, size);
  }
  return HOCKET_REAL(munmap)(memory, size);
}

void* mremap(void* memory, std::size_t before, std::size_t size, int flags, ...) noexcept {
  va_list list;
  va_start(list, flags);
  void* const wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(list, void*) : nullptr;
  va_end(list);
  if (is_from_body() && (is_in_heap(memory) || is_needed_again(memory))) {
    HOCKET_CALLED_FROM_BODY();
    if (flags == MREMAP_MAYMOVE) return resize(memory, before, size);
    if (flags == 0 && in_whole_pages(size) <= in_whole_pages(before)) return memory;
    errno = ENOMEM;
    return MAP_FAILED;
  }
  if (is_from_body() && is_shared_map_needed_again(memory)) {
    if (in_whole_pages(size) <= in_whole_pages(before)) return memory;
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const moved = HOCKET_REAL(mremap)(memory, before, size, flags, wanted);
  if (moved != MAP_FAILED && !hocket::runtime::is_controlled() && is_in_outer_map(memory)) {
    forget_outer_map(memory, before);
    note_outer_map(moved, size);
  }
  if (moved != MAP_FAILED) note_moved_map(memory, moved, size);
  return moved;
}

/// The protection of a block of the heap does not change, because the next execution uses the same block. A
/// block that must not be accessed any more counts as freed.
int mprotect(void* memory, std::size_t size, int protection) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  if (!is_from_body() || !is_in_heap(memory)) {
    if (is_from_body()) note_protection(memory, size);
    return HOCKET_REAL(mprotect)(memory, size, protection);
  }
  if (at % kPage != 0) return fail_with(EINVAL);
  if (protection == PROT_NONE) {
    HeapSpace::mark_freed(at, in_whole_pages(size));
  } else {
    HeapSpace::mark_used(at, in_whole_pages(size));
  }
  return 0;
}

}  // extern "C"
