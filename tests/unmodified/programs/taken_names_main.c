// A C program whose variables have the names of functions that Hocket calls. Given "careless" it fails, given "crash" it
// crashes.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern int send, read;
int stays_as_it_was(void);
int getline(char* line, int room);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static int is_careless;

static void* work(void* nothing) {
  free(malloc(1));
  pthread_mutex_lock(&lock);
  const int before = sum;
  if (is_careless) pthread_mutex_unlock(&lock);
  if (is_careless) pthread_mutex_lock(&lock);
  sum = before + 1;
  pthread_mutex_unlock(&lock);
  return nothing;
}

int main(int argc, char** argv) {
  is_careless = argc > 1 && strcmp(argv[1], "careless") == 0;
  const int crashes = argc > 1 && strcmp(argv[1], "crash") == 0;
  pthread_t threads[2];
  for (int n = 0; n < 2; ++n) pthread_create(&threads[n], 0, work, 0);
  for (int n = 0; n < 2; ++n) pthread_join(threads[n], 0);
  char line[3];
  if (send != 1 || read != 1 || !stays_as_it_was()) return 3;
  if (getline(line, 3) != 3 || line[2] != 'a') return 4;
  if (crashes) *(volatile int*)0 = 1;
  return sum == 2 ? 0 : 5;
}
