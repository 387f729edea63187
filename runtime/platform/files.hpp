// The file system functions that Hocket uses.
//
// They do not use std::filesystem operations or streams: the object code of those is in the C++ library,
// which calls stat(), read() and the like by names that a C program may have given to functions of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::runtime::platform {

/// The target of the link at `path`, or empty.
std::string target_of_link(const std::filesystem::path& path);

/// The absolute path of `path`, with links resolved; empty if it does not exist.
std::filesystem::path real_path(const std::filesystem::path& path);

/// The absolute path of `path`, without "." and ".."; it need not exist.
std::filesystem::path absolute_path(const std::filesystem::path& path);

bool is_folder(const std::filesystem::path& path);

/// Makes the folder and its parent folders where they are missing. Returns 0 or an error number.
int make_folders(const std::filesystem::path& folder);

/// The contents of the folder except "." and "..", in no particular order; empty if it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// A file's bytes, read on demand.
class FileBytes {
 public:
  /// Holds no bytes if the file cannot be read.
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
