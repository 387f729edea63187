// The files of the user's code that are loaded: the program, and shared libraries.
#pragma once

#include <cstdint>
#include <string>

namespace hocket::runtime::platform {

struct Image {
  std::string file;  ///< that can be opened; empty: the main program, which may have been built anew since
  std::uintptr_t base = 0;  ///< what the loader has added to the addresses in the file
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// The main program, which is loaded for as long as the process lives.
const Image& main_program();

/// The program or the library in whose memory the address lies; nullptr if it lies in none, or in one of the
/// system's. Valid for as long as the process lives.
const Image* image_at(std::uintptr_t address);

}  // namespace hocket::runtime::platform
