#include "user_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace hocket::runtime::platform {

namespace {

/// The names in a path, without "." and "..".
class Path {
 public:
  explicit Path(std::string_view text) : is_absolute_(text.starts_with('/')) {
    while (!text.empty() && size_ < names_.size()) {
      const std::size_t end = std::min(text.find('/'), text.size());
      add(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  [[nodiscard]] bool is_absolute() const { return is_absolute_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t n) const {
    return n < size_ ? names_[n] : std::string_view{};
  }

 private:
  void add(std::string_view name) {
    if (name.empty() || name == ".") return;
    if (name == ".." && size_ != 0 && names_[size_ - 1] != "..") {
      --size_;
    } else {
      names_[size_++] = name;
    }
  }

  std::array<std::string_view, 64> names_;
  std::size_t size_ = 0;
  bool is_absolute_;
};

bool is_folder_of_hocket(std::string_view name) {
  return name == "runtime" || name == "interpose" || name == "scheduler" || name == "libstdcxx";
}

// What is installed must not tell where it was built: of Hocket's source tree it has a number, and the names
// of its files.

constexpr std::uint64_t number_of(std::string_view text, std::uint64_t number) {
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  for (const char c : text) number = (number ^ static_cast<unsigned char>(c)) * kPrime;  // FNV-1a
  return number;
}
constexpr std::uint64_t kNumberOfNothing = 0xcbf29ce484222325U;

#if defined(HOCKET_SOURCE_DIR)
constexpr std::uint64_t kNumberOfTree = number_of(HOCKET_SOURCE_DIR, kNumberOfNothing);
constexpr std::string_view kFilesOfTree =
#include <hocket_files.inc>
    ;
#else
constexpr std::uint64_t kNumberOfTree = 0;
constexpr std::string_view kFilesOfTree;
#endif

/// Whether an absolute path is in a folder of Hocket's source tree.
bool is_below_tree(const Path& path) {
  std::uint64_t number = kNumberOfNothing;
  for (std::size_t n = 0; n < path.size(); ++n) {
    if (number == kNumberOfTree && (is_folder_of_hocket(path[n]) || path[n] == "cmake")) return true;
    number = number_of(path[n], number_of("/", number));
  }
  return false;
}

/// Whether a file of Hocket's tree has a relative path, from whatever folder. Compilers have such paths where
/// they were given them, as by compiler caches.
bool is_file_of_tree(const Path& path) {
  std::size_t first = 0;
  while (path[first] == "..") ++first;
  if (!is_folder_of_hocket(path[first])) return false;
  std::array<char, 512> line{'\n'};
  std::size_t size = 0;
  for (std::size_t n = first; n < path.size(); ++n) {
    if (size + path[n].size() + 2 > line.size()) return false;
    line[size++] = n == first ? '\n' : '/';
    size = static_cast<std::size_t>(
        std::copy(path[n].begin(), path[n].end(), line.begin() + size) - line.begin());
  }
  line[size++] = '\n';
  return kFilesOfTree.find({line.data(), size}) != std::string_view::npos;
}

/// Whether the path is that of a header of libstdc++ or libc++. `n` is the place of the folder "include".
bool is_header_of_library(const Path& path, std::size_t n) {
  const bool is_of_machine = path[n + 1].find("-linux-") != std::string_view::npos;
  return path[is_of_machine ? n + 2 : n + 1] == "c++";  // x86_64-linux-gnu/c++/12/bits
}

/// Whether the path is that of a test framework, whose assertions stand for the lines that use them:
/// installed, copied as a single file, or built from its source.
bool is_of_framework(const Path& path) {
  const std::string_view file = path[path.size() - 1];
  for (const std::string_view single :
      {"doctest.h", "catch.hpp", "catch_amalgamated.hpp", "catch_amalgamated.cpp"}) {
    if (file == single) return true;
  }
  for (std::size_t n = 0; n + 2 < path.size(); ++n) {
    const std::string_view folder = path[n + 1];
    const bool is_googletest = folder == "gtest" || folder == "gmock";
    if (path[n] == "include" && (is_googletest || folder == "catch2" || folder == "doctest")) return true;
    if (path[n] == "src" && folder == "catch2") return true;
    if ((path[n] == "googletest" || path[n] == "googlemock") && folder == "src") return true;
  }
  return false;
}

/// Whether the path is that of a header of the compiler or of the C library, whose functions are inlined into
/// their callers.
bool is_of_system(const Path& path) {
  if (!path.is_absolute() || path[0] != "usr") return false;
  const bool is_of_machine = path[2].find("-linux-") != std::string_view::npos;
  const std::string_view folder = path[is_of_machine ? 3 : 2];
  const bool is_of_libc =
      path[1] == "include" && (folder == "bits" || folder == "sys" || folder == "pthread.h");
  return path[1] == "lib" || is_of_libc;
}

}  // namespace

bool is_of_hocket(std::string_view file) {
  const Path path(file);
  if (path.size() == 0) return false;
  for (std::size_t n = 0; n + 2 < path.size(); ++n) {  // the last name is the file name
    if (path[n] == "hocket" && is_folder_of_hocket(path[n + 1])) return true;
  }
  return path.is_absolute() ? is_below_tree(path) : is_file_of_tree(path);
}

bool holds_user_code(std::string_view file) {
  const Path path(file);
  if (path.size() == 0 || is_of_system(path) || is_of_framework(path) || is_of_hocket(file)) return false;
  for (std::size_t n = 0; n + 2 < path.size(); ++n) {
    if (path[n] == "include" && is_header_of_library(path, n)) return false;
  }
  return true;
}

}  // namespace hocket::runtime::platform
