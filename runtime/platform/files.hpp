// What Hocket asks the system of files and folders.
//
// Not by std::filesystem or streams: their object code is in the C++ library, which calls stat(), read() and
// the like by names that a program of C may have given to functions of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::runtime::platform {

/// What the link at `path` says, or empty.
std::string target_of_link(const std::filesystem::path& path);

/// `path` seen from the root, without links; empty if there is nothing.
std::filesystem::path real_path(const std::filesystem::path& path);

/// `path` seen from the root, without "." and "..", whether there is something or not.
std::filesystem::path absolute_path(const std::filesystem::path& path);

bool is_folder(const std::filesystem::path& path);

/// Makes the folder and those that it lies in, where they are missing. Returns 0 or the number of an error.
int make_folders(const std::filesystem::path& folder);

/// What is in the folder but "." and "..", in no order; nothing if it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// A file's bytes, read as they are needed.
class FileBytes {
 public:
  /// None if the file cannot be read.
  explicit FileBytes(const std::filesystem::path& file);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {begin_, size_}; }

 private:
  const char* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hocket::runtime::platform
