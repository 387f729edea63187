// The loaded files that contain the user's code: the program and shared libraries.
#pragma once

#include <cstdint>
#include <string>

namespace hocket::runtime::platform {

struct Image {
  std::string file;  ///< that can be opened; empty: the main program, which may have been rebuilt since
  std::uintptr_t base = 0;  ///< what the loader adds to the addresses in the file
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// The main program, which stays loaded for the life of the process.
const Image& main_program();

/// The program or library in whose memory the address lies; nullptr if it lies in none, or in a system
/// library. Valid for the life of the process.
const Image* image_at(std::uintptr_t address);

/// Whether there is an image_at() the address. Allocates nothing, for a signal handler in a process that is
/// about to end.
bool is_in_image(std::uintptr_t address);

}  // namespace hocket::runtime::platform
