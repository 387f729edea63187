#include "outer_heap.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../runtime/platform/fork_handlers.hpp"
#include "../host/next_symbol.hpp"
#include "../host/system_library.hpp"

namespace hocket::unmodified {

namespace {

constexpr std::size_t kUnit = HeapSpace::kUnit;
constexpr std::size_t kLeastSlot = 2 * kUnit;  ///< bytes
constexpr std::uint64_t kInUse = std::uint64_t{1} << 63U;
constexpr unsigned kBitsOfClass = 7;  ///< in the word for each span
constexpr std::size_t kMostAlignment = std::size_t{1} << 22U;

// Where the copy of the pages goes if the addresses are free: valgrind does not find that much room by
// itself.
constexpr std::uintptr_t kCopy = 0x380000000000U;

constinit OuterHeap the_heap;
constinit WatchedPages the_pages(OuterHeap::kBegin, OuterHeap::kEnd - OuterHeap::kBegin, kCopy);

template <class T>
T* reserve(std::size_t count) {
  void* const memory = mmap(
      nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED ? static_cast<T*>(memory) : nullptr;
}

/// Whether the system has so many addresses more for the process.
bool is_room_for(std::size_t size) {
  void* const memory = reserve<std::byte>(size);
  return memory != nullptr && munmap(memory, size) == 0;
}

std::uint64_t number_of(std::uintptr_t slot) {
  return (slot - OuterHeap::kBegin) / kUnit + 1;
}

/// Opens the heap before any code of the program runs, because the program's variables may own memory.
[[gnu::constructor(102)]] void open_outer_heap() {
  the_heap.open();
}

}  // namespace

OuterHeap& outer_heap() {
  return the_heap;
}

WatchedPages& outer_pages() {
  return the_pages;
}

void OuterHeap::open() {
  find_system_libraries();
  static_cast<void>(HOCKET_REAL(sched_yield)());  // looked up now, because the lookup may allocate
  constexpr std::size_t kLeast = std::size_t{1} << 26U;
  for (std::size_t size = kEnd - kBegin; size >= kLeast && !open(size); size /= 4) {
  }
  // A child process must not inherit the lock held by a thread that does not exist there.
  runtime::platform::register_fork_handlers(
      [] { the_heap.lock(); }, [] { the_heap.unlock(); }, [] { the_heap.unlock(); });
}

bool OuterHeap::open(std::size_t size) {
  // A search needs as much again for a copy.
  spans_ = reserve<std::uint32_t>(size / kSpan);
  auto* const records = spans_ != nullptr ? reserve<std::uint64_t>(size / kLeastSlot) : nullptr;
  const bool is_done =
      records != nullptr && is_room_for(size + size / kUnit + size) && HeapSpace::map(kBegin, size);
  if (!is_done) {
    if (records != nullptr) munmap(records, size / kLeastSlot * sizeof *records);
    if (spans_ != nullptr) munmap(spans_, size / kSpan * sizeof *spans_);
    return false;
  }
  records_ = records;
  end_ = kBegin + size;
  return true;
}

void OuterHeap::lock() {
  constexpr unsigned kSpins = 100;
  for (unsigned spins = 0; is_locked_.test_and_set(std::memory_order_acquire); ++spins) {
    if (spins > kSpins) HOCKET_REAL(sched_yield)();
  }
}

// Sizes up to eight units have a class each. Above that there are four classes for each doubling.
unsigned OuterHeap::class_of(std::size_t units) {
  if (units <= 8) return static_cast<unsigned>(units);
  const auto bits = static_cast<unsigned>(std::bit_width(units - 1));
  const auto quarters = static_cast<unsigned>(((units - 1) >> (bits - 3U)) + 1);  // 5 to 8
  return 9 + (bits - 4) * 4 + quarters - 5;
}

std::size_t OuterHeap::slot_of(unsigned size_class) {
  if (size_class <= 8) return size_class * kUnit;
  const unsigned bits = 4 + (size_class - 9) / 4;
  return kUnit * (std::size_t{5} + (size_class - 9) % 4) << (bits - 3);
}

std::uint64_t& OuterHeap::record_of(std::uintptr_t slot) const {
  return records_[(slot - kBegin) / kLeastSlot];
}

std::uintptr_t OuterHeap::slot_around(std::uintptr_t address) const {
  const std::size_t number = (address - kBegin) / kSpan;
  const std::uint32_t span = spans_[number];
  const std::uintptr_t begin = kBegin + (number - (span >> kBitsOfClass)) * kSpan;
  const std::size_t size = slot_of(span & ((1U << kBitsOfClass) - 1));
  return begin + (address - begin) / size * size;
}

// Takes new spans for a class that has no slots left.
bool OuterHeap::refill(Class& slots, unsigned size_class) {
  const std::size_t slot = slot_of(size_class);
  const std::size_t size = (slot + kSpan - 1) / kSpan * kSpan;
  // Slots whose size is a power of two are used for aligned blocks.
  const std::size_t alignment = std::has_single_bit(slot) ? std::clamp(slot, kSpan, kMostAlignment) : kSpan;
  const std::uintptr_t begin =
      (next_.load(std::memory_order_relaxed) + alignment - 1) / alignment * alignment;
  if (begin >= end_ || size > end_ - begin) return false;
  for (std::size_t n = 0; n < size / kSpan; ++n)
    spans_[(begin - kBegin) / kSpan + n] = static_cast<std::uint32_t>(n << kBitsOfClass | size_class);
  slots.fresh = begin;
  slots.fresh_end = begin + size / slot * slot;
  next_.store(begin + size, std::memory_order_release);
  return true;
}

std::uintptr_t OuterHeap::take_slot(unsigned size_class) {
  Class& slots = classes_[size_class];
  if (slots.free != 0) {
    const std::uintptr_t slot = kBegin + (slots.free - 1) * kUnit;
    slots.free = record_of(slot);
    return slot;
  }
  if (slots.fresh == slots.fresh_end && !refill(slots, size_class)) return 0;
  const std::uintptr_t slot = slots.fresh;
  slots.fresh += slot_of(size_class);
  return slot;
}

void* OuterHeap::allocate(std::size_t size, std::size_t alignment, bool zeroed) {
  if (records_ == nullptr || size > (end_ - kBegin) / 2 || alignment > kMostAlignment) return nullptr;
  // After each block, at least one byte belongs to no block.
  std::size_t units = std::max(size / kUnit + 1, kLeastSlot / kUnit);
  if (alignment > kUnit) units = std::bit_ceil(std::max(units, alignment / kUnit));
  const unsigned size_class = class_of(units);
  lock();
  const std::uintptr_t slot = take_slot(size_class);
  if (slot != 0) record_of(slot) = kInUse | size;
  unlock();
  if (slot == 0) return nullptr;
  HeapSpace::mark_used(slot, size);
  void* const memory = reinterpret_cast<void*>(slot);
  if (zeroed && slot_of(size_class) < kSpan) std::memset(memory, 0, size);  // release() clears larger ones
  return memory;
}

void OuterHeap::release(void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const Block block = find(address);
  if (block.address != address) {
    constexpr std::string_view kMessage =
        "hocket: free(): the program frees memory that is not a block in use, outside of a search\n";
    static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
    std::abort();
  }
  HeapSpace::mark_freed(address, block.size);
  const std::uint32_t span = spans_[(address - kBegin) / kSpan];
  const unsigned size_class = span & ((1U << kBitsOfClass) - 1);
  if (slot_of(size_class) >= kSpan) madvise(memory, slot_of(size_class), MADV_DONTNEED);
  lock();
  record_of(address) = classes_[size_class].free;
  classes_[size_class].free = number_of(address);
  unlock();
}

OuterHeap::Block OuterHeap::find(std::uintptr_t address) const {
  if (address >= used_end()) return {};
  // Spans that were skipped for alignment have no class.
  if (spans_[(address - kBegin) / kSpan] == 0) return {};
  const std::uintptr_t slot = slot_around(address);
  const std::uint64_t record = record_of(slot);
  return (record & kInUse) != 0 ? Block{slot, record & ~kInUse} : Block{};
}

}  // namespace hocket::unmodified
