// Reads the map file of GNU's linker (-Map): which sections of which files the link includes, and which it
// leaves out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hocket::check_hooks {

/// A section of code of an input file.
struct CodeSection {
  std::string name;  ///< as in ".text._ZN5Queue3popEv"
  std::string file;  ///< as given to the linker; a member of an archive is "libqueue.a(queue.o)"
  bool is_taken;
  bool is_empty;
};

struct LinkMap {
  std::string output;  ///< the program or library that was linked; empty if the map does not say so
  std::vector<CodeSection> sections;
  std::vector<std::string> shared_libraries;  ///< the shared libraries, as given to the linker
};

/// Reads a map file. Empty if there is no such file, or if it is not from GNU's linker.
LinkMap read_link_map(const std::filesystem::path& map);

}  // namespace hocket::check_hooks
