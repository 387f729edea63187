// What the outer heap held when the search began: put back before each execution.
//
// Most of it nobody writes to, and that must cost nothing. So after the first execution, which does not
// count, all pages are made read-only but those that it has changed; a page that is written to all the same
// is noted in the signal's handler and made writable. Those pages are copied back from then on. Where the
// system writes for a program (as read() does) there is no signal, the call fails: so it matters that the
// first execution, in which nothing is read-only, comes to most of what is written to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <hocket/interpose/unmodified/outer_heap.hpp>

namespace hocket::unmodified {

class OuterPages {
 public:
  /// Whether somebody calls faulted() in the handler of SIGSEGV. Until then pages are not made read-only, but
  /// all compared with what they held. When it ends, so does the search.
  void catch_faults(bool are_caught);

  /// Before an execution: notes what is there, if it is the first of a search, else puts it back.
  void begin();
  /// The search is over, if there was one: puts everything back.
  void forget();

  /// Whether a write to `address` that was not allowed is from now on. In a signal's handler, on any thread.
  bool faulted(const void* address);

  /// What the eight bytes at `address` in the outer heap held when the search began.
  [[nodiscard]] std::uint64_t word_before(std::uintptr_t address) const;

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

  void put_back_what_differs();
  void put_back_written();
  void watch();
  bool make_writable();
  bool give_up_watching();

  std::atomic<State> state_{State::idle};
  bool faults_are_caught_ = false;
  std::size_t size_ = 0;       ///< bytes of the outer heap that are in use
  std::byte* copy_ = nullptr;  ///< reserved once, for all of the outer heap
  Written written_;
};

OuterPages& outer_pages();

}  // namespace hocket::unmodified
