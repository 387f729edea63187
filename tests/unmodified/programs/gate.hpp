// A header whose functions are the first in the debug information of gate.cpp: see places_test.cpp.
#pragma once

#include <pthread.h>

namespace unmodified {

struct Gate {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

  virtual ~Gate() = default;
  virtual void enter() { pthread_mutex_lock(&mutex); }
};

}  // namespace unmodified
