// A program that reads its standard input, with streams that have buffers of their own: as it is, for
// whole_program_test.sh. It ends with 0 if there are three lines.
#include <iostream>
#include <string>
#include <thread>

int main() {
  std::ios_base::sync_with_stdio(false);
  int lines = 0;
  std::thread reader([&] {
    for (std::string line; std::getline(std::cin, line);) ++lines;
  });
  std::thread idle([] {});
  reader.join();
  idle.join();
  std::cout << lines << " lines\n";
  return lines == 3 ? 0 : 1;
}
