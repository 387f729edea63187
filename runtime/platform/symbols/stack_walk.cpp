#include "stack_walk.hpp"

#include <csetjmp>

#include <pthread.h>

namespace hocket::runtime::platform {

namespace {

/// While a stack is walked. On the stack, because it holds registers of the body's functions: what a static
/// points to is taken for no leak.
sigjmp_buf* volatile after_walk = nullptr;
pthread_t walker;

}  // namespace

void walk_stack(_Unwind_Trace_Fn visit, void* argument) {
  if (after_walk != nullptr) return;  // a visitor that walks itself, or the report on a walk that has failed
  walker = pthread_self();
  sigjmp_buf here;
  if (sigsetjmp(here, 0) == 0) {
    after_walk = &here;
    _Unwind_Backtrace(visit, argument);
  }
  after_walk = nullptr;
}

void leave_faulty_walk() {
  if (after_walk != nullptr && pthread_equal(walker, pthread_self()) != 0) siglongjmp(*after_walk, 1);
}

}  // namespace hocket::runtime::platform
