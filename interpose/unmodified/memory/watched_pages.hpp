// Pages of memory whose contents at the beginning of the search are restored before each execution.
//
// Most of these pages are never written, and they must cost nothing. So after the first execution, which is
// not counted, all pages except those that it has changed are made read-only. When a page is written
// nevertheless, the signal handler records it and makes it writable. From then on, recorded pages are copied
// back. If the system writes to a read-only page on behalf of the program, there is no signal; the system
// call fails instead. It is therefore important that the first execution, in which nothing is read-only,
// reaches most of the memory that is written, and that code which knowingly has the system fill memory
// announces it (will_be_written()).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hocket::unmodified {

class WatchedPages {
 public:
  static constexpr std::size_t kPage = 4096;  ///< bytes, on x86-64

  /// Up to `most` bytes from `begin`, in whole pages, which need not exist yet. `copy_at`: where the copy
  /// should be placed if there is room; 0: anywhere. Such an object lives as long as the process.
  constexpr WatchedPages(std::uintptr_t begin, std::size_t most, std::uintptr_t copy_at = 0)
      : begin_(begin), most_(most), copy_at_(copy_at) {}

  WatchedPages(const WatchedPages&) = delete;
  WatchedPages& operator=(const WatchedPages&) = delete;

  /// Called before an execution. For the first execution of a search, saves the first `size` bytes; for later
  /// ones, restores as many bytes as were saved then.
  void begin(std::size_t size);
  /// Ends the search, if there is one: restores everything.
  void forget();

  [[nodiscard]] std::uintptr_t address() const { return begin_; }
  /// The contents of the pages at the beginning of the search.
  [[nodiscard]] std::span<const std::byte> saved() const { return {copy_, size_}; }

  // --- For all such objects

  /// Says whether a handler of SIGSEGV is installed that calls faulted(). Without one, pages are not made
  /// read-only; instead all are compared with the saved contents. Passing false also ends the search.
  static void catch_faults(bool are_caught);
  /// To be called after a write to `memory` was not permitted. Returns whether it is permitted from now on.
  /// Runs in a signal handler, on any thread.
  static bool faulted(const void* memory);
  /// Announces that the system is about to write to this memory, which may be anywhere. Returns whether some
  /// of it could not be written so far.
  static bool will_be_written(void* memory, std::size_t size);

 private:
  enum class State : std::uint8_t { idle, copied, watching };

  /// The pages that are copied back. Signal handlers add to it, perhaps on several threads at once.
  struct Written {
    std::atomic<std::uint8_t>* marks = nullptr;  ///< for each page, whether it is in the list
    std::uint32_t* pages = nullptr;              ///< the page numbers
    std::atomic<std::uint32_t> count{0};

    void add(std::uint32_t page);
    void clear();
  };

  /// Reserves addresses for the most bytes there may be, or if the system has not so many (ulimit -v), for
  /// those that there are.
  void reserve();
  bool reserve(std::size_t size);
  std::byte* page_at(std::size_t number) const;
  [[nodiscard]] bool watches(std::uintptr_t address) const;
  void put_back_what_differs();
  void put_back_written();
  void watch();
  bool make_writable();
  bool make_writable(std::uint32_t page);
  bool give_up_watching();

  const std::uintptr_t begin_;
  const std::size_t most_;
  const std::uintptr_t copy_at_;

  std::atomic<State> state_{State::idle};
  std::size_t size_ = 0;  ///< bytes that are restored
  std::byte* copy_ = nullptr;
  std::size_t reserved_ = 0;  ///< bytes for which there is room in the copy and the lists
  Written written_;
  WatchedPages* next_ = nullptr;  ///< in the list of all objects that were ever used
};

}  // namespace hocket::unmodified
