// With an argument there is no bug.
#include <thread>

extern "C" void increment(int is_safe);
extern "C" int value_of_counter();

int main(int count, char** /*arguments*/) {
  const int is_safe = count > 1 ? 1 : 0;
  std::thread other([is_safe] { increment(is_safe); });
  increment(is_safe);
  other.join();
  return value_of_counter() == 2 ? 0 : 1;
}
