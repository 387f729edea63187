// Code with assertions, which may be compiled out.
#pragma once

#include <cassert>

extern "C" int third_of(int number);

constexpr int half_of(int number) {
  return assert(number % 2 == 0), number / 2;
}
static_assert(half_of(4) == 2);
