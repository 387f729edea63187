#include "standard_input.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include <poll.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"

namespace hocket::unmodified {

namespace {

constexpr int kPatience = 1000;                       ///< milliseconds to wait for input from a pipe
constexpr std::size_t kMost = std::size_t{1} << 30U;  ///< the most bytes that are kept of it

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool is_pipe() {
  struct stat status {};
  return fstat(STDIN_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

bool has_come() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, kPatience) > 0;
}

void write_all(int file, const char* from, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, from, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("hocket: cannot keep what comes through standard input");
    from += written;
    size -= static_cast<std::size_t>(written);
  }
}

/// Replaces the pipe with a file that contains everything that arrives through it.
void keep_pipe() {
  const int file = memfd_create("standard input", MFD_CLOEXEC);
  if (file < 0) fail("hocket: cannot keep what comes through standard input");
  std::size_t size = 0;
  for (std::array<char, 65536> part{};;) {
    const ssize_t got = read(STDIN_FILENO, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("hocket: cannot read standard input");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > kMost) {
      throw std::runtime_error(
          "hocket: more than 1 GB came through the pipe to standard input: give the program a file (< file)");
    }
    write_all(file, part.data(), static_cast<std::size_t>(got));
  }
  lseek(file, 0, SEEK_SET);
  dup2(file, STDIN_FILENO);
  close(file);
}

}  // namespace

StandardInput::StandardInput() {
  if (is_pipe()) {
    if (has_come()) {
      keep_pipe();
    } else {
      std::fprintf(stderr,
          "hocket: nothing has come through the pipe to standard input for a second: what comes later will "
          "be read by one execution only; if the program reads it, give it a file (< file)\n");
    }
  }
  begin_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

void StandardInput::rewind() const {
  if (begin_ < 0) return;
  const runtime::OwnMemory own;
  std::cin.clear();
  std::cin.rdbuf()->pubseekpos(begin_, std::ios_base::in);  // also discards what has been read ahead
  __fpurge(stdin);
  std::clearerr(stdin);
  lseek(STDIN_FILENO, begin_, SEEK_SET);
}

}  // namespace hocket::unmodified
