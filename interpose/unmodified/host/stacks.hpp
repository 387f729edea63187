// Stack memory that is gone: local variables of functions that have returned.
//
// Below the stack pointer of a thread there is nothing. An access to memory there, or on the stack of a
// thread that has ended, is a use after the function has returned: it is reported at the access, as for
// blocks of the heap that were freed.
//
// It would not be enough. A function returns without a word, and the access may come before, though nothing
// orders the two. So what other threads have touched of a stack is noted, *lent*; and when the thread whose
// it is next comes to an operation, higher up, it has left the functions below: to what was lent there that
// is what the freeing of a block is to the block, and an access that is not ordered with it is a data race,
// whichever comes first.
//
// Not seen is what a function has lent whose memory another one has taken, called by the same thread, before
// there was an operation. A thread that runs on a stack of the program's own making (makecontext) is left
// alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../../../runtime/execution/execution.hpp"
#include "../memory/stack_space.hpp"

namespace hocket::unmodified {

class Stacks {
 public:
  /// Nothing has been lent of the stack of the thread with that index.
  static void begin(unsigned index) { lent_from[index] = kNothing; }

  /// Before an access to `at`, which is in the StackSpace: whether it is plain that it may be made. The code
  /// of the access runs with `stack_pointer`.
  [[gnu::always_inline]] static bool is_in_use(std::uintptr_t at, std::uintptr_t stack_pointer) {
    const unsigned owner = StackSpace::owner_of(at);
    return at >= (owner == runtime::execution.current->index ? stack_pointer : lent_from[owner]);
  }
  /// If it is not plain. Fails if it must not be made. `does`: as in "reads" and "uses"; `as`: as what, as in
  /// "a mutex" that lies there, if it is no plain access.
  [[gnu::noinline]] static void check(
      std::uintptr_t at, std::uintptr_t stack_pointer, const char* does, const char* as = nullptr);

  /// The current thread has come to an operation with `stack_pointer`.
  [[gnu::always_inline]] static void came_to(std::uintptr_t stack_pointer) {
    if (stack_pointer > lent_from[runtime::execution.current->index]) [[unlikely]]
      leave_functions(stack_pointer);
  }
  /// The current thread has left all functions whose frames lie below.
  [[gnu::noinline]] static void leave_functions(std::uintptr_t stack_pointer);
  /// The current thread has left all.
  static void ended();

 private:
  static constexpr std::uintptr_t kNothing = ~std::uintptr_t{0};

  /// By thread: the lowest address of its stack that another thread may have touched. Whatever lies there or
  /// above has been in use when it was last looked at, and is while its thread does not run.
  static inline constinit std::array<std::uintptr_t, runtime::kMaxThreads> lent_from = [] {
    std::array<std::uintptr_t, runtime::kMaxThreads> none{};
    none.fill(kNothing);
    return none;
  }();
};

/// Before an operation on the object at `address`, "a mutex", which is in the StackSpace.
void use_object_on_stack(std::uintptr_t address, const char* what);

}  // namespace hocket::unmodified
