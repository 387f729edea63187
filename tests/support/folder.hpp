// A folder that belongs to one test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace hocket::test {

/// A new empty folder with a name that no other process uses. At the end it is removed with its contents.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hocket-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hocket::test
