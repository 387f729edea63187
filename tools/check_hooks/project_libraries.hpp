// Determines which linked files belong to the project's own libraries. Libraries of packages are not meant to
// be instrumented. If a library of the project is not instrumented, it may have been forgotten.
#pragma once

#include <filesystem>
#include <set>
#include <string>

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

}  // namespace hocket::check_hooks
