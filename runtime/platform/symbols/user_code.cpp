#include "user_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

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
  [[nodiscard]] bool begins_with(const Path& other, std::size_t names) const {
    return names <= size_ && std::equal(other.names_.begin(), other.names_.begin() + names, names_.begin());
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

/// Whether the path is in Hocket's own source tree, if the compiler was given an absolute path.
bool is_in_this_tree(const Path& path) {
  constexpr std::size_t kNamesBelow = 4;  // runtime/platform/symbols/user_code.cpp
  const Path here(__FILE__);
  if (!here.is_absolute() || !path.is_absolute() || here.size() < kNamesBelow) return false;
  const std::size_t root = here.size() - kNamesBelow;
  return path.begins_with(here, root) && (is_folder_of_hocket(path[root]) || path[root] == "cmake");
}

}  // namespace

bool holds_user_code(std::string_view file) {
  const Path path(file);
  if (path.size() == 0) return false;
  const bool is_of_system =
      path.is_absolute() && path[0] == "usr" && (path[1] == "include" || path[1] == "lib");
  if (is_of_system || is_in_this_tree(path)) return false;
  for (std::size_t n = 0; n + 2 < path.size(); ++n) {  // the last name is the file name
    const bool is_of_standard_library = path[n] == "include" && path[n + 1] == "c++";
    const bool is_header_of_hocket = path[n] == "hocket" && is_folder_of_hocket(path[n + 1]);
    if (is_of_standard_library || is_header_of_hocket) return false;
  }
  return true;
}

}  // namespace hocket::runtime::platform
