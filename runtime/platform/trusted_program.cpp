#include "trusted_program.hpp"

#include <array>
#include <climits>
#include <cstdio>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime::platform {

namespace {

bool is_of_user_or_root(const struct stat& it) {
  return it.st_uid == 0 || it.st_uid == geteuid();
}

bool can_only_they_write(const struct stat& it) {
  return is_of_user_or_root(it) && (it.st_mode & S_IWOTH) == 0;
}

}  // namespace

bool may_be_trusted(const char* path) {
  struct stat file {};
  struct stat link {};
  struct stat folder {};
  const char* const slash = std::strrchr(path, '/');
  if (path[0] != '/' || slash == nullptr) return false;
  std::array<char, PATH_MAX> folder_path;
  const int size =
      std::snprintf(folder_path.data(), folder_path.size(), "%.*s", static_cast<int>(slash - path + 1), path);
  if (size <= 0 || static_cast<std::size_t>(size) >= folder_path.size()) return false;
  return stat(path, &file) == 0 && can_only_they_write(file) &&  //
         lstat(path, &link) == 0 && is_of_user_or_root(link) &&  //
         stat(folder_path.data(), &folder) == 0 && can_only_they_write(folder);
}

}  // namespace hocket::runtime::platform
