#include "counter.hpp"

void Counter::increment() {
  if (is_safe_) {
    value_.fetch_add(1);
  } else {
    value_.store(value_.load() + 1);
  }
}
