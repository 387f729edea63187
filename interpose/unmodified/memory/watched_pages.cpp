#include "watched_pages.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/mman.h>

namespace hocket::unmodified {

namespace {

constinit std::atomic<WatchedPages*> all{nullptr};
constinit bool faults_are_caught = false;

/// nullptr if there are no addresses.
template <class T>
T* reserve_for_all(std::size_t count, std::uintptr_t at = 0) {
  void* const memory = mmap(reinterpret_cast<void*>(at), count * sizeof(T), PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED ? static_cast<T*>(memory) : nullptr;
}

template <class T>
void give_up(T*& memory, std::size_t count) {
  if (memory != nullptr) munmap(static_cast<void*>(memory), count * sizeof(T));
  memory = nullptr;
}

}  // namespace

void WatchedPages::Written::add(std::uint32_t page) {
  if (marks[page].exchange(1) == 0) pages[count.fetch_add(1)] = page;
}

void WatchedPages::Written::clear() {
  for (std::uint32_t n = 0; n < count; ++n) marks[pages[n]] = 0;
  count = 0;
}

void WatchedPages::catch_faults(bool are_caught) {
  faults_are_caught = are_caught;
  if (are_caught) return;
  for (WatchedPages* pages = all; pages != nullptr; pages = pages->next_) pages->forget();
}

void WatchedPages::reserve() {
  const bool is_first = copy_ == nullptr;
  give_up(written_.marks, reserved_ / kPage);
  give_up(written_.pages, reserved_ / kPage);
  give_up(copy_, reserved_);
  if (!reserve(most_) && !reserve(size_)) {
    throw std::system_error(
        errno, std::generic_category(), "hocket: no addresses left for a copy of the program's memory");
  }
  if (!is_first) return;
  next_ = all;
  all = this;
}

bool WatchedPages::reserve(std::size_t size) {
  written_.marks = reserve_for_all<std::atomic<std::uint8_t>>(size / kPage);
  written_.pages = reserve_for_all<std::uint32_t>(size / kPage);
  copy_ = reserve_for_all<std::byte>(size, copy_at_);
  reserved_ = size;
  if (written_.marks != nullptr && written_.pages != nullptr && copy_ != nullptr) return true;
  give_up(written_.marks, size / kPage);
  give_up(written_.pages, size / kPage);
  give_up(copy_, size);
  return false;
}

void WatchedPages::begin(std::size_t size) {
  switch (state_) {
    case State::watching:
      if (written_.count != 0) put_back_written();
      break;
    case State::copied:
      put_back_what_differs();
      if (faults_are_caught) watch();
      break;
    case State::idle:
      size_ = size;
      if (size_ == 0) return;
      if (size_ > reserved_ || copy_ == nullptr) reserve();
      // Pages that equal the copy of an earlier search, or that were never used, are not copied: writing
      // would commit memory.
      for (std::size_t page = 0; page < size_ / kPage; ++page) {
        std::byte* const copy = copy_ + page * kPage;
        if (std::memcmp(copy, page_at(page), kPage) != 0) std::memcpy(copy, page_at(page), kPage);
      }
      state_ = State::copied;
      break;
  }
}

void WatchedPages::forget() {
  if (state_ == State::idle) return;
  if (state_ == State::watching) {
    make_writable();  // which merges mappings and needs no new ones
    put_back_written();
  } else {
    put_back_what_differs();
  }
  written_.clear();
  state_ = State::idle;
}

std::byte* WatchedPages::page_at(std::size_t number) const {
  return reinterpret_cast<std::byte*>(begin_) + number * kPage;
}

bool WatchedPages::watches(std::uintptr_t address) const {
  return state_ == State::watching && address - begin_ < size_;
}

void WatchedPages::put_back_what_differs() {
  for (std::uint32_t page = 0; page < size_ / kPage; ++page) {
    const std::byte* const copy = copy_ + page * kPage;
    if (std::memcmp(page_at(page), copy, kPage) == 0) continue;
    std::memcpy(page_at(page), copy, kPage);
    written_.add(page);
  }
}

void WatchedPages::put_back_written() {
  assert(state_ == State::watching && copy_ != nullptr);
  for (std::uint32_t n = 0; n < written_.count; ++n) {
    const std::uint32_t page = written_.pages[n];
    std::memcpy(page_at(page), copy_ + page * kPage, kPage);
  }
}

void WatchedPages::watch() {
  assert(state_ == State::copied && size_ <= reserved_);
  state_ = State::watching;
  bool is_done = mprotect(page_at(0), size_, PROT_READ) == 0;
  for (std::uint32_t n = 0; is_done && n < written_.count; ++n)
    is_done = mprotect(page_at(written_.pages[n]), kPage, PROT_READ | PROT_WRITE) == 0;
  if (!is_done) give_up_watching();
}

bool WatchedPages::make_writable() {
  return mprotect(page_at(0), size_, PROT_READ | PROT_WRITE) == 0;
}

bool WatchedPages::make_writable(std::uint32_t page) {
  written_.add(page);
  return mprotect(page_at(page), kPage, PROT_READ | PROT_WRITE) == 0 || give_up_watching();
}

// The system limits the number of mappings with different permissions. Beyond the limit, all pages are
// restored each time.
bool WatchedPages::give_up_watching() {
  const bool is_done = make_writable();
  for (std::uint32_t page = 0; page < size_ / kPage; ++page) written_.add(page);
  return is_done;
}

bool WatchedPages::faulted(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  for (WatchedPages* pages = all; pages != nullptr; pages = pages->next_) {
    if (pages->watches(address))
      return pages->make_writable(static_cast<std::uint32_t>((address - pages->begin_) / kPage));
  }
  return false;
}

bool WatchedPages::will_be_written(void* memory, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  bool has_changed = false;
  for (WatchedPages* pages = all; pages != nullptr; pages = pages->next_) {
    if (pages->state_ != State::watching) continue;
    const std::uintptr_t from = std::max(begin, pages->begin_);
    const std::uintptr_t to = std::min(begin + size, pages->begin_ + pages->size_);
    for (std::uintptr_t address = from - from % kPage; address < to; address += kPage) {
      const auto page = static_cast<std::uint32_t>((address - pages->begin_) / kPage);
      if (pages->written_.marks[page] == 0) has_changed |= pages->make_writable(page);
    }
  }
  return has_changed;
}

}  // namespace hocket::unmodified
