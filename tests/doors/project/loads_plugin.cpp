// With an argument there is no bug.
#include <cstdio>
#include <thread>

#include <dlfcn.h>

namespace {

void* plugin() {
  static void* const loaded = dlopen(PLUGIN, RTLD_NOW);
  if (loaded == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  return loaded;
}

// Before the search: what a plugin's constructors do is not under test, and its data is put back.
const void* const at_start = plugin();

}  // namespace

int main(int count, char** /*arguments*/) {
  if (at_start == nullptr) return 3;
  const auto increment = reinterpret_cast<void (*)(int)>(dlsym(plugin(), "increment"));
  const auto value_of_counter = reinterpret_cast<int (*)()>(dlsym(plugin(), "value_of_counter"));
  if (increment == nullptr || value_of_counter == nullptr) return 4;
  const int is_safe = count > 1 ? 1 : 0;
  std::thread other([=] { increment(is_safe); });
  increment(is_safe);
  other.join();
  return value_of_counter() == 2 ? 0 : 1;
}
