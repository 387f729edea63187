#include "stdio_streams.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <stdio_ext.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../restore/kept_states.hpp"

namespace hocket::unmodified {

namespace {

std::vector<std::FILE*>& streams() {
  static auto* const all = new std::vector<std::FILE*>;
  return *all;
}

std::FILE* opened(std::FILE* stream) {
  if (stream == nullptr) return stream;
  if (!is_from_body()) {
    note_outer_stream(stream);
    return stream;
  }
  const runtime::OwnMemory own;
  streams().push_back(stream);
  return stream;
}

}  // namespace

void close_streams_of_body() {
  while (!streams().empty()) {
    std::FILE* const stream = streams().back();
    streams().pop_back();
    // A thread that will never run again may hold the stream's lock.
    __fsetlocking(stream, FSETLOCKING_BYCALLER);
    if (runtime::run.ending) __fpurge(stream);
    HOCKET_REAL(fclose)(stream);
  }
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
  return opened(HOCKET_REAL(tmpfile)());
}
std::FILE* tmpfile64() {
  return opened(HOCKET_REAL(tmpfile64)());
}
int fclose(std::FILE* stream) {
  if (!is_from_body()) {
    forget_outer_stream(stream);
  } else if (is_to_be_undone() && is_outer_stream(stream)) {
    return HOCKET_REAL(fflush)(stream);  // the next execution needs the stream again
  } else {
    std::erase(streams(), stream);
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
