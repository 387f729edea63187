// An object with its own thread. Members are constructed in the order of their declaration, so a thread that
// is declared first starts before the other members are constructed.
#pragma once

#include <hocket/hocket.hpp>
#include <memory>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::started_too_early {

template <Version version>
class Counter;

template <>
class Counter<Version::buggy> {  // @class
 public:
  ~Counter() { thread_.join(); }

 private:
  void run() { ++count_; }  // @count

  std::thread thread_{[this] { run(); }};
  int count_ = 0;  // @initialiser
};

template <>
class Counter<Version::corrected> {
 public:
  ~Counter() {
    thread_.join();
    hocket::check(count_ == 1, "did not count");
  }

 private:
  void run() { ++count_; }

  int count_ = 0;
  std::thread thread_{[this] { run(); }};
};

template <Version version>
void body() {
  const auto counter = std::make_unique<Counter<version>>();
}

}  // namespace samples::started_too_early
