// A library that knows nothing of Hocket: it loses increments unless it is to be safe.
#include <atomic>

namespace {

std::atomic<int> value{0};

}  // namespace

extern "C" void increment(int is_safe);
extern "C" int value_of_counter();

void increment(int is_safe) {
  if (is_safe != 0) {
    value.fetch_add(1);
  } else {
    value.store(value.load() + 1);
  }
}

int value_of_counter() {
  return value.load();
}
