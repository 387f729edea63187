// What a process says when it dies in an execution. It is written in the handler of a signal, which may not
// allocate, to memory that another process reads: the supervisor of the program, or the parent that makes a
// child process for each execution. That one tells it to the user, with the schedule.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket {

/// The ways in which a process can die in the middle of an execution. The signals come first.
enum class Death : std::uint8_t { segv, abort, fpe, bus, ill, stack_overflow, exit, fork, stuck };

/// Text of bounded length: what is too long is cut. The body may have written over it.
template <std::size_t kMost>
class BoundedText {
 public:
  void clear() { size_ = 0; }
  void add(std::string_view text) {
    const std::size_t size = std::min(text.size(), kMost - view().size());
    std::copy_n(text.data(), size, text_.data() + view().size());
    size_ = static_cast<std::uint32_t>(view().size() + size);
  }
  void add_number(std::uint64_t number) {
    std::array<char, 20> digits{};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    add({digits.data(), end});
  }
  /// Lets `read(begin, size)` write the text, and return its size.
  template <class Read>
  void fill(Read read) {
    const auto size = read(text_.data(), kMost);
    size_ = size > 0 ? static_cast<std::uint32_t>(size) : 0;
  }
  [[nodiscard]] std::string_view view() const { return {text_.data(), std::min<std::size_t>(size_, kMost)}; }

 private:
  std::uint32_t size_;
  std::array<char, kMost> text_;
};

inline constexpr std::size_t kMostOfWhat = 4096;

struct LastWords {
  volatile bool are_begun;
  volatile bool are_said;  ///< all but the stack, which may never come
  Death death;
  unsigned preemptions;           ///< in the execution
  std::int64_t watchdog_ns;       ///< after which time a thread is stuck
  BoundedText<kMostOfWhat> what;  ///< "thread 2 got SIGSEGV in an execution"
  BoundedText<200> call;          ///< of Death::stuck: the call in which the thread waits, such as "poll()"
  BoundedText<16384> stack;       ///< where the thread was, as platform::put_stack() writes it
  BoundedText<4096> expected;     ///< the file whose replay is expected to end so, which is known before
};

}  // namespace hocket
