#include <hocket/interpose/unmodified/outer_pages.hpp>

#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/mman.h>

namespace hocket::unmodified {

namespace {

constexpr std::size_t kPage = 4096;  ///< bytes; of x86-64
constexpr std::size_t kPages = (OuterHeap::kEnd - OuterHeap::kBegin) / kPage;

// Where the copy lies, if nothing else does: valgrind finds no room for as much by itself.
constexpr std::uintptr_t kCopy = 0x380000000000U;

constinit OuterPages the_pages;

std::byte* page_at(std::size_t number) {
  return reinterpret_cast<std::byte*>(OuterHeap::kBegin) + number * kPage;
}

template <class T>
T* reserve_for_all(std::size_t count, std::uintptr_t at = 0) {
  void* const memory = mmap(reinterpret_cast<void*>(at), count * sizeof(T), PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(),
        "hocket: no addresses left for a copy of the memory that the program has allocated");
  }
  return static_cast<T*>(memory);
}

}  // namespace

OuterPages& outer_pages() {
  return the_pages;
}

void OuterPages::Written::add(std::uint32_t page) {
  if (marks[page].exchange(1) == 0) pages[count.fetch_add(1)] = page;
}

void OuterPages::Written::clear() {
  for (std::uint32_t n = 0; n < count; ++n) marks[pages[n]] = 0;
  count = 0;
}

void OuterPages::catch_faults(bool are_caught) {
  faults_are_caught_ = are_caught;
  if (!are_caught) forget();
}

void OuterPages::begin() {
  switch (state_) {
    case State::watching:
      if (written_.count != 0) put_back_written();
      break;
    case State::copied:
      put_back_what_differs();
      if (faults_are_caught_) watch();
      break;
    case State::idle:
      size_ = outer_heap().used_end() - OuterHeap::kBegin;
      if (size_ == 0) return;
      if (copy_ == nullptr) {
        written_.marks = reserve_for_all<std::atomic<std::uint8_t>>(kPages);
        written_.pages = reserve_for_all<std::uint32_t>(kPages);
        copy_ = reserve_for_all<std::byte>(kPages * kPage, kCopy);
      }
      // What is as it was in an earlier search, or was never used, is not written: that would commit memory.
      for (std::size_t page = 0; page < size_ / kPage; ++page) {
        std::byte* const copy = copy_ + page * kPage;
        if (std::memcmp(copy, page_at(page), kPage) != 0) std::memcpy(copy, page_at(page), kPage);
      }
      state_ = State::copied;
      break;
  }
}

void OuterPages::forget() {
  if (state_ == State::idle) return;
  if (state_ == State::watching) {
    make_writable();  // which joins mappings and needs none more
    put_back_written();
  } else {
    put_back_what_differs();
  }
  written_.clear();
  state_ = State::idle;
}

void OuterPages::put_back_what_differs() {
  for (std::uint32_t page = 0; page < size_ / kPage; ++page) {
    const std::byte* const copy = copy_ + page * kPage;
    if (std::memcmp(page_at(page), copy, kPage) == 0) continue;
    std::memcpy(page_at(page), copy, kPage);
    written_.add(page);
  }
}

void OuterPages::put_back_written() {
  for (std::uint32_t n = 0; n < written_.count; ++n) {
    const std::uint32_t page = written_.pages[n];
    std::memcpy(page_at(page), copy_ + page * kPage, kPage);
  }
}

void OuterPages::watch() {
  state_ = State::watching;
  bool is_done = mprotect(page_at(0), size_, PROT_READ) == 0;
  for (std::uint32_t n = 0; is_done && n < written_.count; ++n)
    is_done = mprotect(page_at(written_.pages[n]), kPage, PROT_READ | PROT_WRITE) == 0;
  if (!is_done) give_up_watching();
}

bool OuterPages::make_writable() {
  return mprotect(page_at(0), size_, PROT_READ | PROT_WRITE) == 0;
}

// The system allows only so many pieces of memory that differ in what may be done to them: then all pages are
// put back each time.
bool OuterPages::give_up_watching() {
  const bool is_done = make_writable();
  for (std::uint32_t page = 0; page < size_ / kPage; ++page) written_.add(page);
  return is_done;
}

bool OuterPages::faulted(const void* address) {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - OuterHeap::kBegin;
  if (state_ != State::watching || offset >= size_) return false;
  const auto page = static_cast<std::uint32_t>(offset / kPage);
  written_.add(page);
  return mprotect(page_at(page), kPage, PROT_READ | PROT_WRITE) == 0 || give_up_watching();
}

std::uint64_t OuterPages::word_before(std::uintptr_t address) const {
  std::uint64_t word = 0;
  std::memcpy(&word, copy_ + (address - OuterHeap::kBegin), sizeof word);
  return word;
}

}  // namespace hocket::unmodified
