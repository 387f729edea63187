#include "addr2line.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

#include <unistd.h>

namespace hocket::runtime::platform {

bool Addr2line::start(const char* options, const char* file) {
  // Do not use the program's path: the file there may have been rebuilt since this process began.
  std::array<char, 40> program{};
  std::snprintf(program.data(), program.size(), "/proc/%d/exe", static_cast<int>(getpid()));
  char* const name = *file != '\0' ? word(file) : program.data();
  // The addr2line of binutils 2.40 loses the callers of inlined functions in Clang's DWARF 5. In GCC's it
  // takes the line of one file for that of another, where the debug information of a function begins with the
  // first file of its list.
  constexpr std::array kPrograms{"llvm-addr2line", "addr2line"};
  std::array<CommandWords, kPrograms.size()> commands;
  for (std::size_t n = 0; n < commands.size(); ++n)
    commands[n] = {word(kPrograms[n]), word(options), word("-e"), name, nullptr};
  return SocketProgram::start(commands);
}

}  // namespace hocket::runtime::platform
