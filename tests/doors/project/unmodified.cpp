// With an argument there is no bug.
#include <atomic>
#include <thread>

int main(int count, char** /*arguments*/) {
  std::atomic<int> x{0};
  const auto increment = [&] {
    if (count > 1) {
      x.fetch_add(1);
    } else {
      x.store(x.load() + 1);
    }
  };
  std::thread other(increment);
  increment();
  other.join();
  return x.load() == 2 ? 0 : 1;
}
