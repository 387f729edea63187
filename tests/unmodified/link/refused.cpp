// A program that Hocket refuses to explore, for how it is built.
#include <exception>
#include <iostream>

#include <hocket/hocket.hpp>

int main() {
  try {
    std::cout << hocket::explore("refused", [] {}, {.save_schedules = false});
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
  }
}
