#include "file_steps.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace hocket::file_steps {

namespace {

constexpr mode_t kForAll = 0666;  ///< as far as the process's mask lets it

/// Makes the call again while signals interrupt it, but not for ever. Returns what it returns.
template <class Call>
auto uninterrupted(Call call) {
  constexpr int kMostTimes = 1000;
  auto result = call();
  for (int n = 0; n < kMostTimes && result < 0 && errno == EINTR; ++n) result = call();
  return result;
}

/// 0, or the error number of the call.
template <class Call>
int error_of(Call call) {
  return uninterrupted(call) < 0 ? errno : 0;
}

/// Whether a call has failed because the file system does not know it.
bool is_unknown_there(int error) {
  return error == EINVAL || error == ENOSYS || error == EPERM || error == EOPNOTSUPP || error == EMLINK;
}

/// Takes the name with an empty file first, which only a crash right here would leave behind.
int give_name_without_links(const char* temporary, const char* name) {
  const int file =
      uninterrupted([&] { return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kForAll); });
  if (file < 0) return errno;
  ::close(file);
  const int error = replace(temporary, name);
  if (error != 0) remove(name);
  return error;
}

}  // namespace

int make(const char* temporary) {
  const int file =
      uninterrupted([&] { return ::open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kForAll); });
  if (file < 0) return -errno;
  static_cast<void>(::flock(file, LOCK_EX | LOCK_NB));  // not every file system has locks
  return file;
}

int put(int file, const char* text, std::size_t size) {
  while (size != 0) {
    const ssize_t written = uninterrupted([&] { return ::write(file, text, size); });
    if (written < 0) return errno;
    if (written == 0) return EIO;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

int finish(int file, Outlives what) {
  const int error = what == Outlives::power_cuts ? error_of([&] { return ::fsync(file); }) : 0;
  const bool is_closed = ::close(file) == 0 || errno == EINTR;  // after which Linux has closed it, too
  return error != 0 || is_closed ? error : errno;
}

int give_name(const char* temporary, const char* name) {
#if defined(RENAME_NOREPLACE)
  const int renaming =
      error_of([&] { return ::renameat2(AT_FDCWD, temporary, AT_FDCWD, name, RENAME_NOREPLACE); });
  if (!is_unknown_there(renaming)) return renaming;
#endif
  const int linking = error_of([&] { return ::link(temporary, name); });
  if (linking == 0) remove(temporary);
  if (!is_unknown_there(linking)) return linking;
  return give_name_without_links(temporary, name);
}

int replace(const char* temporary, const char* name) {
  return error_of([&] { return ::rename(temporary, name); });
}

void remove(const char* file) {
  static_cast<void>(error_of([&] { return ::unlink(file); }));
}

void sync_folder(const char* folder) {
  const int descriptor = uninterrupted([&] { return ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return;
  static_cast<void>(error_of([&] { return ::fsync(descriptor); }));
  ::close(descriptor);
}

const char* words_for(int error) {
  switch (error) {
    case ENOSPC:
      return "No space left on device";
    case EDQUOT:
      return "Disk quota exceeded";
    case EFBIG:
      return "File too large";
    case EROFS:
      return "Read-only file system";
    case EACCES:
      return "Permission denied";
    case EPERM:
      return "Operation not permitted";
    case EIO:
      return "Input/output error";
    case ENOENT:
      return "No such file or directory";
    case ENOTDIR:
      return "Not a directory";
    case EEXIST:
      return "File exists";
    case EINTR:
      return "Interrupted system call";
    case EXDEV:
      return "Invalid cross-device link";
    case EMFILE:
    case ENFILE:
      return "Too many open files";
    case ENAMETOOLONG:
      return "File name too long";
    case ELOOP:
      return "Too many levels of symbolic links";
    case ENOMEM:
      return "Cannot allocate memory";
    default:
      return "";
  }
}

const char* advice_on(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "make room there, or choose another folder";
    case ENOTDIR:
    case EEXIST:
      return "choose another folder: a part of this path is a file";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that can be written to";
    default:
      return "choose another folder";
  }
}

TooLargeIsAnError::TooLargeIsAnError() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &action, &previous_);
}

TooLargeIsAnError::~TooLargeIsAnError() {
  ::sigaction(SIGXFSZ, &previous_, nullptr);
}

}  // namespace hocket::file_steps
