#include "tests/unmodified/pthread/c11_bodies.h"

#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* Runs the two on threads of their own and joins them. */
static void in_parallel(thrd_start_t one, thrd_start_t other, void* argument) {
  thrd_t threads[2];
  thrd_create(&threads[0], one, argument);
  thrd_create(&threads[1], other, argument);
  thrd_join(threads[0], NULL);
  thrd_join(threads[1], NULL);
}

static int increment_twice(void* argument) {
  atomic_int* n = argument;
  ++*n;
  atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
  return 0;
}
int c11_increments(void) {
  atomic_int n = 0;
  in_parallel(increment_twice, increment_twice, &n);
  return n == 4 ? 0 : 1;
}

static int load_and_store(void* argument) {
  atomic_int* n = argument;
  *n = *n + 1;
  return 0;
}
int c11_lost_increment(void) {
  atomic_int n = 0;
  in_parallel(load_and_store, load_and_store, &n);
  return n == 2 ? 0 : 1;
}

struct message {
  int data;
  atomic_bool is_there;
  int is_wrong;
};
static int send(void* argument) {
  struct message* message = argument;
  message->data = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&message->is_there, 1, memory_order_relaxed);
  return 0;
}
static int receive(void* argument) {
  struct message* message = argument;
  if (!atomic_load_explicit(&message->is_there, memory_order_relaxed)) return 0;
  atomic_thread_fence(memory_order_acquire);
  message->is_wrong = message->data != 1;
  return 0;
}
int c11_fences(void) {
  struct message message = {0};
  in_parallel(send, receive, &message);
  return message.is_wrong;
}

struct guarded {
  atomic_flag taken;
  int data;
};
static int section(void* argument) {
  struct guarded* guarded = argument;
  while (atomic_flag_test_and_set(&guarded->taken)) thrd_yield();
  ++guarded->data;
  atomic_flag_clear(&guarded->taken);
  return 0;
}
int c11_flag(void) {
  struct guarded guarded = {ATOMIC_FLAG_INIT, 0};
  in_parallel(section, section, &guarded);
  return guarded.data == 2 ? 0 : 1;
}

static int change(void* argument) {
  ++*(int*)argument;
  return 0;
}
int c11_race(void) {
  int data = 0;
  in_parallel(change, change, &data);
  return 0;
}

static once_flag once = ONCE_FLAG_INIT;
static int calls;
static void call(void) {
  ++calls;
}
struct box {
  mtx_t mutex;
  cnd_t changed;
  tss_t own;
  int full;
};
static int put(void* argument) {
  struct box* box = argument;
  call_once(&once, call);
  tss_set(box->own, &calls);
  mtx_lock(&box->mutex);
  box->full = 1;
  cnd_signal(&box->changed);
  mtx_unlock(&box->mutex);
  return 0;
}
static int take(void* argument) {
  struct box* box = argument;
  call_once(&once, call);
  mtx_lock(&box->mutex);
  while (!box->full) cnd_wait(&box->changed, &box->mutex);
  box->full = 0;
  mtx_unlock(&box->mutex);
  return tss_get(box->own) == NULL ? 0 : 1;
}
int c11_threads(void) {
  struct box box = {.full = 0};
  mtx_init(&box.mutex, mtx_plain);
  cnd_init(&box.changed);
  tss_create(&box.own, NULL);
  in_parallel(put, take, &box);
  tss_delete(box.own);
  cnd_destroy(&box.changed);
  mtx_destroy(&box.mutex);
  return calls == 1 && box.full == 0 ? 0 : 1;
}

/* A time so many seconds from now. */
static struct timespec in_seconds(int seconds) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  time.tv_sec += seconds;
  return time;
}

static int try_held(void* argument) {
  mtx_t* mutex = argument;
  const struct timespec time = in_seconds(2);
  if (mtx_trylock(mutex) != thrd_busy) return 1;
  return mtx_timedlock(mutex, &time) == thrd_timedout ? 0 : 1;
}
int c11_tries(void) {
  const int types[] = {mtx_plain, mtx_timed, mtx_timed | mtx_recursive};
  for (int n = 0; n < 3; ++n) {
    mtx_t mutex;
    thrd_t thread;
    int result = 1;
    if (mtx_init(&mutex, types[n]) != thrd_success) return 1;
    mtx_lock(&mutex);
    if ((types[n] & mtx_recursive) != 0) {
      if (mtx_trylock(&mutex) != thrd_success) return 1;
      mtx_unlock(&mutex);
    }
    thrd_create(&thread, try_held, &mutex);
    thrd_join(thread, &result);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
    if (result != 0) return 1;
  }
  return 0;
}

int c11_times(void) {
  const struct timespec begin = in_seconds(0);
  const struct timespec until = in_seconds(3);
  const struct timespec second = {1, 0};
  mtx_t mutex;
  cnd_t changed;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  mtx_lock(&mutex);
  if (cnd_timedwait(&changed, &mutex, &until) != thrd_timedout) return 1;
  mtx_unlock(&mutex);
  if (thrd_sleep(&second, NULL) != 0) return 1;
  cnd_destroy(&changed);
  mtx_destroy(&mutex);
  return in_seconds(0).tv_sec - begin.tv_sec == 4 ? 0 : 1;
}

struct gate {
  mtx_t mutex;
  cnd_t opened;
  int is_open;
};
static int wait_at(void* argument) {
  struct gate* gate = argument;
  mtx_lock(&gate->mutex);
  while (!gate->is_open) cnd_wait(&gate->opened, &gate->mutex);
  mtx_unlock(&gate->mutex);
  thrd_exit(7);
}
static int open_it(void* argument) {
  struct gate* gate = argument;
  mtx_lock(&gate->mutex);
  gate->is_open = 1;
  cnd_broadcast(&gate->opened);
  mtx_unlock(&gate->mutex);
  return -1;
}
int c11_ends(void) {
  struct gate gate = {.is_open = 0};
  thrd_t waiters[2];
  thrd_t opener;
  int results[2] = {0, 0};
  mtx_init(&gate.mutex, mtx_plain);
  cnd_init(&gate.opened);
  thrd_create(&waiters[0], wait_at, &gate);
  thrd_create(&waiters[1], wait_at, &gate);
  thrd_create(&opener, open_it, &gate);
  thrd_detach(opener);
  thrd_join(waiters[0], &results[0]);
  thrd_join(waiters[1], &results[1]);
  /* The opener holds the mutex until it has done. */
  mtx_lock(&gate.mutex);
  mtx_unlock(&gate.mutex);
  if (thrd_join(opener, NULL) != thrd_error) return 1;
  return results[0] == 7 && results[1] == 7 ? 0 : 1;
}

#ifdef __x86_64__
unsigned long long c11_time_stamp(void) {
  return __rdtsc();
}
#endif
