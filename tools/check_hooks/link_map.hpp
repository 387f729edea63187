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
};

/// Empty if there is no such file, or if it is none of GNU's linker.
std::vector<CodeSection> code_sections(const std::filesystem::path& map);

}  // namespace hocket::check_hooks
