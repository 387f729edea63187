#include "own_heap.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include <sys/mman.h>
#include <boost/interprocess/indexes/null_index.hpp>
#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>

namespace hocket::unmodified {

constinit OwnHeap own_heap;

namespace {

using Algorithm = boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family>;

constexpr std::size_t kUsual = Algorithm::Alignment;

/// Stored at the beginning of the heap, so that processes share the lock, too.
struct Header {
  std::atomic_flag is_locked;
};
constexpr std::size_t kSizeOfHeader = 64;
static_assert(sizeof(Header) <= kSizeOfHeader);

constinit std::uintptr_t begin = OwnHeap::kBegin;  ///< of what blocks come from

Header& header() {
  return *reinterpret_cast<Header*>(begin);
}
Algorithm& algorithm() {
  return *reinterpret_cast<Algorithm*>(begin + kSizeOfHeader);
}
/// Makes an empty heap from `begin` to the end.
void make_heap() {
  ::new (&header()) Header;
  ::new (&algorithm()) Algorithm(OwnHeap::kBegin + OwnHeap::kSize - begin - kSizeOfHeader, 0);
}

/// A lock is needed because threads that the program started before the search may use the heap, too.
class Lock {
 public:
  Lock() {
    while (header().is_locked.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() { header().is_locked.clear(std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

void* map(void* wanted, int flags) {
  void* const memory =
      mmap(wanted, OwnHeap::kSize, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || (wanted != nullptr && memory != wanted)) {
    throw std::system_error(memory == MAP_FAILED ? errno : EEXIST, std::generic_category(),
        "hocket: no addresses for memory that the child process of an execution shares");
  }
  return memory;
}

}  // namespace

void OwnHeap::open() {
  if (is_open_) return;
  map(reinterpret_cast<void*>(kBegin), MAP_PRIVATE | MAP_FIXED_NOREPLACE);
  make_heap();
  is_open_ = true;
}

void OwnHeap::leave_to_the_dead() {
  begin = kBegin + kSize / 2;  // blocks are taken from the other end, and never so many
  make_heap();
}

void OwnHeap::share() {
  remap(MAP_SHARED);
}

void OwnHeap::unshare() {
  remap(MAP_PRIVATE);
}

// Memory after the last block in use is not copied.
void OwnHeap::remap(int kind) {
  auto* const moved = static_cast<std::byte*>(map(nullptr, kind));
  algorithm().shrink_to_fit();
  const std::size_t used = algorithm().get_size();
  std::memcpy(moved, reinterpret_cast<const void*>(kBegin), kSizeOfHeader + used);
  const bool is_moved = mremap(moved, kSize, kSize, MREMAP_MAYMOVE | MREMAP_FIXED, kBegin) != MAP_FAILED;
  const int error = errno;
  algorithm().grow(kSize - kSizeOfHeader - used);
  if (is_moved) return;
  munmap(moved, kSize);
  throw std::system_error(error, std::generic_category(), "hocket: cannot share memory with a child process");
}

void* OwnHeap::allocate(std::size_t size, std::size_t alignment) {
  const Lock lock;
  return alignment <= kUsual ? algorithm().allocate(std::max<std::size_t>(size, 1))
                             : algorithm().allocate_aligned(size, alignment);
}

void OwnHeap::release(void* memory) {
  if (reinterpret_cast<std::uintptr_t>(memory) < begin) return;
  const Lock lock;
  algorithm().deallocate(memory);
}

std::size_t OwnHeap::size_of(const void* memory) {
  return algorithm().size(memory);
}

}  // namespace hocket::unmodified
