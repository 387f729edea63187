#include "whole_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "../../runtime/platform/files.hpp"

namespace hocket {

namespace {

[[noreturn]] void throw_errno(int error) {
  throw std::system_error(error, std::generic_category());
}

// A file under a temporary name. The destructor removes it unless it has been given its real name.
class TemporaryFile {
 public:
  TemporaryFile(const std::filesystem::path& folder, std::string_view text) {
    static std::atomic<unsigned> made{0};
    int descriptor = -1;
    do {  // an earlier process with the same ID may have left a file
      path_ = folder / (".hocket-" + std::to_string(::getpid()) + "-" + std::to_string(++made) + ".tmp");
      descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor < 0) throw_errno(errno);
    int error = write_all(descriptor, text);
    if (error == 0 && ::fsync(descriptor) != 0) error = errno;
    if (::close(descriptor) != 0 && error == 0) error = errno;
    if (error != 0) {
      ::unlink(path_.c_str());
      throw_errno(error);
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  /// Gives the file a name that is not taken yet. Returns false if it is taken.
  bool take_name(const std::filesystem::path& name) {
#if defined(RENAME_NOREPLACE)
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) {
      path_.clear();
      return true;
    }
    if (errno == EEXIST) return false;
    if (errno != EINVAL && errno != ENOSYS) throw_errno(errno);
#endif
    // The file system cannot do this. Most of those support hard links.
    if (::link(path_.c_str(), name.c_str()) == 0) return true;
    if (errno == EEXIST) return false;
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK) throw_errno(errno);
    // The file system supports neither. Take the name with an empty file, which only a crash right here would
    // leave behind.
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) return false;
    if (descriptor < 0) throw_errno(errno);
    ::close(descriptor);
    replace(name);
    return true;
  }

  /// Gives the file a name and replaces any file of that name.
  void replace(const std::filesystem::path& name) {
    if (::rename(path_.c_str(), name.c_str()) != 0) throw_errno(errno);
    path_.clear();
  }

 private:
  static int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }

  std::filesystem::path path_;  ///< empty once it has its real name
};

// A name is stored in its folder, so a power cut can lose it unless the folder is on disk too. If a file
// system refuses to sync folders, nothing can be done about it; the file is complete in any case.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::filesystem::path write_new_file(const std::filesystem::path& folder,
    const std::function<std::filesystem::path(unsigned)>& name, std::string_view text) {
  TemporaryFile file(folder, text);
  for (unsigned n = 1;; ++n) {
    std::filesystem::path path = folder / name(n);
    if (!file.take_name(path)) continue;
    sync_folder(folder);
    return path;
  }
}

void replace_file(const std::filesystem::path& file, std::string_view text) {
  // A link stays a link: what it points to is replaced.
  std::filesystem::path target = runtime::platform::real_path(file);
  if (target.empty()) target = file;
  const std::filesystem::path folder =
      target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  TemporaryFile(folder, text).replace(target);
  sync_folder(folder);
}

}  // namespace hocket
