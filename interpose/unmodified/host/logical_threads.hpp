// What the system keeps for a thread in addition to its control block: the function it runs, its result, and
// what has to be destroyed when it ends.
#pragma once

#include <array>
#include <csetjmp>
#include <cstdint>
#include <string>
#include <vector>

#include <pthread.h>
#include <unwind.h>

#include "../../../runtime/execution/execution_options.hpp"
#include "../../../runtime/terms/thread_set.hpp"
#include "../../../runtime/threads/thread.hpp"

namespace hocket::unmodified {

struct LogicalThread {
  struct Destructor {
    void (*call)(void*);
    void* object;
  };

  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  std::vector<Destructor> destructors;  ///< of its thread_local objects, in the order of their construction
  std::vector<void*> values;            ///< the thread's values of the pthread keys
  std::uint32_t random_numbers = 0;     ///< how many it has got of std::random_device
  std::string name;                     ///< set by pthread_setname_np; empty if it has none
  std::jmp_buf* exit = nullptr;         ///< where pthread_exit jumps to
  _Unwind_Exception unwinding{};        ///< used by pthread_exit; not on the stack that is unwound
};

/// Indexed by thread. Entries are made when they are first used, and kept.
extern constinit std::array<LogicalThread*, runtime::kMaxThreads> all_logical_threads;
void make_logical_thread(unsigned index);
inline LogicalThread& logical_thread(unsigned index) {
  if (all_logical_threads[index] == nullptr) [[unlikely]]
    make_logical_thread(index);
  return *all_logical_threads[index];
}

/// Makes a thread, which ThreadLives::start() is to start; nullptr if there can be no more.
runtime::Thread* make_thread(void* (*function)(void*), void* argument);
/// Waits until it has ended, unless it has detached itself.
void join_if_open(runtime::Thread& thread);
/// The thread of this execution that has the handle, or nullptr.
runtime::Thread* find_thread(pthread_t handle);

/// Destroys the thread_local objects and pthread-key values of the thread with that index, which is the
/// running one.
void destroy_thread_locals(unsigned index);

/// Forgets the pthread keys that the body created in this execution.
void forget_keys_of_body(const runtime::ExecutionOptions& options);

}  // namespace hocket::unmodified
