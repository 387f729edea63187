// A place for files that the test program writes for this process.
#pragma once

#include <filesystem>
#include <string>

namespace hocket::tool {

/// The text of a file; empty if there is no such file.
std::string text_of(const std::filesystem::path& file);

/// A folder that exists as long as the object does.
class TemporaryFolder {
 public:
  /// Throws UsageError if no folder can be made.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hocket::tool
