// A search in a program that looks for Hocket's own programs in the folder that PROGRAMS names, in place of
// the build tree.
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <hocket/hocket.hpp>

extern "C" {
extern char hocket_programs[];
extern char hocket_commands[];
char hocket_programs[4096];
char hocket_commands[4096];
}

int main() {
  const char* const folder = std::getenv("PROGRAMS");
  std::strncpy(hocket_programs, folder, sizeof hocket_programs - 1);
  std::strncpy(hocket_commands, folder, sizeof hocket_commands - 1);
  std::cout << hocket::explore(
      "planted",
      [] {
        hocket::atomic<int> hits{0};
        const auto increment = [&hits] { hits.store(hits.load() + 1); };
        hocket::thread a(increment);
        hocket::thread b(increment);
        a.join();
        b.join();
        hocket::check(hits.load() == 2, "an increment was lost");
      },
      hocket::Options{.schedule_dir = "."});
  return 0;
}
