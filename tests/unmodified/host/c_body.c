// A body in C: two threads add to a counter, one step after the other.
#include <pthread.h>

#include <hocket/hocket.h>

#include "c_body.h"

static void* increment(void* counter) {
  const int before = __atomic_load_n((int*)counter, __ATOMIC_SEQ_CST);
  __atomic_store_n((int*)counter, before + 1, __ATOMIC_SEQ_CST);
  return 0;
}

void c_body(void) {
  int counter = 0;
  hocket_name(&counter, "the counter");
  hocket_name_this_thread("counting");
  const unsigned others = hocket_choose(2) + 1;
  hocket_assume(others == 2);
  pthread_t threads[2];
  for (unsigned n = 0; n < others; ++n) pthread_create(&threads[n], 0, increment, &counter);
  for (unsigned n = 0; n < others; ++n) pthread_join(threads[n], 0);
  hocket_check(__atomic_load_n(&counter, __ATOMIC_SEQ_CST) == 2, "an increment is lost");
}
