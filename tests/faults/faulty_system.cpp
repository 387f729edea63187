#include "faulty_system.hpp"

#include <bitset>
#include <cerrno>
#include <cstdarg>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hocket::faults {

namespace {

constexpr std::size_t kMostFiles = 1024;

struct SharedCounts {
  std::array<unsigned, kCalls> made;
  bool has_come;
};

// Plain data, because the functions below are called before and after everything else in the process.
constinit std::array<char, 512> watched_folder{};
constinit Fault awaited;
constinit SharedCounts* counts = nullptr;
constinit std::bitset<kMostFiles> is_watched;

bool is_in_folder(const char* path) {
  const std::size_t size = std::strlen(watched_folder.data());
  return size != 0 && std::strncmp(path, watched_folder.data(), size) == 0;
}

bool is_of_folder(int file) {
  return file >= 0 && static_cast<std::size_t>(file) < kMostFiles &&
         is_watched[static_cast<std::size_t>(file)];
}

/// Counts the call. Returns the error with which it is to fail, or 0.
int count(Call call) {
  const unsigned nth = ++counts->made[static_cast<std::size_t>(call)];
  const bool fails = awaited.nth != 0 && awaited.call == call &&
                     (nth == awaited.nth || (awaited.stays && nth > awaited.nth));
  counts->has_come |= fails;
  return fails ? awaited.error : 0;
}

/// Makes the call of the system, or fails.
template <class... Arguments>
long make(bool is_counted, Call call, long number, Arguments... arguments) {
  if (const int error = is_counted ? count(call) : 0; error != 0) {
    errno = error;
    return -1;
  }
  return ::syscall(number, arguments...);
}

}  // namespace

void share_counts() {
  void* const memory =
      ::mmap(nullptr, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  counts = static_cast<SharedCounts*>(memory);
}

void begin_faults(const std::string& folder, const Fault& fault) {
  std::memcpy(watched_folder.data(), folder.c_str(), folder.size() + 1);
  awaited = fault;
  *counts = {};
}

const std::array<unsigned, kCalls>& calls_made() {
  return counts->made;
}

bool has_come() {
  return counts->has_come;
}

}  // namespace hocket::faults

namespace hocket::faults {

// The linker has Hocket's calls come here: see CMakeLists.txt.
extern "C" {

int faulty_open(const char* path, int flags, ...) __asm__("__wrap_hocket_libc_open");
int faulty_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const bool is_in = is_in_folder(path);
  const long file = make(is_in, Call::open, SYS_openat, AT_FDCWD, path, flags, mode);
  if (file >= 0 && static_cast<std::size_t>(file) < kMostFiles)
    is_watched[static_cast<std::size_t>(file)] = is_in;
  return static_cast<int>(file);
}

ssize_t faulty_write(int file, const void* text, size_t size) __asm__("__wrap_hocket_libc_write");
ssize_t faulty_write(int file, const void* text, size_t size) {
  const int error = is_of_folder(file) ? count(Call::write) : 0;
  if (error == kShortWrite) size = size == 0 ? 0 : 1;
  if (error <= 0) return ::syscall(SYS_write, file, text, size);
  errno = error;
  return -1;
}

int faulty_flock(int file, int operation) __asm__("__wrap_hocket_libc_flock");
int faulty_flock(int file, int operation) {
  return static_cast<int>(make(is_of_folder(file), Call::flock, SYS_flock, file, operation));
}

int faulty_fsync(int file) __asm__("__wrap_hocket_libc_fsync");
int faulty_fsync(int file) {
  return static_cast<int>(make(is_of_folder(file), Call::fsync, SYS_fsync, file));
}

int faulty_fchmod(int file, mode_t mode) __asm__("__wrap_hocket_libc_fchmod");
int faulty_fchmod(int file, mode_t mode) {
  return static_cast<int>(make(is_of_folder(file), Call::fchmod, SYS_fchmod, file, mode));
}

int faulty_fchown(int file, uid_t owner, gid_t group) __asm__("__wrap_hocket_libc_fchown");
int faulty_fchown(int file, uid_t owner, gid_t group) {
  return static_cast<int>(make(is_of_folder(file), Call::fchown, SYS_fchown, file, owner, group));
}

/// As the system's, which closes the file even when it fails.
int faulty_close(int file) __asm__("__wrap_hocket_libc_close");
int faulty_close(int file) {
  const int error = is_of_folder(file) ? count(Call::close) : 0;
  if (file >= 0 && static_cast<std::size_t>(file) < kMostFiles)
    is_watched[static_cast<std::size_t>(file)] = false;
  const long result = ::syscall(SYS_close, file);
  if (error == 0) return static_cast<int>(result);
  errno = error;
  return -1;
}

int faulty_renameat2(int from_folder, const char* from, int to_folder, const char* to,
    unsigned flags) __asm__("__wrap_hocket_libc_renameat2");
int faulty_renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return static_cast<int>(
      make(is_in_folder(from), Call::renameat2, SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int faulty_link(const char* from, const char* to) __asm__("__wrap_hocket_libc_link");
int faulty_link(const char* from, const char* to) {
  return static_cast<int>(make(is_in_folder(from), Call::link, SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int faulty_rename(const char* from, const char* to) __asm__("__wrap_hocket_libc_rename");
int faulty_rename(const char* from, const char* to) {
  return static_cast<int>(
      make(is_in_folder(from), Call::rename, SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int faulty_unlink(const char* path) __asm__("__wrap_hocket_libc_unlink");
int faulty_unlink(const char* path) {
  return static_cast<int>(make(is_in_folder(path), Call::unlink, SYS_unlinkat, AT_FDCWD, path, 0));
}

int faulty_mkdir(const char* path, mode_t mode) __asm__("__wrap_hocket_libc_mkdir");
int faulty_mkdir(const char* path, mode_t mode) {
  return static_cast<int>(make(is_in_folder(path), Call::mkdir, SYS_mkdirat, AT_FDCWD, path, mode));
}

}  // extern "C"

}  // namespace hocket::faults
