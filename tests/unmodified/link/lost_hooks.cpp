// Compiled with hooks and without them, and linked in both orders: the program has one copy of the inline
// function.
#include <atomic>

struct Counter {
  [[gnu::noinline]] int count() { return ++total; }
  std::atomic<int> total{0};
};

#if defined(HAS_MAIN)
int count_elsewhere(Counter& counter);
int main() {
  Counter counter;
  return counter.count() + count_elsewhere(counter);
}
#else
int count_elsewhere(Counter& counter);
int count_elsewhere(Counter& counter) {
  return counter.count();
}
#endif
