#include "tests/unmodified/shared_counter.hpp"

#include <mutex>

namespace unmodified {

namespace {

int total_of_library = 0;
std::mutex lock_of_library;

}  // namespace

void count_in_library() {
  ++total_of_library;
}

void count_in_library_locked() {
  const std::lock_guard guard(lock_of_library);
  ++total_of_library;
}

int counted_in_library() {
  return total_of_library;
}

}  // namespace unmodified
