// With an argument there is no bug.
#include <iostream>

#include <hocket/hocket.hpp>

int main(int count, char** /*arguments*/) {
  const hocket::Report report = hocket::explore("types", [count] {
    hocket::atomic<int> x{0};
    const auto increment = [&] {
      if (count > 1) {
        x.fetch_add(1);
      } else {
        x.store(x.load() + 1);
      }
    };
    hocket::thread other(increment);
    increment();
    other.join();
    hocket::check(x.load() == 2, "an increment was lost");
  });
  std::cout << report;
  return report.failed() ? 1 : 0;
}
