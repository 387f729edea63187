#include "project_libraries.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hocket::check_hooks {

namespace {

constexpr std::string_view kFolderOfTarget = ".dir";

/// Whether this is a test framework or Hocket. Projects build them together with their own libraries, but
/// none of their code is under test.
bool is_for_tests(std::string_view name) {
  constexpr std::array<std::string_view, 13> kNames{"gtest", "gtest_main", "gmock", "gmock_main", "benchmark",
      "benchmark_main", "Catch2", "Catch2Main", "hocket", "hocket_gtest", "hocket_gtest_main",
      "hocket_new_delete", "hocket_whole_program_object"};
  const auto is_one = [&](std::string_view it) {
    return std::find(kNames.begin(), kNames.end(), it) != kNames.end();
  };
  return is_one(name) ||
         (name.ends_with('d') && is_one(name.substr(0, name.size() - 1)));  // built for debugging
}

/// Whether package managers or FetchContent build third-party code in this folder.
bool is_for_packages(std::string_view folder) {
  return folder == "_deps" || folder == "vcpkg_installed" || folder.ends_with("-prefix");
}

}  // namespace

bool is_target(const std::string& library) {
  return library.ends_with(kFolderOfTarget);
}

std::string name_of_library(const std::string& library) {
  std::string name = std::filesystem::path(library).filename();
  if (is_target(name)) return name.substr(0, name.size() - kFolderOfTarget.size());
  if (name.starts_with("lib")) name.erase(0, std::string_view("lib").size());
  const std::size_t shared = name.find(".so");
  return name.substr(0, shared != std::string::npos ? shared : name.rfind(".a"));
}

ProjectLibraries::ProjectLibraries(const std::filesystem::path& build_tree, std::set<std::string> left_out)
    : build_tree_(std::filesystem::weakly_canonical(build_tree)), left_out_(std::move(left_out)) {}

std::string ProjectLibraries::library_of(const std::string& file) const {
  std::string library = file;
  if (const std::size_t member = file.rfind('('); member != std::string::npos && file.ends_with(')')) {
    library.erase(member);
  } else if (file.ends_with(".o")) {
    const std::size_t begin = file.rfind("CMakeFiles/");
    const std::size_t end = file.find(std::string(kFolderOfTarget) + '/', begin);
    if (end == std::string::npos) return {};
    library.erase(end + kFolderOfTarget.size());
  }
  const std::string name = name_of_library(library);
  const bool is_left_out =
      left_out_.contains(name) || left_out_.contains(std::filesystem::path(library).filename());
  return is_left_out || is_for_tests(name) || !is_built_here(library) ? std::string() : library;
}

bool ProjectLibraries::is_built_here(const std::filesystem::path& library) const {
  const std::filesystem::path path = std::filesystem::weakly_canonical(std::filesystem::absolute(library));
  const auto [rest_of_tree, rest] =
      std::mismatch(build_tree_.begin(), build_tree_.end(), path.begin(), path.end());
  return rest_of_tree == build_tree_.end() &&
         std::none_of(rest, path.end(),
             [](const std::filesystem::path& part) { return is_for_packages(part.native()); });
}

}  // namespace hocket::check_hooks
