// With an argument there is no bug. Its assertion is on in every build type.
#include <atomic>
#include <cassert>
#include <thread>

int main(int count, char** /*arguments*/) {
  std::atomic<int> x{0};
  const auto increment = [&] { count > 1 ? static_cast<void>(x.fetch_add(1)) : x.store(x.load() + 1); };
  std::thread other(increment);
  increment();
  other.join();
  assert(x.load() == 2);
}
