// Two threads come to the same lines.
#include <atomic>
#include <thread>

static void count(std::atomic<int>& n) {
  n.fetch_add(1);
}

int main() {
  std::atomic<int> n{0};
  std::thread other([&] { count(n); });
  count(n);
  other.join();
  return n == 2 ? 0 : 1;
}
