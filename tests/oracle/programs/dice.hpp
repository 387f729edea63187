// Random numbers for the generators of programs.
#pragma once

#include <rapidcheck.h>

#include <initializer_list>

namespace hocket::oracle {

class Dice {
 public:
  explicit Dice(const rc::Random& random) : random_(random) {}

  unsigned below(unsigned count) { return static_cast<unsigned>(random_.next() % count); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<unsigned>(values.size()))];
  }

 private:
  rc::Random random_;
};

}  // namespace hocket::oracle
