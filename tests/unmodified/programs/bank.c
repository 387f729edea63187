// A C program that knows nothing of Hocket: money goes from one account to another while somebody counts. Given
// "careless" it counts without the lock, given "forgetful" it never frees what it has allocated.
#undef NDEBUG  // its assert() is the check, also in a release
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int accounts[2] = {100, 0};
static int careless;

static void* transfer(void* amount) {
  pthread_mutex_lock(&lock);
  __atomic_fetch_sub(&accounts[0], *(int*)amount, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&accounts[1], *(int*)amount, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char** argv) {
  int* amount = malloc(sizeof *amount);
  *amount = 30;
  careless = argc > 1 && strcmp(argv[1], "careless") == 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, transfer, amount) != 0) return 2;
  if (!careless) pthread_mutex_lock(&lock);
  const int sum = __atomic_load_n(&accounts[0], __ATOMIC_SEQ_CST) + __atomic_load_n(&accounts[1], __ATOMIC_SEQ_CST);
  if (!careless) pthread_mutex_unlock(&lock);
  printf("there are %d", sum);  // nothing flushes it when the assertion fails
  assert(sum == 100);
  puts(", as it should be");
  pthread_join(thread, NULL);
  if (argc < 2 || strcmp(argv[1], "forgetful") != 0) free(amount);
  return 0;
}
