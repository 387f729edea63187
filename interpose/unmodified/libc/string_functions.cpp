// The functions of <cstring>, and qsort: which bytes each of them reads and writes.
//
// Where the standard does not say how far a function reads, it is assumed to read no more than it needs to
// determine its result. With -D_FORTIFY_SOURCE, calls become calls of the functions whose names end in _chk.
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <strings.h>

#include "../libstdcxx/library_call.hpp"
#include "aborts.hpp"

namespace {

using hocket::unmodified::fail_if_too_small;

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

/// The size of a text with its terminator, but at most `most` bytes.
std::size_t bytes_of(const char* text, std::size_t most = kAny) {
  const std::size_t length = strnlen(text, most);
  return length < most ? length + 1 : most;
}

/// The size from `begin` up to and including `found`, or `all` if nothing was found.
std::size_t bytes_until(const void* begin, const void* found, std::size_t all) {
  if (found == nullptr) return all;
  return static_cast<std::size_t>(static_cast<const char*>(found) - static_cast<const char*>(begin)) + 1;
}

/// The number of bytes of each of two texts that have to be read to compare them.
std::size_t bytes_compared(const char* a, const char* b, std::size_t most = kAny) {
  std::size_t same = 0;
  while (same < most && a[same] == b[same] && a[same] != 0) ++same;
  return same < most ? same + 1 : most;
}
std::size_t bytes_compared_without_case(const char* a, const char* b, std::size_t most = kAny) {
  const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  std::size_t same = 0;
  while (same < most && lower(a[same]) == lower(b[same]) && a[same] != 0) ++same;
  return same < most ? same + 1 : most;
}

}  // namespace

extern "C" {

void* __memcpy_chk(void* to, const void* from, std::size_t size, std::size_t room) noexcept;
void* __mempcpy_chk(void* to, const void* from, std::size_t size, std::size_t room) noexcept;
void* __memmove_chk(void* to, const void* from, std::size_t size, std::size_t room) noexcept;
void* __memset_chk(void* to, int byte, std::size_t size, std::size_t room) noexcept;
char* __strcpy_chk(char* to, const char* from, std::size_t room) noexcept;
char* __stpcpy_chk(char* to, const char* from, std::size_t room) noexcept;
char* __strcat_chk(char* to, const char* from, std::size_t room) noexcept;
char* __strncpy_chk(char* to, const char* from, std::size_t most, std::size_t room) noexcept;
char* __strncat_chk(char* to, const char* from, std::size_t most, std::size_t room) noexcept;

#define HOCKET_COPY(function)                                                                       \
  HOCKET_WRAPPED(void*, function, (void* to, const void* from, std::size_t size), (to, from, size), \
      call.copies(to, from, size))                                                                  \
  HOCKET_WRAPPED(void*, __##function##_chk,                                                         \
      (void* to, const void* from, std::size_t size, std::size_t room), (to, from, size, room), {   \
        fail_if_too_small(#function, size, room);                                                   \
        call.copies(to, from, size);                                                                \
      })
HOCKET_COPY(memcpy)
HOCKET_COPY(mempcpy)
HOCKET_COPY(memmove)

HOCKET_WRAPPED(void*, memset, (void* to, int byte, std::size_t size), (to, byte, size), call.writes(to, size))
HOCKET_WRAPPED(
    void*, __memset_chk, (void* to, int byte, std::size_t size, std::size_t room), (to, byte, size, room), {
      fail_if_too_small("memset", size, room);
      call.writes(to, size);
    })

HOCKET_OVERRIDDEN(void, bzero, (void* to, std::size_t size) noexcept, (to, size), call.writes(to, size))
HOCKET_OVERRIDDEN(void, bcopy, (const void* from, void* to, std::size_t size) noexcept, (from, to, size),
    call.copies(to, from, size))

#define HOCKET_COMPARISON \
  {                       \
    call.reads(a, size);  \
    call.reads(b, size);  \
  }
HOCKET_WRAPPED(int, memcmp, (const void* a, const void* b, std::size_t size), (a, b, size), HOCKET_COMPARISON)
// Clang turns some calls of memcmp into this.
HOCKET_OVERRIDDEN(
    int, bcmp, (const void* a, const void* b, std::size_t size) noexcept, (a, b, size), HOCKET_COMPARISON)

HOCKET_WRAPPED(const void*, memchr, (const void* bytes, int wanted, std::size_t size), (bytes, wanted, size),
    call.reads(bytes, bytes_until(bytes, memchr(bytes, wanted, size), size)))

HOCKET_WRAPPED(char*, strcpy, (char* to, const char* from), (to, from), call.copies(to, from, bytes_of(from)))
HOCKET_WRAPPED(char*, __strcpy_chk, (char* to, const char* from, std::size_t room), (to, from, room), {
  fail_if_too_small("strcpy", bytes_of(from), room);
  call.copies(to, from, bytes_of(from));
})
HOCKET_OVERRIDDEN(
    char*, stpcpy, (char* to, const char* from) noexcept, (to, from), call.copies(to, from, bytes_of(from)))
HOCKET_WRAPPED(char*, __stpcpy_chk, (char* to, const char* from, std::size_t room), (to, from, room), {
  fail_if_too_small("stpcpy", bytes_of(from), room);
  call.copies(to, from, bytes_of(from));
})

// strncpy fills the rest of the `most` bytes with zeros.
#define HOCKET_STRNCPY                      \
  {                                         \
    call.reads(from, bytes_of(from, most)); \
    call.writes(to, most);                  \
  }
HOCKET_WRAPPED(
    char*, strncpy, (char* to, const char* from, std::size_t most), (to, from, most), HOCKET_STRNCPY)
HOCKET_WRAPPED(char*, __strncpy_chk, (char* to, const char* from, std::size_t most, std::size_t room),
    (to, from, most, room), {
      fail_if_too_small("strncpy", most, room);
      HOCKET_STRNCPY
    })

#define HOCKET_STRCAT                               \
  {                                                 \
    const std::size_t before = std::strlen(to);     \
    call.reads(to, before + 1);                     \
    call.copies(to + before, from, bytes_of(from)); \
  }
HOCKET_WRAPPED(char*, strcat, (char* to, const char* from), (to, from), HOCKET_STRCAT)
HOCKET_WRAPPED(char*, __strcat_chk, (char* to, const char* from, std::size_t room), (to, from, room), {
  fail_if_too_small("strcat", std::strlen(to) + bytes_of(from), room);
  HOCKET_STRCAT
})

// strncat adds a terminator after the text, which may have all of the `most` bytes.
#define HOCKET_STRNCAT                                 \
  {                                                    \
    const std::size_t before = std::strlen(to);        \
    call.reads(to, before + 1);                        \
    call.reads(from, bytes_of(from, most));            \
    call.writes(to + before, strnlen(from, most) + 1); \
  }
HOCKET_WRAPPED(
    char*, strncat, (char* to, const char* from, std::size_t most), (to, from, most), HOCKET_STRNCAT)
HOCKET_WRAPPED(char*, __strncat_chk, (char* to, const char* from, std::size_t most, std::size_t room),
    (to, from, most, room), {
      fail_if_too_small("strncat", std::strlen(to) + strnlen(from, most) + 1, room);
      HOCKET_STRNCAT
    })

HOCKET_WRAPPED(std::size_t, strlen, (const char* text), (text), call.reads(text, bytes_of(text)))
HOCKET_WRAPPED(std::size_t, strnlen, (const char* text, std::size_t most), (text, most),
    call.reads(text, bytes_of(text, most)))

#define HOCKET_TEXT_COMPARISON(function, with_most, compared)                                      \
  HOCKET_WRAPPED(int, function, (const char* a, const char* b), (a, b), {                          \
    const std::size_t size = compared(a, b);                                                       \
    call.reads(a, size);                                                                           \
    call.reads(b, size);                                                                           \
  })                                                                                               \
  HOCKET_WRAPPED(int, with_most, (const char* a, const char* b, std::size_t most), (a, b, most), { \
    const std::size_t size = compared(a, b, most);                                                 \
    call.reads(a, size);                                                                           \
    call.reads(b, size);                                                                           \
  })
HOCKET_TEXT_COMPARISON(strcmp, strncmp, bytes_compared)
HOCKET_TEXT_COMPARISON(strcasecmp, strncasecmp, bytes_compared_without_case)

HOCKET_WRAPPED(const char*, strchr, (const char* text, int wanted), (text, wanted),
    call.reads(text, bytes_until(text, strchr(text, wanted), bytes_of(text))))
HOCKET_WRAPPED(
    const char*, strrchr, (const char* text, int wanted), (text, wanted), call.reads(text, bytes_of(text)))
HOCKET_WRAPPED(const char*, strstr, (const char* text, const char* wanted), (text, wanted), {
  const char* const found = strstr(text, wanted);
  call.reads(wanted, bytes_of(wanted));
  call.reads(
      text, found == nullptr ? bytes_of(text) : static_cast<std::size_t>(found - text) + std::strlen(wanted));
})

// The order in which qsort compares and moves elements is unspecified.
HOCKET_WRAPPED(void, qsort,
    (void* elements, std::size_t count, std::size_t size, int (*compare)(const void*, const void*)),
    (elements, count, size, compare), call.writes(elements, count* size))

}  // extern "C"
