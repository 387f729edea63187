#include "files.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime::platform {

namespace fs = std::filesystem;

std::string target_of_link(const fs::path& path) {
  std::array<char, PATH_MAX> text;
  const ssize_t size = readlink(path.c_str(), text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string{};
}

fs::path real_path(const fs::path& path) {
  std::array<char, PATH_MAX> text;
  return realpath(path.c_str(), text.data()) != nullptr ? fs::path(text.data()) : fs::path{};
}

fs::path absolute_path(const fs::path& path) {
  if (path.is_absolute()) return path.lexically_normal();
  std::array<char, PATH_MAX> here;
  if (getcwd(here.data(), here.size()) == nullptr) return path.lexically_normal();
  return (fs::path(here.data()) / path).lexically_normal();
}

bool is_folder(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

int make_folders(const fs::path& folder) {
  if (folder.empty() || is_folder(folder)) return 0;
  const fs::path parent = folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path();
  if (const int error = make_folders(parent); error != 0) return error;
  constexpr mode_t kForAll = 0777;
  if (mkdir(folder.c_str(), kForAll) == 0) return 0;
  const int error = errno;
  if (is_folder(folder)) return 0;
  return error == EEXIST ? ENOTDIR : error;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  DIR* const opened = opendir(folder.c_str());
  if (opened == nullptr) return names;
  while (const dirent* const entry = readdir(opened)) {
    const std::string_view name(static_cast<const char*>(entry->d_name));
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(opened);
  return names;
}

FileBytes::FileBytes(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped != MAP_FAILED) {
      begin_ = static_cast<const char*>(mapped);
      size_ = size;
    }
  }
  close(descriptor);
}

FileBytes::~FileBytes() {
  if (begin_ != nullptr) munmap(const_cast<char*>(begin_), size_);
}

}  // namespace hocket::runtime::platform
