#include "stdio_streams.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cwchar>
#include <span>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <stdio_ext.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../restore/body_descriptors.hpp"
#include "../restore/kept_states.hpp"
#include "../restore/outer_files.hpp"
#include "../shadow/models.hpp"
#include "file_calls.hpp"
#include "inner_files.hpp"
#include "regular_files.hpp"

extern "C" void _IO_un_link(std::FILE* stream) noexcept;  // of glibc: takes it from the list of all streams

namespace hocket::unmodified {

namespace {

enum class Into : std::uint8_t {
  file,
  memory,           ///< of the body: fmemopen()
  memory_of_stream  ///< whose place and size the library writes to variables of the body: open_memstream()
};
struct Stream {
  std::FILE* stream;
  Into into;
};

// Not a local static: a body may be the first to come by, and the guard would then be the body's.
constinit std::vector<Stream>* all_streams = nullptr;

/// The streams that the running execution has opened and not closed.
std::vector<Stream>& streams() {
  const runtime::OwnMemory own;
  if (all_streams == nullptr) all_streams = new std::vector<Stream>;
  return *all_streams;
}

/// What a body gave to fopencookie(). Its functions are not called after the execution: they are the body's.
struct Cookie {
  void* of_body;
  cookie_io_functions_t functions;
  bool is_of_running_execution = true;

  static Cookie& at(void* cookie) { return *static_cast<Cookie*>(cookie); }
};

constinit std::vector<Cookie*>* all_cookies = nullptr;

/// Those whose streams are open.
std::vector<Cookie*>& cookies() {
  const runtime::OwnMemory own;
  if (all_cookies == nullptr) all_cookies = new std::vector<Cookie*>;
  return *all_cookies;
}

ssize_t read_from_cookie(void* of, char* to, std::size_t room) {
  const Cookie& cookie = Cookie::at(of);
  const bool is_possible = cookie.is_of_running_execution && cookie.functions.read != nullptr;
  return is_possible ? cookie.functions.read(cookie.of_body, to, room) : 0;
}
ssize_t write_to_cookie(void* of, const char* from, std::size_t size) {
  const Cookie& cookie = Cookie::at(of);
  if (!cookie.is_of_running_execution) return static_cast<ssize_t>(size);
  return cookie.functions.write != nullptr ? cookie.functions.write(cookie.of_body, from, size) : 0;
}
int seek_in_cookie(void* of, off64_t* position, int whence) {
  const Cookie& cookie = Cookie::at(of);
  const bool is_possible = cookie.is_of_running_execution && cookie.functions.seek != nullptr;
  return is_possible ? cookie.functions.seek(cookie.of_body, position, whence) : fail_with(EOPNOTSUPP);
}
int close_cookie(void* of) {
  Cookie* const cookie = &Cookie::at(of);
  const bool is_possible = cookie->is_of_running_execution && cookie->functions.close != nullptr;
  const int result = is_possible ? cookie->functions.close(cookie->of_body) : 0;
  const runtime::OwnMemory own;
  std::erase(cookies(), cookie);
  delete cookie;
  return result;
}

std::FILE* opened(std::FILE* stream, bool is_made = false, Into into = Into::file) {
  if (stream == nullptr) return stream;
  if (!is_from_body()) {
    note_outer_stream(stream);
    return stream;
  }
  note_file(fileno(stream), is_made);
  const runtime::OwnMemory own;
  streams().push_back({stream, into});
  return stream;
}

}  // namespace

void close_streams_of_body(const runtime::ExecutionOptions& options) {
  if (!is_to_be_given_back(options)) return streams().clear();
  for (Cookie* const cookie : cookies()) cookie->is_of_running_execution = false;
  while (!streams().empty()) {
    const auto [stream, into] = streams().back();
    streams().pop_back();
    // A thread that will never run again may hold the stream's lock.
    __fsetlocking(stream, FSETLOCKING_BYCALLER);
    if (into == Into::memory_of_stream) {
      // Closing it would write to variables that are gone, where frames are now. All that it has is in the
      // body's heap.
      _IO_un_link(stream);
      continue;
    }
    if (runtime::execution.verdict.is_cut_short() || into == Into::memory) __fpurge(stream);
    note_closed(fileno(stream));
    HOCKET_REAL(fclose)(stream);
  }
}

void step_on_stream(const char* function, std::FILE* stream, OnStream does) {
  const int file = fileno(stream);
  const bool closes_locked = does == OnStream::closes && has_locked_files();
  if (file < 0 || (!is_inner_call(file) && !closes_locked)) return;
  note_outer_file(file);
  if (does != OnStream::takes) {
    if (runtime::is_sabotaged(runtime::Sabotage::streams_change_unseen)) return;
    step_before_change(function, behind(file));
    return;
  }
  if (stream->_IO_read_ptr != stream->_IO_read_end) return;
  const auto flags = static_cast<unsigned>(HOCKET_REAL(fcntl)(file, F_GETFL));
  const bool waits = (flags & O_NONBLOCK) == 0;
  const auto is_there = [](std::span<pollfd> events) {
    return poll(events.data(), 1, 0) != 0 ? Tried::done : Tried::would_wait;
  };
  pollfd event{file, POLLIN, 0};
  do {  // another thread may take it first
    const FileCall wait{
        function, waits ? runtime::kForever : 0, Order::takes, behind(file), false, {&event, 1}};
    if (make(wait, is_there) == Ended::cut) return;
    step_before_change(function, behind(file));
  } while (waits && !runtime::run.ending && is_there({&event, 1}) != Tried::done);
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

std::FILE* fopen(const char* path, const char* mode) {
  return opened(HOCKET_REAL(fopen)(path, mode));
}
std::FILE* fopen64(const char* path, const char* mode) {
  return opened(HOCKET_REAL(fopen64)(path, mode));
}
std::FILE* fdopen(int descriptor, const char* mode) noexcept {
  return opened(HOCKET_REAL(fdopen)(descriptor, mode));
}
std::FILE* tmpfile() {
  return opened(HOCKET_REAL(tmpfile)(), true);
}
std::FILE* tmpfile64() {
  return opened(HOCKET_REAL(tmpfile64)(), true);
}
std::FILE* open_memstream(char** text, std::size_t* size) noexcept {
  return opened(HOCKET_REAL(open_memstream)(text, size), false, Into::memory_of_stream);
}
std::FILE* open_wmemstream(wchar_t** text, std::size_t* size) noexcept {
  return opened(HOCKET_REAL(open_wmemstream)(text, size), false, Into::memory_of_stream);
}
std::FILE* fmemopen(void* memory, std::size_t size, const char* mode) noexcept {
  return opened(HOCKET_REAL(fmemopen)(memory, size, mode), false, Into::memory);
}
std::FILE* fopencookie(void* cookie, const char* mode, cookie_io_functions_t functions) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(fopencookie, cookie, mode, functions);
  Cookie* made = nullptr;
  {
    const hocket::runtime::OwnMemory own;
    made = new Cookie{cookie, functions};  // NOLINT(bugprone-unhandled-exception-at-new)
    cookies().push_back(made);
  }
  return opened(HOCKET_REAL(fopencookie)(
      made, mode, {&read_from_cookie, &write_to_cookie, &seek_in_cookie, &close_cookie}));
}
int fclose(std::FILE* stream) {
  if (!is_from_body()) {
    forget_outer_stream(stream);
  } else if (is_to_be_undone() && is_outer_stream(stream)) {
    return HOCKET_REAL(fflush)(stream);  // the next execution needs the stream again
  } else {
    std::erase_if(streams(), [&](const Stream& one) { return one.stream == stream; });
    models().mutexes.forget(stream);  // another stream may come there
    note_closed(fileno(stream));
    note_closed_in_waits(fileno(stream));
  }
  return HOCKET_REAL(fclose)(stream);
}
std::FILE* freopen(const char* path, const char* mode, std::FILE* stream) {
  note_descriptor_of(stream);
  return HOCKET_REAL(freopen)(path, mode, stream);
}
std::FILE* freopen64(const char* path, const char* mode, std::FILE* stream) {
  note_descriptor_of(stream);
  return HOCKET_REAL(freopen64)(path, mode, stream);
}

}  // extern "C"
