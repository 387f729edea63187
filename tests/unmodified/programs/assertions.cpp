// A program whose last assertion fails, unless it is compiled out.
#include "assertions.hpp"

#include <thread>

int main() {
  int number = 0;
  std::thread other([&] { number = half_of(third_of(6)); });
  other.join();
  assert(number == 2);
}
