// The map that GNU's linker writes of a link (-Map): which sections of which files it took, and which it left
// out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hocket::check_hooks {

/// A section of code of an input file.
struct CodeSection {
  std::string name;  ///< as in ".text._ZN5Queue3popEv"
  std::string file;  ///< as the linker was given it; a member of an archive is "libqueue.a(queue.o)"
  bool is_taken;
  bool is_empty;
};

struct LinkMap {
  std::vector<CodeSection> sections;
  std::vector<std::string> shared_libraries;  ///< that the linker was given, as it was given them
};

/// Empty if there is no such file, or if it is none of GNU's linker.
LinkMap read_link_map(const std::filesystem::path& map);

}  // namespace hocket::check_hooks
