// Printing without allocation, for signal handlers and for a process that is about to end.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <unistd.h>

namespace hocket::signal_safe {

/// Returns whether all of it could be written.
inline bool put(int file, const char* text, std::size_t size) {
  while (size != 0) {
    const ssize_t n = write(file, text, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}
inline bool put(int file, const char* text) {
  return put(file, text, std::strlen(text));
}

/// Writes the digits of `number` to the end of `room`. Returns where they begin.
template <std::size_t Size>
char* write_digits(std::uint64_t number, std::array<char, Size>& room) {
  char* digit = room.data() + room.size();
  do {
    *--digit = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return digit;
}

inline bool put_number(int file, std::uint64_t number) {
  std::array<char, 20> room;
  const char* digits = write_digits(number, room);
  return put(file, digits, static_cast<std::size_t>(room.data() + room.size() - digits));
}

}  // namespace hocket::signal_safe
