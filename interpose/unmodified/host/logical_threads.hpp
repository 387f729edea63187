// What the system keeps for a thread beside its control block: what it runs and returns, what is to be
// destroyed at its end.
#pragma once

#include <array>
#include <csetjmp>
#include <string>
#include <vector>

#include <pthread.h>
#include <unwind.h>

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
  std::vector<Destructor> destructors;  ///< of its thread_local objects, in the order in which they were made
  std::vector<void*> values;            ///< of pthread keys
  std::string name;                     ///< by pthread_setname_np; empty: none
  std::jmp_buf* exit = nullptr;         ///< where pthread_exit goes on
  _Unwind_Exception unwinding{};        ///< by pthread_exit; not on the stack that it unwinds
};

/// By index. They are made when they are first used, and kept.
extern constinit std::array<LogicalThread*, runtime::kMaxThreads> all_logical_threads;
void make_logical_thread(unsigned index);
inline LogicalThread& logical_thread(unsigned index) {
  if (all_logical_threads[index] == nullptr) [[unlikely]]
    make_logical_thread(index);
  return *all_logical_threads[index];
}

/// The thread of this execution with that handle, or nullptr.
runtime::Thread* find_thread(pthread_t handle);

/// Destroys what the thread with that index, which runs, has for itself.
void destroy_thread_locals(unsigned index);

/// Forgets the pthread keys that were made in the execution.
void forget_keys_of_body();

}  // namespace hocket::unmodified
