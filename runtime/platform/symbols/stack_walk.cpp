#include "stack_walk.hpp"

#include <csetjmp>

#include <pthread.h>

namespace hocket::runtime::platform {

namespace {

sigjmp_buf after_walk;
volatile bool is_walking = false;
pthread_t walker;

}  // namespace

void walk_stack(_Unwind_Trace_Fn visit, void* argument) {
  if (is_walking) return;  // a visitor that walks itself, or the report on a walk that has failed
  walker = pthread_self();
  if (sigsetjmp(after_walk, 0) == 0) {
    is_walking = true;
    _Unwind_Backtrace(visit, argument);
  }
  is_walking = false;
}

void leave_faulty_walk() {
  if (is_walking && pthread_equal(walker, pthread_self()) != 0) siglongjmp(after_walk, 1);
}

}  // namespace hocket::runtime::platform
