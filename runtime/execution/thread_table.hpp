// The logical threads of an execution, by index.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

#include "../terms/thread_set.hpp"
#include "../threads/thread.hpp"
#include "run.hpp"

namespace hocket::runtime {

/// Threads outlive an execution, and the next one uses them again. They are in Run::threads, where every step
/// finds them.
class ThreadTable {
 public:
  /// Another execution begins: no thread is in it yet.
  void begin() {
    count_ = 0;
    live_ = 0;
    handles_closed_ = 0;
    any_detached_ = false;
    names_in_order_ = true;
  }

  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] Thread& operator[](unsigned index) const { return *run.threads[index]; }
  /// Threads that have not ended.
  [[nodiscard]] unsigned live() const { return live_; }
  [[nodiscard]] bool any_detached() const { return any_detached_; }
  /// Whether each thread but the body's own has been joined or detached.
  [[nodiscard]] bool all_handles_closed() const { return handles_closed_ + 1 == count_; }
  /// Whether indices are in the order of the stable names.
  [[nodiscard]] bool names_in_order() const { return names_in_order_; }
  /// The thread of the set with the least stable name. The set must not be empty.
  [[nodiscard, gnu::noinline]] unsigned least_named(const ThreadSet& set) const;

  /// The place for the thread of this index: nullptr if no execution has had so many.
  [[nodiscard]] Thread*& slot(unsigned index) { return run.threads[index]; }
  /// The thread in the next slot takes part from now on.
  void add() {
    ++count_;
    ++live_;
  }
  /// The newest thread, whose creator is `creator`, has its name.
  void named(const Thread& creator) {
    const Thread& before = *run.threads[count_ - 2];
    if (names_in_order_ && before.creator != &creator && &before != &creator)
      names_in_order_ = named_before(before, *run.threads[count_ - 1]);
  }
  void one_has_ended() {
    assert(live_ != 0);
    --live_;
  }
  void all_have_ended() { live_ = 0; }
  void close_handle(Thread& thread, Thread::Handle how) {
    assert(
        how != Thread::Handle::open);  // it may be closed already: a second join is found to be misuse later
    ++handles_closed_;
    thread.handle = how;
    any_detached_ |= how == Thread::Handle::detached;
  }

  // -- For debuggers and crash handlers
  [[nodiscard]] const unsigned* address_of_count() const { return &count_; }
  [[nodiscard]] Thread* const* addresses() const { return run.threads; }

 private:
  unsigned count_ = 0;
  unsigned live_ = 0;
  unsigned handles_closed_ = 0;
  bool any_detached_ = false;
  bool names_in_order_ = true;
};

}  // namespace hocket::runtime
