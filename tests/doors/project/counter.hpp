// In a shared library: a counter of Hocket's types that loses increments, unless it is to be safe.
#pragma once

#include <hocket/hocket.hpp>

class Counter {
 public:
  explicit Counter(bool is_safe) : is_safe_(is_safe) {}
  void increment();
  [[nodiscard]] int value() const { return value_.load(); }

 private:
  hocket::atomic<int> value_{0};
  bool is_safe_;
};
