// Pages of memory that are put back before each execution to what they held when the search began.
//
// Most of them nobody writes to, and that must cost nothing. So after the first execution, which does not
// count, all are made read-only but those that it has changed; a page that is written to all the same
// is noted in the signal's handler and made writable. Those pages are copied back from then on. Where the
// system writes for a program there is no signal, the call fails: so it matters that the first execution, in
// which nothing is read-only, comes to most of what is written to, and that who is known to have memory
// filled says so before (will_be_written()).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hocket::unmodified {

class WatchedPages {
 public:
  static constexpr std::size_t kPage = 4096;  ///< bytes; of x86-64

  /// `most` bytes from `begin`, whole pages of them, which may not be there yet. `copy_at` says where the
  /// copy is to lie if there is room; 0: anywhere. Such an object lives as long as the process.
  constexpr WatchedPages(std::uintptr_t begin, std::size_t most, std::uintptr_t copy_at = 0)
      : begin_(begin), most_(most), copy_at_(copy_at) {}

  WatchedPages(const WatchedPages&) = delete;
  WatchedPages& operator=(const WatchedPages&) = delete;

  /// Before an execution: notes what the first `size` bytes hold, if it is the first of a search, else puts
  /// them back, as many as there were then.
  void begin(std::size_t size);
  /// The search is over, if there was one: puts everything back.
  void forget();

  [[nodiscard]] std::uintptr_t address() const { return begin_; }
  /// What they held when the search began.
  [[nodiscard]] std::span<const std::byte> saved() const { return {copy_, size_}; }

  // --- Of all there are

  /// Whether somebody calls faulted() in the handler of SIGSEGV. Until then pages are not made read-only, but
  /// all compared with what they held. When it ends, so does the search.
  static void catch_faults(bool are_caught);
  /// Whether a write to `memory` that was not allowed is from now on. In a signal's handler, on any thread.
  static bool faulted(const void* memory);
  /// The system is about to write there, which may be anywhere.
  static void will_be_written(void* memory, std::size_t size);

 private:
  enum class State : std::uint8_t { idle, copied, watching };

  /// The pages that are copied back. Handlers add to it, perhaps on several threads at once.
  struct Written {
    std::atomic<std::uint8_t>* marks = nullptr;  ///< for each page: whether it is in the list
    std::uint32_t* pages = nullptr;              ///< by number
    std::atomic<std::uint32_t> count{0};

    void add(std::uint32_t page);
    void clear();
  };

  void reserve();
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
  std::size_t size_ = 0;       ///< bytes that are put back
  std::byte* copy_ = nullptr;  ///< reserved once
  Written written_;
  WatchedPages* next_ = nullptr;  ///< in the list of all that were ever used
};

}  // namespace hocket::unmodified
