// Compiled once for each of the libraries, whose name LIBRARY is.
#include "tests/unmodified/programs/shared_counter.hpp"

#include <array>
#include <mutex>
#include <set>

namespace unmodified::LIBRARY {

namespace {

int total_of_library = 0;
std::mutex lock_of_library;
std::set<std::string> texts_of_library;
std::array<char, std::size_t{1} << 20U> bytes_of_library{};

}  // namespace

void count() {
  ++total_of_library;
}

void count_locked() {
  const std::lock_guard guard(lock_of_library);
  ++total_of_library;
}

int counted() {
  return total_of_library;
}

int counted_locked() {
  const std::lock_guard guard(lock_of_library);
  return total_of_library;
}

void remember(const std::string& text) {
  const std::lock_guard guard(lock_of_library);
  texts_of_library.insert(text);
}

int remembered() {
  return static_cast<int>(texts_of_library.size());
}

char& byte(std::size_t number) {
  return bytes_of_library.at(number);
}

}  // namespace unmodified::LIBRARY
