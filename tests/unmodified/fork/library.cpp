#include "tests/unmodified/fork/library.hpp"

#include <array>
#include <cstddef>

namespace library {

static int calls_so_far = 0;
static std::array<char, std::size_t{64} << 20U> large{};

int count() {
  return ++calls_so_far;
}

int calls() {
  return calls_so_far;
}

char& middle() {
  return large[large.size() / 2];
}

}  // namespace library
