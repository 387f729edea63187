#include <assert.h>

int third_of(int number);
int third_of(int number) {
  assert(number % 3 == 0);
  return number / 3;
}
