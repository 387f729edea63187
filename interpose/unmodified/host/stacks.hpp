// Detection of dead stack memory: local variables of functions that have returned.
//
// Memory below the stack pointer of a thread is dead. An access to it, or to the stack of a thread that has
// ended, is a use after return. It is reported at the access, as an access to a freed heap block is.
//
// That check alone is not enough. A function returns without calling a hook, and the access may happen to
// come before the return although nothing orders the two. Therefore the memory of a stack that other threads
// have touched is recorded as *lent*. When the owner of the stack next executes an operation with a higher
// stack pointer, it has left the functions below. For the memory that was lent there, this has the effect
// that freeing has for a heap block: an access that is not ordered with it is a data race, whichever of the
// two comes first.
//
// One case is missed: memory lent by a function that returns, and whose memory is then reused by another
// function that the same thread calls before its next operation. A thread that runs on a stack made by the
// program (makecontext) is not checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../../../runtime/execution/step.hpp"
#include "../memory/stack_space.hpp"

namespace hocket::unmodified {

class Stacks {
 public:
  /// Marks the stack of the thread with that index as not lent at all.
  static void begin(unsigned index) { lent_from[index] = kNothing; }

  /// To be called before an access to `at`, which is in the StackSpace. Returns true if the access is known
  /// to be allowed; otherwise check() must decide. The code that makes the access runs with `stack_pointer`.
  [[gnu::always_inline]] static bool is_in_use(std::uintptr_t at, std::uintptr_t stack_pointer) {
    const unsigned owner = StackSpace::owner_of(at);
    return at >= (owner == runtime::run.current->index ? stack_pointer : lent_from[owner]);
  }
  /// The slow path after is_in_use() has returned false: fails the execution if the access is not allowed.
  /// `does`: the verb for the message, such as "reads" or "uses". `as`: for an operation on an object that
  /// lies there, what it is, such as "a mutex"; nullptr for a plain access.
  [[gnu::noinline]] static void check(
      std::uintptr_t at, std::uintptr_t stack_pointer, const char* does, const char* as = nullptr);

  /// The current thread has reached an operation with `stack_pointer`.
  [[gnu::always_inline]] static void came_to(std::uintptr_t stack_pointer) {
    if (stack_pointer > lent_from[runtime::run.current->index]) [[unlikely]]
      leave_functions(stack_pointer);
  }
  /// The current thread has left all functions whose frames lie below `stack_pointer`.
  [[gnu::noinline]] static void leave_functions(std::uintptr_t stack_pointer);
  /// The current thread has left all its functions, because it has ended.
  static void ended();

 private:
  static constexpr std::uintptr_t kNothing = ~std::uintptr_t{0};

  /// For each thread, the lowest address of its stack that another thread may have touched. Memory at or
  /// above it was in use at the last check, and remains in use as long as the owner does not run.
  static inline constinit std::array<std::uintptr_t, runtime::kMaxThreads> lent_from = [] {
    std::array<std::uintptr_t, runtime::kMaxThreads> none{};
    none.fill(kNothing);
    return none;
  }();
};

/// To be called before an operation on the object at `address`, which is in the StackSpace. `what`: for
/// example "a mutex".
void use_object_on_stack(std::uintptr_t address, const char* what);

/// Fails the execution, because a thread_local variable of a thread that has ended is used.
void use_ended_thread_local(std::uintptr_t address, unsigned owner);

}  // namespace hocket::unmodified
