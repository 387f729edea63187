#include "project_libraries.hpp"

#include <algorithm>
#include <array>
#include <fstream>
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

namespace {

constexpr std::string_view kSpace = " \t";
constexpr std::string_view kLoad = "LOAD ";
constexpr std::string_view kOutput = "OUTPUT(";  // and "program elf64-x86-64)"

/// "lib/libqueue.so", "lib/libqueue.so.1".
bool is_shared_library(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

/// Takes the first word off the line.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

// " .text._ZN5Queue3popEv", and behind it or on the next line "0x0000000000001190  0x41 queue.o".
LinkMap read_link_map(const std::filesystem::path& map) {
  LinkMap read;
  std::ifstream in(map);
  enum class Part { head, left_out, taken } part = Part::head;
  std::string name;
  for (std::string line; std::getline(in, line);) {
    if (line == "Discarded input sections") part = Part::left_out;
    if (line == "Linker script and memory map") part = Part::taken;
    if (part == Part::head) continue;
    std::string_view rest = line;
    if (line.starts_with(kLoad) && is_shared_library(rest.substr(kLoad.size())))
      read.shared_libraries.push_back(line.substr(kLoad.size()));
    if (line.starts_with(kOutput)) {
      const std::size_t end = std::max(line.rfind(' '), kOutput.size());
      read.output = line.substr(kOutput.size(), end - kOutput.size());
    }
    if (line.starts_with(" .")) {
      name = take_word(rest);
    } else if (!line.starts_with("  ")) {
      name.clear();
    }
    if (!name.starts_with(".text") || rest.find_first_not_of(kSpace) == std::string_view::npos) continue;
    const std::string_view address = take_word(rest);
    const std::string_view size = take_word(rest);
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
    if (address.starts_with("0x") && size.starts_with("0x") && !rest.empty())
      read.sections.push_back({name, std::string(rest), part == Part::taken, size == "0x0"});
    name.clear();
  }
  return read;
}

}  // namespace hocket::check_hooks
