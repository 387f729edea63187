#include "whole_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../runtime/platform/files.hpp"
#include "file_steps.hpp"

namespace hocket {

namespace {

constexpr std::string_view kBegin = ".hocket-";
constexpr std::string_view kEnd = ".tmp";

/// The process that has named a file so; 0 if it is no temporary name.
pid_t process_in(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd) || name.size() < kBegin.size() + kEnd.size())
    return 0;
  name.remove_prefix(kBegin.size());
  name.remove_suffix(kEnd.size());
  pid_t process = 0;
  unsigned n = 0;
  const char* const end = name.data() + name.size();
  const auto [hyphen, error] = std::from_chars(name.data(), end, process);
  if (error != std::errc{} || hyphen == end || *hyphen != '-') return 0;
  const auto [rest, other_error] = std::from_chars(hyphen + 1, end, n);
  return other_error == std::errc{} && rest == end && process > 0 ? process : 0;
}

bool is_gone(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Removes the file unless its process, which may be out of sight in another container, still has it locked.
void remove_unless_locked(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat status {};
  const bool is_own = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  if (is_own && ::flock(file, LOCK_EX | LOCK_NB) == 0) file_steps::remove(path.c_str());
  ::close(file);
}

void throw_if(int error) {
  if (error != 0) throw std::system_error(error, std::generic_category());
}

// A file under a temporary name. The destructor removes it unless it has been given its real name.
class TemporaryFile {
 public:
  /// `like`: the file that it is going to replace, whose rights and owner it gets, or nullptr.
  TemporaryFile(const std::filesystem::path& folder, std::string_view text, const struct stat* like,
      file_steps::Outlives what) {
    static std::atomic<unsigned> made{0};
    int descriptor = -1;
    do {  // an earlier process with the same ID may have left a file
      path_ = folder / temporary_name(++made);
      descriptor = file_steps::make(path_.c_str());
    } while (descriptor == -EEXIST);
    if (descriptor < 0) throw_if(-descriptor);
    if (like != nullptr) make_like(descriptor, *like);
    int error = file_steps::put(descriptor, text.data(), text.size());
    const int error_at_end = file_steps::finish(descriptor, what);
    if (error == 0) error = error_at_end;
    if (error == 0) return;
    file_steps::remove(path_.c_str());
    throw_if(error);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) file_steps::remove(path_.c_str());
  }

  /// Gives the file a name that is not taken yet. Returns false if it is taken.
  bool take_name(const std::filesystem::path& name) {
    const int error = file_steps::give_name(path_.c_str(), name.c_str());
    if (error == EEXIST) return false;
    throw_if(error);
    path_.clear();
    return true;
  }

  /// Gives the file a name and replaces any file of that name.
  void replace(const std::filesystem::path& name) {
    throw_if(file_steps::replace(path_.c_str(), name.c_str()));
    path_.clear();
  }

 private:
  /// Some file systems have no rights and owners, and only a superuser can give files away.
  static void make_like(int descriptor, const struct stat& like) {
    static_cast<void>(!::fchown(descriptor, like.st_uid, like.st_gid));
    constexpr mode_t kRights = 07777;
    static_cast<void>(!::fchmod(descriptor, like.st_mode & kRights));
  }

  std::filesystem::path path_;  ///< empty once it has its real name
};

}  // namespace

std::string temporary_name(unsigned n) {
  return std::string(kBegin) + std::to_string(::getpid()) + "-" + std::to_string(n) + std::string(kEnd);
}

void remove_leftovers(const std::filesystem::path& folder) {
  for (const std::string& name : runtime::platform::names_in(folder)) {
    const pid_t process = process_in(name);
    if (process != 0 && is_gone(process)) remove_unless_locked(folder / name);
  }
}

std::filesystem::path write_new_file(const std::filesystem::path& folder,
    const std::function<std::filesystem::path(unsigned)>& name, std::string_view text) {
  const file_steps::TooLargeIsAnError guard;
  TemporaryFile file(folder, text, nullptr, file_steps::Outlives::power_cuts);
  for (unsigned n = 1;; ++n) {
    std::filesystem::path path = folder / name(n);
    if (!file.take_name(path)) continue;
    file_steps::sync_folder(folder.c_str());
    return path;
  }
}

namespace {

/// What is no regular file, such as a pipe or a device, stays what it is.
void write_into(const std::filesystem::path& target, std::string_view text) {
  const int descriptor = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) throw_if(errno);
  const int error = file_steps::put(descriptor, text.data(), text.size());
  ::close(descriptor);
  throw_if(error);
}

}  // namespace

bool may_be_replaced(const std::filesystem::path& file, std::string_view text) {
  constexpr std::size_t kCompared = 15;  // "<!doctype html>", and more than an object and its first name need
  struct stat it {};
  if (::stat(file.c_str(), &it) != 0 || !S_ISREG(it.st_mode) || it.st_size == 0) return true;
  std::string found(4 * kCompared, '\0');
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t size = ::read(descriptor, found.data(), found.size());
  ::close(descriptor);
  found.resize(static_cast<std::size_t>(std::max(size, ssize_t{0})));
  std::string wanted(text.substr(0, 4 * kCompared));
  for (std::string* const each : {&found, &wanted}) {
    std::erase_if(*each, [](char c) { return c == ' ' || c == '\n'; });
    each->resize(std::min(each->size(), kCompared));
  }
  return found == wanted;
}

void replace_file(const std::filesystem::path& file, std::string_view text, file_steps::Outlives what) {
  const file_steps::TooLargeIsAnError guard;
  // A link stays a link: what it points to is replaced.
  std::filesystem::path target = runtime::platform::real_path(file);
  if (target.empty()) target = file;
  const std::filesystem::path folder =
      target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  struct stat replaced {};
  const bool is_there = ::stat(target.c_str(), &replaced) == 0;
  if (is_there && !S_ISREG(replaced.st_mode)) return write_into(target, text);
  TemporaryFile(folder, text, is_there ? &replaced : nullptr, what).replace(target);
  if (what == file_steps::Outlives::power_cuts) file_steps::sync_folder(folder.c_str());
}

}  // namespace hocket
