// Functions of libc that return memory which the caller frees: strdup and similar ones.
//
// libc's own versions would allocate from the system's heap, as libc does for itself, and errors there are
// not seen. So they are reimplemented here with malloc, which in a body allocates the body's blocks.
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "../host/next_symbol.hpp"
#include "../libstdcxx/library_call.hpp"

extern "C" {
void __libc_free(void* memory);
int __vasprintf_chk(char** result, int flag, const char* format, va_list arguments) noexcept;
int __asprintf_chk(char** result, int flag, const char* format, ...) noexcept;
// Defined by its symbol name, because Clang otherwise confuses it with the inline definition in the system's
// header.
ssize_t hocket_getline(char** line, std::size_t* room, std::FILE* file) __asm__("getline");
}

namespace hocket::unmodified {

namespace {

#define HOCKET_CALLER __builtin_return_address(0)

/// Duplicates the first `length` characters of `text`. To determine the length, `looked_at` bytes of it were
/// read.
char* duplicate(const char* text, std::size_t length, std::size_t looked_at, const void* caller) {
  if (is_from_body()) LibraryCall{caller}.reads(text, looked_at);
  auto* const made = static_cast<char*>(std::malloc(length + 1));
  if (made == nullptr) return nullptr;
  std::memcpy(made, text, length);
  made[length] = 0;
  return made;
}

int print(char** result, const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  char* const made =
      length < 0 ? nullptr : static_cast<char*>(std::malloc(static_cast<std::size_t>(length) + 1));
  const bool is_made = made != nullptr;
  if (is_made) {
    std::vsnprintf(made, static_cast<std::size_t>(length) + 1, format, again);
    *result = made;
  }
  va_end(again);
  return is_made ? length : -1;
}

// libc reads the line into memory of its own; from there it is copied into the body's.
ssize_t read_line(char** line, std::size_t* room, int end, std::FILE* file, const void* caller) {
  char* read = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = HOCKET_REAL(getdelim)(&read, &capacity, end, file);
  if (length >= 0) {
    const std::size_t size = static_cast<std::size_t>(length) + 1;
    if (*line == nullptr || *room < size) {
      constexpr std::size_t kLeast = 120;  // the same as in libc
      const std::size_t grown = std::max(size, kLeast);
      void* const moved = std::realloc(*line, grown);
      if (moved == nullptr) {
        __libc_free(read);
        return -1;
      }
      *line = static_cast<char*>(moved);
      *room = grown;
    }
    LibraryCall{caller}.writes(*line, size);
    std::memcpy(*line, read, size);
  }
  __libc_free(read);
  return length;
}

char* resolve(const char* path, char* resolved, const void* caller) {
  if (is_from_body() && path != nullptr) LibraryCall{caller}.reads(path, std::strlen(path) + 1);
  if (resolved != nullptr) return HOCKET_REAL(realpath)(path, resolved);
  std::array<char, PATH_MAX> buffer;
  if (HOCKET_REAL(realpath)(path, buffer.data()) == nullptr) return nullptr;
  return duplicate(buffer.data(), std::strlen(buffer.data()), 0, caller);
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

char* strdup(const char* text) noexcept {
  const std::size_t length = std::strlen(text);
  return duplicate(text, length, length + 1, HOCKET_CALLER);
}
char* strndup(const char* text, std::size_t most) noexcept {
  const std::size_t length = strnlen(text, most);
  return duplicate(text, length, std::min(length + 1, most), HOCKET_CALLER);
}

int vasprintf(char** result, const char* format, va_list arguments) noexcept {
  return print(result, format, arguments);
}
int asprintf(char** result, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int length = print(result, format, arguments);
  va_end(arguments);
  return length;
}
// The same with -D_FORTIFY_SOURCE.
int __vasprintf_chk(char** result, int /*flag*/, const char* format, va_list arguments) noexcept {
  return print(result, format, arguments);
}
int __asprintf_chk(char** result, int /*flag*/, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int length = print(result, format, arguments);
  va_end(arguments);
  return length;
}

ssize_t getdelim(char** line, std::size_t* room, int end, std::FILE* file) {
  HOCKET_ENTRY_WITHOUT_STEP(getdelim, line, room, end, file);
  return read_line(line, room, end, file, HOCKET_CALLER);
}
ssize_t __getdelim(char** line, std::size_t* room, int end, std::FILE* file) {
  HOCKET_ENTRY_WITHOUT_STEP(getdelim, line, room, end, file);
  return read_line(line, room, end, file, HOCKET_CALLER);
}
ssize_t hocket_getline(char** line, std::size_t* room, std::FILE* file) {
  HOCKET_ENTRY_WITHOUT_STEP(getdelim, line, room, '\n', file);
  return read_line(line, room, '\n', file, HOCKET_CALLER);
}

char* realpath(const char* path, char* resolved) noexcept {
  return resolve(path, resolved, HOCKET_CALLER);
}

}  // extern "C"
