// Determines which linked files belong to the project's own libraries. Libraries of packages are not meant to
// be instrumented. If a library of the project is not instrumented, it may have been forgotten.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace hocket::check_hooks {

class ProjectLibraries {
 public:
  /// `build_tree` is the folder in which the project builds. `left_out` names those that are not to be
  /// instrumented: libraries as files or as targets, "libbank.a" or "bank".
  ProjectLibraries(const std::filesystem::path& build_tree, std::set<std::string> left_out);

  /// The library to which a linked file belongs: "src/libbank.a" for "src/libbank.a(account.cpp.o)", and
  /// "src/CMakeFiles/bank.dir" for "src/CMakeFiles/bank.dir/account.cpp.o", if a target has only object
  /// files. Empty if the file was not built by the project, belongs to GoogleTest or Hocket, or is left out.
  [[nodiscard]] std::string library_of(const std::string& file) const;

 private:
  [[nodiscard]] bool is_built_here(const std::filesystem::path& library) const;

  std::filesystem::path build_tree_;
  std::set<std::string> left_out_;
};

/// Whether it is the folder of a target's object files, "src/CMakeFiles/bank.dir".
bool is_target(const std::string& library);

/// The name for users of a library from library_of(), which is also its name in `left_out`: "bank".
std::string name_of_library(const std::string& library);

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
