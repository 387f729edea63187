// Which of the files that go into a link are the project's own libraries. Those of packages are not meant to
// be instrumented; one of the project's that is not may have been forgotten.
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

  /// To which of them a file belongs that was linked: "src/libbank.a" of "src/libbank.a(account.cpp.o)", and
  /// "src/CMakeFiles/bank.dir" of "src/CMakeFiles/bank.dir/account.cpp.o", where a target has object files
  /// alone. Empty if to none: it was not built by the project, or is GoogleTest's or Hocket's own, or is left
  /// out.
  [[nodiscard]] std::string library_of(const std::string& file) const;

 private:
  [[nodiscard]] bool is_built_here(const std::filesystem::path& library) const;

  std::filesystem::path build_tree_;
  std::set<std::string> left_out_;
};

/// Whether it is the folder of a target's object files, "src/CMakeFiles/bank.dir".
bool is_target(const std::string& library);

/// What a library of library_of() is called for users, and in `left_out`: "bank".
std::string name_of_library(const std::string& library);

}  // namespace hocket::check_hooks
