// The search is in the program, what is tested in a shared library. With an argument there is no bug.
#include <iostream>

#include "counter.hpp"

int main(int count, char** /*arguments*/) {
  const hocket::Report report = hocket::explore("of_library", [count] {
    Counter counter(count > 1);
    hocket::thread other([&] { counter.increment(); });
    counter.increment();
    other.join();
    hocket::check(counter.value() == 2, "an increment was lost");
  });
  std::cout << report;
  return report.failed() ? 1 : 0;
}
