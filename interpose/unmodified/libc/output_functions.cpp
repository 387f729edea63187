// Functions that write into buffers of the program or take bytes from them: the sprintf family, and streams.
//
// Functions that return how much they have written are recorded afterwards. The text that a %s in a format
// refers to is read without being recorded.
#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "aborts.hpp"

using hocket::unmodified::fail_if_too_small;
using hocket::unmodified::is_from_body;
using hocket::unmodified::LibraryCall;

namespace {

constexpr std::size_t kUnlimited = ~std::size_t{0};

/// Records that a text of `length` characters, with its terminator, was printed into `room` bytes.
void has_printed(const void* caller, const char* to, int length, std::size_t room) {
  if (length < 0 || !is_from_body()) return;
  LibraryCall{caller}.writes(to, std::min(static_cast<std::size_t>(length) + 1, room));
}

/// Fails the execution, in a body, if the printed text does not fit into `room` bytes.
void fail_if_too_long(const char* function, std::size_t room, const char* format, va_list arguments) {
  if (room == kUnlimited || !is_from_body()) return;
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length >= 0) fail_if_too_small(function, static_cast<std::size_t>(length) + 1, room);
}

void has_filled(const void* caller, const void* buffer, ssize_t size) {
  if (size > 0 && is_from_body()) LibraryCall{caller}.writes(buffer, static_cast<std::size_t>(size));
}

}  // namespace

extern "C" {

int __vsprintf_chk(char* to, int flag, std::size_t room, const char* format, va_list arguments) noexcept;
int __vsnprintf_chk(
    char* to, std::size_t most, int flag, std::size_t room, const char* format, va_list arguments) noexcept;

#define HOCKET_CALLER __builtin_return_address(0)

int __wrap_vsnprintf(char* to, std::size_t room, const char* format, va_list arguments) {
  const int length = std::vsnprintf(to, room, format, arguments);
  has_printed(HOCKET_CALLER, to, length, room);
  return length;
}
int __wrap_snprintf(char* to, std::size_t room, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(to, room, format, arguments);
  va_end(arguments);
  has_printed(HOCKET_CALLER, to, length, room);
  return length;
}
int __wrap_vsprintf(char* to, const char* format, va_list arguments) {
  const int length = std::vsprintf(to, format, arguments);
  has_printed(HOCKET_CALLER, to, length, kUnlimited);
  return length;
}
int __wrap_sprintf(char* to, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsprintf(to, format, arguments);
  va_end(arguments);
  has_printed(HOCKET_CALLER, to, length, kUnlimited);
  return length;
}

// The same with -D_FORTIFY_SOURCE.
int __wrap___vsnprintf_chk(
    char* to, std::size_t most, int flag, std::size_t room, const char* format, va_list arguments) {
  if (is_from_body()) fail_if_too_small("snprintf", most, room);
  const int length = __vsnprintf_chk(to, most, flag, room, format, arguments);
  has_printed(HOCKET_CALLER, to, length, most);
  return length;
}
int __wrap___snprintf_chk(char* to, std::size_t most, int flag, std::size_t room, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (is_from_body()) fail_if_too_small("snprintf", most, room);
  const int length = __vsnprintf_chk(to, most, flag, room, format, arguments);
  va_end(arguments);
  has_printed(HOCKET_CALLER, to, length, most);
  return length;
}
int __wrap___vsprintf_chk(char* to, int flag, std::size_t room, const char* format, va_list arguments) {
  fail_if_too_long("sprintf", room, format, arguments);
  const int length = __vsprintf_chk(to, flag, room, format, arguments);
  has_printed(HOCKET_CALLER, to, length, kUnlimited);
  return length;
}
int __wrap___sprintf_chk(char* to, int flag, std::size_t room, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_if_too_long("sprintf", room, format, arguments);
  const int length = __vsprintf_chk(to, flag, room, format, arguments);
  va_end(arguments);
  has_printed(HOCKET_CALLER, to, length, kUnlimited);
  return length;
}

HOCKET_WRAPPED(int, puts, (const char* text), (text), call.reads(text, std::strlen(text) + 1))
HOCKET_WRAPPED(
    int, fputs, (const char* text, std::FILE* file), (text, file), call.reads(text, std::strlen(text) + 1))
HOCKET_WRAPPED(std::size_t, fwrite, (const void* items, std::size_t size, std::size_t count, std::FILE* file),
    (items, size, count, file), call.reads(items, size* count))

std::size_t __wrap_fread(void* items, std::size_t size, std::size_t count, std::FILE* file) {
  hocket::unmodified::WatchedPages::will_be_written(items, size * count);
  const std::size_t found = std::fread(items, size, count, file);
  has_filled(HOCKET_CALLER, items, static_cast<ssize_t>(found * size));
  return found;
}
char* __wrap_fgets(char* line, int room, std::FILE* file) {
  hocket::unmodified::WatchedPages::will_be_written(line, static_cast<std::size_t>(std::max(room, 0)));
  char* const found = std::fgets(line, room, file);
  if (found != nullptr) has_filled(HOCKET_CALLER, line, static_cast<ssize_t>(std::strlen(line) + 1));
  return found;
}
}  // extern "C"
